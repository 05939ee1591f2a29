"""In which span of time an instant is: spans of one length follow each other since 1970, in UTC."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class span_of(FunctionElement[int]):  # noqa: N801 - reads like a word of SQL
    """How many spans of so many seconds had passed."""

    type = sa.BigInteger()
    inherit_cache = True
    name = "span_of"

    def __init__(self, column: sa.ColumnElement[Any], seconds: int) -> None:
        # Written out: PostgreSQL takes an expression with parameters for another one where it groups by it.
        super().__init__(column, sa.literal_column(str(int(seconds))))


def begin_of(span: int, seconds: int) -> datetime:
    """When it began."""
    return _EPOCH + timedelta(seconds=seconds * int(span))


def _parts(element: span_of, compiler: SQLCompiler, options: dict[str, Any]) -> tuple[str, str]:
    column, seconds = element.clauses
    return compiler.process(column, **options), compiler.process(seconds, **options)


@compiles(span_of, "postgresql")
def _postgresql(element: span_of, compiler: SQLCompiler, **options: Any) -> str:
    column, seconds = _parts(element, compiler, options)
    return f"CAST(floor(extract(epoch FROM {column}) / {seconds}) AS bigint)"


@compiles(span_of, "mysql")
def _mysql(element: span_of, compiler: SQLCompiler, **options: Any) -> str:
    column, seconds = _parts(element, compiler, options)
    return f"(TIMESTAMPDIFF(SECOND, '1970-01-01 00:00:00', {column}) DIV {seconds})"


@compiles(span_of, "sqlite")
def _sqlite(element: span_of, compiler: SQLCompiler, **options: Any) -> str:
    column, seconds = _parts(element, compiler, options)
    return f"(CAST(strftime('%s', {column}) AS INTEGER) / {seconds})"
