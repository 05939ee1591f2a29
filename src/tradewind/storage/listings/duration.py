"""How long something took, as an expression of each database."""

import math
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from tradewind.model.listing import Test

_LONGEST_S: Final = 1e10
"""Some three hundred years. Nothing takes as long, and no database can add much more to an instant."""
_MS_PER_DAY: Final = 86_400_000
_OPERATORS: Final = {Test.AT_LEAST: ">=", Test.ABOVE: ">", Test.AT_MOST: "<=", Test.BELOW: "<"}
_SPLITS_ABOVE: Final = frozenset({Test.ABOVE, Test.AT_MOST})
"""These tell apart what is no longer than the bound from what is; the others, what is shorter from what is not."""


class SecondsBetween(FunctionElement[float]):
    """The seconds from the first instant to the second. Absent where one of them is."""

    name = "seconds_between"
    type = sa.Double()
    inherit_cache = True

    def compared(self, test: Test, value: object) -> sa.ColumnElement[bool]:
        """Whether it took more or less than so many seconds. To say that, they need not be worked out for each row."""
        bound = value if isinstance(value, sa.BindParameter) else sa.literal(value, type_=self.type)
        kind = _Bound(is_above=test in _SPLITS_ABOVE)
        is_more = test in (Test.AT_LEAST, Test.ABOVE)
        compared = _IsLonger if is_more else _IsShorter
        operator: sa.ColumnElement[str] = sa.literal_column(_OPERATORS[test])
        return compared(*self.clauses, sa.type_coerce(bound, kind), operator)


class _IsLonger(FunctionElement[bool]):
    """Whether from the first instant to the second it takes longer than the third says; the fourth is how to compare
    where that is in seconds."""

    name = "is_longer"
    type = sa.Boolean()
    inherit_cache = True
    split: str = ">="

    def self_group(self, against: object = None) -> Any:
        """As it is, rather than as `... = 1`."""
        return self


class _IsShorter(_IsLonger):
    name = "is_shorter"
    inherit_cache = True
    split = "<"


class _Bound(sa.types.TypeDecorator[float]):
    """Seconds to compare with. On SQLite, which compares days, what lies between the last duration in whole
    milliseconds on this side and the first one on the other."""

    impl = sa.Double
    cache_ok = True

    def __init__(self, *, is_above: bool) -> None:
        super().__init__()
        self.is_above = is_above

    def process_bind_param(self, value: float | None, dialect: sa.Dialect) -> float | None:
        """As the database is told."""
        if value is None:
            return None
        seconds = max(-_LONGEST_S, min(float(value), _LONGEST_S))
        if dialect.name != "sqlite":
            return seconds
        ms = round(seconds * 1000, 6)
        return (math.floor(ms) + 0.5 if self.is_above else math.ceil(ms) - 0.5) / _MS_PER_DAY


@compiles(_IsLonger, "postgresql")
@compiles(_IsShorter, "postgresql")
def _added_on_postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    """A fourth of the time that it takes to subtract and then make a number of it."""
    start, end, bound, operator = (compiler.process(each, **kw) for each in element.clauses)
    return f"({end} {operator} {start} + MAKE_INTERVAL(secs => CAST({bound} AS DOUBLE PRECISION)))"


@compiles(_IsLonger, "mysql", "mariadb")
@compiles(_IsShorter, "mysql", "mariadb")
def _compared_on_mysql(element: Any, compiler: Any, **kw: Any) -> str:
    start, end, bound, operator = (compiler.process(each, **kw) for each in element.clauses)
    return f"(TIMESTAMPDIFF(MICROSECOND, {start}, {end}) / 1e6 {operator} {bound})"


@compiles(_IsLonger, "sqlite")
@compiles(_IsShorter, "sqlite")
def _compared_on_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    start, end, bound, _ = (compiler.process(each, **kw) for each in element.clauses)
    return f"(JULIANDAY({end}) - JULIANDAY({start}) {element.split} {bound})"


@compiles(SecondsBetween, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    start, end = (compiler.process(each, **kw) for each in element.clauses)
    # Unlike EXTRACT, which makes decimal numbers, it makes one that can be sorted by at once.
    return f"DATE_PART('epoch', {end} - {start})"


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
