"""How long something took, as an expression of each database."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class SecondsBetween(FunctionElement[float]):
    """The seconds from the first instant to the second. Absent where one of them is."""

    name = "seconds_between"
    type = sa.Double()
    inherit_cache = True


@compiles(SecondsBetween, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    start, end = (compiler.process(each, **kw) for each in element.clauses)
    return f"CAST(EXTRACT(EPOCH FROM ({end} - {start})) AS DOUBLE PRECISION)"


@compiles(SecondsBetween, "mysql")
@compiles(SecondsBetween, "mariadb")
def _on_mysql(element: Any, compiler: Any, **kw: Any) -> str:
    start, end = (compiler.process(each, **kw) for each in element.clauses)
    return f"(TIMESTAMPDIFF(MICROSECOND, {start}, {end}) / 1e6)"


@compiles(SecondsBetween, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    start, end = (compiler.process(each, **kw) for each in element.clauses)
    # Days as floating point numbers are good to some microseconds. Whole milliseconds: to sort and to compare, no more.
    # (ROUND writes the number out as a text, which takes as long as all the rest.)
    return f"(CAST((JULIANDAY({end}) - JULIANDAY({start})) * 86400000 + 0.5 AS INTEGER) / 1000.0)"
