"""The data pipeline: matching, and checking what is to be matched, over Spark DataFrames.

Needs the extra: ``pip install 'penstock[spark]'``. The functions take the DataFrames of any session, also of Spark
Connect; the workers need Penstock installed too. :func:`local_session` starts Spark on this machine alone.
"""

from penstock.spark.check import check, check_events
from penstock.spark.match import match
from penstock.spark.session import local_session

__all__ = ["check", "check_events", "local_session", "match"]
