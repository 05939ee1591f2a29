"""Whether a text is like a pattern, whatever its case, as an expression of each database."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class Contains(FunctionElement[bool]):
    """Whether the pattern, which may have `%` and `_`, is somewhere in the column."""

    name = "contains"
    type = sa.Boolean()
    inherit_cache = True

    def __init__(self, column: sa.ColumnElement[Any], pattern: str) -> None:
        either = (sa.literal(f"%{text}%", column.type) for text in (pattern, pattern.lower()))
        super().__init__(column, *either)


@compiles(Contains, "postgresql")
@compiles(Contains, "mysql")
@compiles(Contains, "mariadb")
def _by_lower(element: Any, compiler: Any, **kw: Any) -> str:
    text, _, pattern = element.clauses
    return f"(LOWER({compiler.process(text, **kw)}) LIKE {compiler.process(pattern, **kw)})"


@compiles(Contains, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    # Its LIKE has no regard for the case of ASCII letters; its LOWER knows no others.
    text, pattern, _ = element.clauses
    return f"({compiler.process(text, **kw)} LIKE {compiler.process(pattern, **kw)})"
