"""`column IN (any number of values)` with one parameter.

SQLAlchemy writes out a placeholder for each value, so every number of values is another statement to compile, to parse
and to plan. This one has the same text for one value and for a thousand.
"""

from collections.abc import Callable, Iterable
from typing import Any, Self

import msgspec
import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType

from tradewind.storage.batch import POSTGRES_TYPES, Kind, array_text


class _Many(sa.types.UserDefinedType[Iterable[Any]]):
    """The values: an array for PostgreSQL, JSON for SQLite, and for MySQL what PyMySQL turns into a list."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "TEXT"

    def bind_processor(self, dialect: sa.Dialect) -> Callable[[Iterable[Any] | None], object]:
        match dialect.name:
            case "postgresql":
                return lambda values: array_text(values or ())
            case "mysql":
                return lambda values: tuple(values or ()) or (None,)
            case _:
                return lambda values: msgspec.json.encode(list(values or ())).decode()


class one_of(FunctionElement[bool]):  # noqa: N801 - reads like a word of SQL
    """Whether the column has one of the values of the parameter `name`."""

    type = sa.Boolean()
    inherit_cache = True
    name = "one_of"

    def __init__(self, column: sa.ColumnElement[Any], name: str) -> None:
        super().__init__(column, sa.bindparam(name, type_=_Many()))

    def self_group(self, against: OperatorType | None = None) -> Self:
        """As it is. Where a database has no booleans SQLAlchemy would write `... = 1`, to which no index answers."""
        return self


def _parts(element: one_of, compiler: SQLCompiler, options: dict[str, Any]) -> tuple[str, str, Kind]:
    column, values = element.clauses
    kind = Kind.INT if isinstance(column.type, sa.Integer | sa.BigInteger) else Kind.TEXT
    return compiler.process(column, **options), compiler.process(values, **options), kind


@compiles(one_of, "postgresql")
def _postgresql(element: one_of, compiler: SQLCompiler, **options: Any) -> str:
    column, values, kind = _parts(element, compiler, options)
    return f"{column} = ANY (CAST({values} AS {POSTGRES_TYPES[kind]}[]))"


@compiles(one_of, "mysql")
def _mysql(element: one_of, compiler: SQLCompiler, **options: Any) -> str:
    # The driver writes the values out, brackets and all. MariaDB would enter no index by a subquery where it updates or
    # deletes, and read the whole table.
    column, values, _ = _parts(element, compiler, options)
    return f"{column} IN {values}"


@compiles(one_of, "sqlite")
def _sqlite(element: one_of, compiler: SQLCompiler, **options: Any) -> str:
    column, values, _ = _parts(element, compiler, options)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608 - the names are our own
