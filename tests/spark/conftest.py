"""One Spark for all tests of this folder, started by the first test that asks for it.

It serves Spark Connect too, on a loopback port of its own, so that the Connect tests need no second one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import pytest

from penstock.spark import local_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Pairs: TypeAlias = set[tuple[object, object]]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = local_session(
        name="penstock tests",
        cores=2,
        log=tmp_path_factory.mktemp("spark") / "spark.log",
        settings={
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": "0",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # many small queries: compile little
            "spark.sql.shuffle.partitions": "2",
        },
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def connect_address(spark: SparkSession) -> str:
    # A Scala object is a class whose name ends in $; it has no static forwarder here.
    java = spark.sparkContext._jvm
    service = getattr(getattr(java, "org.apache.spark.sql.connect.service.SparkConnectService$"), "MODULE$")
    return f"sc://127.0.0.1:{service.localPort()}"


@pytest.fixture
def subscriptions(spark: SparkSession) -> DataFrame:
    rows = [
        ("cheap", "price < 100"),
        ("ibm", "symbol = 'IBM'"),
        ("cheap-ibm", "price < 100 AND symbol = 'IBM'"),
        ("no-price", "price IS NULL"),
    ]
    return spark.createDataFrame(rows, "subscription_id string, condition string")
