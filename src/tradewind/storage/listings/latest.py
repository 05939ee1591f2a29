"""The latest of several instants, as an expression of each database."""

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from tradewind.model.listing import Test
from tradewind.storage.types import Instant


class Latest(FunctionElement[Any]):
    """Of those that are there; absent where none is. No two databases agree on what to make of the others."""

    name = "latest"
    type = Instant()
    inherit_cache = True

    def compared(self, test: Test, value: object) -> sa.ColumnElement[bool]:
        """Whether it is before or after an instant. That can be said without it: all of them are before."""
        bound = value if isinstance(value, sa.BindParameter) else sa.literal(value, type_=self.type)
        match test:
            case Test.AT_LEAST:
                return _AnyFrom(*self.clauses, bound)
            case Test.ABOVE:
                return _AnyAfter(*self.clauses, bound)
            case Test.AT_MOST:
                return sa.and_(_AllUntil(*self.clauses, bound), sa.func.coalesce(*self.clauses).is_not(None))
            case Test.BELOW:
                return sa.and_(_AllBefore(*self.clauses, bound), sa.func.coalesce(*self.clauses).is_not(None))
            case _:
                raise ValueError(f"{test} compares nothing")


class _AllBefore(FunctionElement[bool]):
    """Whether all instants but the last one are before that, as far as they are there."""

    name = "all_before"
    type = sa.Boolean()
    inherit_cache = True
    comparison: str = "<"

    def self_group(self, against: object = None) -> Any:
        """As it is. As `... = 1`, which SQLAlchemy would make of it, SQLite works out all of it for every row."""
        return self


class _AllUntil(_AllBefore):
    """As `_AllBefore`; they may be the same as well."""

    name = "all_until"
    inherit_cache = True
    comparison = "<="


class _AnyAfter(_AllBefore):
    """Whether one of the instants but the last one is after that."""

    name = "any_after"
    inherit_cache = True
    comparison = ">"


class _AnyFrom(_AnyAfter):
    """As `_AnyAfter`; it may be the same as well."""

    name = "any_from"
    inherit_cache = True
    comparison = ">="


_NEVER: Final = ""
"""On SQLite, where instants are texts, before all of them."""
_AS_IT_IS: Final = ("postgresql", "mysql", "mariadb")


@compiles(_AllBefore, *_AS_IT_IS)
@compiles(_AllUntil, *_AS_IT_IS)
@compiles(_AnyAfter, *_AS_IT_IS)
@compiles(_AnyFrom, *_AS_IT_IS)
def _by_the_latest(element: Any, compiler: Any, **kw: Any) -> str:
    *instants, bound = element.clauses
    return f"({compiler.process(Latest(*instants), **kw)} {element.comparison} {compiler.process(bound, **kw)})"


@compiles(_AllBefore, "sqlite")
@compiles(_AllUntil, "sqlite")
def _one_by_one(element: Any, compiler: Any, **kw: Any) -> str:
    """The first that is not ends the search, where the latest would take all of them. It is half the time."""
    *instants, bound = element.clauses
    said = f"{element.comparison} {compiler.process(bound, **kw)}"
    return f"({' AND '.join(f'IFNULL({compiler.process(each, **kw)}, {_NEVER!r}) {said}' for each in instants)})"


@compiles(_AnyAfter, "sqlite")
@compiles(_AnyFrom, "sqlite")
def _until_one_is(element: Any, compiler: Any, **kw: Any) -> str:
    *instants, bound = element.clauses
    said = f"{element.comparison} {compiler.process(bound, **kw)}"
    return f"({' OR '.join(f'{compiler.process(each, **kw)} {said}' for each in instants)})"


@compiles(Latest, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    return f"GREATEST({', '.join(compiler.process(each, **kw) for each in element.clauses)})"


@compiles(Latest, "mysql")
@compiles(Latest, "mariadb")
def _on_mysql(element: Any, compiler: Any, **kw: Any) -> str:
    none = "TIMESTAMP '1000-01-01 00:00:00'"
    given = ", ".join(f"COALESCE({compiler.process(each, **kw)}, {none})" for each in element.clauses)
    return f"NULLIF(GREATEST({given}), {none})"


@compiles(Latest, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    """Absent if one is that MAX is given. The first that is there is absent where all are; the others must not be."""
    instants = [compiler.process(each, **kw) for each in element.clauses]
    others = "".join(f", COALESCE({each}, {_NEVER!r})" for each in instants[1:])
    return f"MAX(COALESCE({', '.join(instants)}){others})"
