"""Whether a text is like a pattern, whatever its case, as an expression of each database."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


def contains(column: sa.ColumnElement[Any], pattern: str) -> "Contains":
    """Whether the pattern, which may have `%` and `_`, is somewhere in the column."""
    return (_ContainsAscii if pattern.isascii() else Contains)(column, pattern)


class Contains(FunctionElement[bool]):
    """See `contains`."""

    name = "contains"
    type = sa.Boolean()
    inherit_cache = True
    collation = ""

    def __init__(self, column: sa.ColumnElement[Any], pattern: str) -> None:
        either = (sa.literal(f"%{text}%", column.type) for text in (pattern, pattern.lower()))
        super().__init__(column, *either)


class _ContainsAscii(Contains):
    """The same; only letters without accents need be found in either case. PostgreSQL takes a third less time."""

    name = "contains_ascii"
    inherit_cache = True
    collation = ' COLLATE "C"'


@compiles(Contains, "postgresql")
@compiles(_ContainsAscii, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    column, *patterns = element.clauses
    text, exact, lower = (compiler.process(each, **kw) for each in (column, *patterns))
    whatever_case = f"LOWER({text}{element.collation}) LIKE {lower}"
    if not isinstance(column, sa.Column):
        return f"({whatever_case})"
    # The first half alone would be true less often. But it is quick, and PostgreSQL knows of a column how many rows are
    # so: of the second it does not, takes them for few, and looks up the run of each of hundreds of thousands.
    return f"({text} LIKE {exact} OR {whatever_case})"


@compiles(Contains, "mysql", "mariadb")
@compiles(_ContainsAscii, "mysql", "mariadb")
def _by_lower(element: Any, compiler: Any, **kw: Any) -> str:
    text, _, pattern = element.clauses
    return f"(LOWER({compiler.process(text, **kw)}) LIKE {compiler.process(pattern, **kw)})"


@compiles(Contains, "sqlite")
@compiles(_ContainsAscii, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    # Its LIKE has no regard for the case of ASCII letters; its LOWER knows no others.
    text, pattern, _ = element.clauses
    return f"({compiler.process(text, **kw)} LIKE {compiler.process(pattern, **kw)})"
