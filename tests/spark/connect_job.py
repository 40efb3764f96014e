"""A client of Spark Connect: a process without Java that matches and checks on a server. Prints JSON.

Usage: python connect_job.py ADDRESS
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

from penstock.spark import check, check_events, match


def main(address: str) -> None:
    spark = SparkSession.builder.remote(address).getOrCreate()
    typed = spark.sql("SELECT * FROM VALUES ('e1', 99, 'IBM'), ('e2', 101, 'IBM') AS t(event_id, price, symbol)")
    forms = typed.selectExpr(
        "event_id",
        "to_json(struct(price, symbol)) AS json",
        "to_variant_object(struct(price, symbol)) AS variant",
        "struct(price, symbol) AS fields",
        "map('symbol', symbol) AS entries",
    )
    subscriptions = spark.createDataFrame(
        [(1, "price < 100"), (2, "symbol = 'IBM'"), (3, "price <"), (4, "a = 1"), (4, "a = 2")],
        "subscription_id bigint, condition string",
    )
    found = {"columns": match(typed, subscriptions)}
    for column in ("json", "variant", "fields", "entries"):
        found[column] = match(forms, subscriptions, attributes=column)
    broken = spark.sql("SELECT 7 AS event_id, '{' AS json")
    report = {
        "session": type(spark).__module__,
        "matches": {name: sorted(map(list, matches.collect())) for name, matches in found.items()},
        "rejected": sorted([row.subscription_id, row.line] for row in check(subscriptions).collect()),
        "put aside": [row.event_id for row in check_events(broken, attributes="json").collect()],
    }
    spark.stop()
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
