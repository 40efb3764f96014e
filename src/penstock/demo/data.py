"""Where the sample data lies once Penstock is installed.

``flights.parquet`` holds events: one flight a row, its id in ``event_id``. ``subscriptions.csv`` holds what people
might have asked about them: ``subscription_id``, ``subscriber`` (a role) and ``condition``. README.md in the same
folder explains each column and names the sources.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).resolve().parent

FLIGHTS: Final = _FOLDER / "flights.parquet"
SUBSCRIPTIONS: Final = _FOLDER / "subscriptions.csv"
