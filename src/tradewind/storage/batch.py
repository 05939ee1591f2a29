"""Many rows as one parameter, so that one statement of fixed text writes or reads thousands of them.

A statement per row costs a round trip (PostgreSQL, MySQL) or at least its interpretation (SQLite); a statement with a
placeholder per value has a new text for each number of rows, which no cache of plans survives. So the rows travel as
one value, arrays on PostgreSQL and JSON elsewhere, and the database unfolds them into a table named `batch`.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any

import msgspec
import sqlalchemy as sa

from tradewind.storage.types import ID_LENGTH, Instant, instant_text, storable_text

Value = str | int | float | datetime | None
Row = Sequence[Value]


class Kind(StrEnum):
    """What a column of a batch holds."""

    INT = "int"
    FLOAT = "float"
    TEXT = "text"
    """A name: at most four times as long as an id may be."""
    LONG = "long"
    """Text of any length."""
    INSTANT = "instant"


Columns = tuple[tuple[str, Kind], ...]

_SPECIAL = (Kind.INSTANT, Kind.LONG)
"""Kinds whose values are written otherwise than they are."""

POSTGRES_TYPES = {
    Kind.INT: "bigint",
    Kind.FLOAT: "double precision",
    Kind.TEXT: "text",
    Kind.LONG: "text",
    Kind.INSTANT: "timestamptz",
}
MYSQL_TYPES = {
    Kind.INT: "BIGINT",
    Kind.FLOAT: "DOUBLE",
    Kind.TEXT: f"VARCHAR({4 * ID_LENGTH}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    Kind.LONG: "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    Kind.INSTANT: "DATETIME(6)",
}
_TYPES: dict[Kind, sa.types.TypeEngine[Any]] = {
    Kind.INT: sa.BigInteger(),
    Kind.FLOAT: sa.Double(),
    Kind.TEXT: sa.Text(),
    Kind.LONG: sa.Text(),
    Kind.INSTANT: Instant(),
}


@cache
def batch_table(dialect_name: str, columns: Columns) -> sa.Subquery:
    """The rows of the parameter as a table with these columns."""
    names = [name for name, _ in columns]
    if dialect_name == "postgresql":
        arrays = ", ".join(f"CAST(:batch_{name} AS {POSTGRES_TYPES[kind]}[])" for name, kind in columns)
        query = f"SELECT * FROM unnest({arrays}) AS unnested ({', '.join(names)})"  # noqa: S608 - the names are our own
    elif dialect_name == "mysql":
        paths = ", ".join(f"{name} {MYSQL_TYPES[kind]} PATH '$[{i}]'" for i, (name, kind) in enumerate(columns))
        query = f"SELECT {', '.join(names)} FROM JSON_TABLE(:batch, '$[*]' COLUMNS ({paths})) AS unfolded"  # noqa: S608
    else:
        values = ", ".join(f"json_extract(value, '$[{i}]') AS {name}" for i, name in enumerate(names))
        query = f"SELECT {values} FROM json_each(:batch)"  # noqa: S608
    typed = [sa.column(name, _TYPES[kind]) for name, kind in columns]
    return sa.text(query).columns(*typed).subquery("batch")


def batch_parameters(dialect_name: str, columns: Columns, rows: Sequence[Row]) -> dict[str, object]:
    """The parameters that carry `rows` to a statement over `batch_table`."""
    if dialect_name == "postgresql":
        values: Iterable[tuple[Value, ...]] = zip(*rows, strict=True) if rows else ((),) * len(columns)
        return {
            f"batch_{name}": _column_text(column, kind) for (name, kind), column in zip(columns, values, strict=True)
        }
    special = [(i, kind) for i, (_, kind) in enumerate(columns) if kind in _SPECIAL]
    if special:
        rows = [_with_texts(row, special, dialect_name) for row in rows]
    return {"batch": msgspec.json.encode(rows).decode()}


def _column_text(values: tuple[Value, ...], kind: Kind) -> str:
    """Most columns of many rows hold the same value in each: it is written once."""
    first = values[0] if values else None
    # In a zone whose clocks are moved, two instants can be equal to Python that are not the same.
    is_same = not isinstance(first, datetime) or first.tzinfo is UTC
    if is_same and values.count(first) == len(values):
        return f"{{{','.join([_element(_text(first, kind))] * len(values))}}}"
    return array_text(_text(value, kind) for value in values) if kind in _SPECIAL else array_text(values)


def array_text(values: Iterable[Value]) -> str:
    """An array, as PostgreSQL writes it. Of a list, psycopg would look at each value several times, and make another
    statement of one with larger numbers."""
    return f"{{{','.join(map(_element, values))}}}"


def _element(value: Value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        if "\\" in value or '"' in value:
            value = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{value}"'
    return str(value)


def _with_texts(row: Row, special: Sequence[tuple[int, Kind]], dialect_name: str) -> Row:
    texts = list(row)
    for i, kind in special:
        texts[i] = _text(row[i], kind, dialect_name)
    return texts


def _text(value: Value, kind: Kind, dialect_name: str = "postgresql") -> Value:
    if isinstance(value, datetime):
        return instant_text(value, dialect_name)
    return storable_text(value) if isinstance(value, str) and kind is Kind.LONG else value
