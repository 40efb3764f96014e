"""What the pipeline asks of the columns it is given, found out from the schema before any row is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import SourceError, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import DataType, StructType


def column(name: str) -> Column:
    """The column of exactly that name; dots in it are part of the name."""
    from pyspark.sql import functions

    return functions.col(quoted(name))


def quoted(name: str) -> str:
    """A name as Spark SQL takes it whatever it holds.

    >>> quoted("unit.price")
    '`unit.price`'
    """
    return "`" + name.replace("`", "``") + "`"


def require_column(schema: StructType, name: str, role: str) -> DataType:
    """The type of a column, or an error that lists the columns there are. ``role`` is the argument that names it."""
    found = schema.names.count(name)
    if found == 0:
        there = ", ".join(schema.names) or "none"
        suggestion = did_you_mean(name, schema.names).rstrip("?")
        raise SourceError(f"{role}={name!r} names no column{suggestion}; the columns are {there}")
    if found > 1:
        raise SourceError(f"{role}={name!r} names {found} columns; rename all but one")
    return schema[name].dataType


def require_identifier(schema: StructType, name: str, role: str) -> DataType:
    """The type of a column of ids: what goes in comes out, so only types that every stage can carry."""
    from pyspark.sql.types import IntegerType, LongType, StringType

    kind = require_column(schema, name, role)
    if not isinstance(kind, (StringType, IntegerType, LongType)):
        raise SourceError(
            f"the column {name!r} of ids has the type {kind.simpleString()}; ids are string, int or bigint. "
            f"Cast it: .withColumn({name!r}, col({name!r}).cast('string'))"
        )
    return kind


def require_text(schema: StructType, name: str, role: str) -> None:
    """Refuse a column that does not hold text."""
    from pyspark.sql.types import StringType

    kind = require_column(schema, name, role)
    if not isinstance(kind, StringType):
        raise SourceError(f"the column {name!r} of conditions has the type {kind.simpleString()}; it should be string")
