"""The latest of several instants, as an expression of each database."""

from typing import Any

from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from tradewind.storage.types import Instant


class Latest(FunctionElement[Any]):
    """Of those that are there; absent where none is. No two databases agree on what to make of the others."""

    name = "latest"
    type = Instant()
    inherit_cache = True


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
    given = ", ".join(f"COALESCE({compiler.process(each, **kw)}, '')" for each in element.clauses)
    return f"NULLIF(MAX({given}), '')"
