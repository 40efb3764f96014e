"""A small real job: Spark SQL, Parquet and ``mapInArrow`` on the Java that is found. Prints JSON.

Usage: python java_job.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from penstock.spark import local_session, match
from penstock.spark.java import find_java


def main(folder: Path) -> None:
    java = find_java()
    quick = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
    spark = local_session(java=java, cores=1, log=folder / "spark.log", settings=quick)
    path = str(folder / "events.parquet")
    spark.sql("SELECT id AS event_id, id * 1.5D AS price FROM range(100)").write.parquet(path)
    subscriptions = spark.createDataFrame([("s", "price < 15")], "subscription_id string, condition string")
    matched = match(spark.read.parquet(path), subscriptions)
    report = {
        "origin": java.origin,
        "version": java.version,
        "home": spark.sparkContext.getSystemProperty("java.home"),
        "matched": sorted(row.event_id for row in matched.collect()),
        "sum": spark.read.parquet(path).groupBy().sum("price").collect()[0][0],
    }
    spark.stop()
    print(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
