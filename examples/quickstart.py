"""Matching, explaining, saving and opening: the library in a page.

Run it with ``python examples/quickstart.py``.
"""

import tempfile

import penstock

matcher = penstock.Matcher()
matcher.add("ibm-low", "symbol = 'IBM' AND price < 100")
matcher.add("big-move", "abs(price - previous_close) > 0.05 * previous_close")
matcher.add("tech", "sector = 'tech' AND array_contains(indexes, 'DAX')")

quote = {"symbol": "IBM", "price": 93.5, "previous_close": 101.0, "sector": "tech", "indexes": ["DJIA"]}
print("matches:", matcher.match(quote))
print(matcher.explain("tech", quote))

with tempfile.TemporaryDirectory() as folder:
    matcher.save(folder)
    opened = penstock.Matcher.open(folder)
print("after opening:", opened.match({"symbol": "IBM", "price": 99}))
