"""All values of a column as one text, as an expression of each database."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class JsonList(FunctionElement[str]):
    """An aggregate: a list in JSON, in any order; absent or empty where there is nothing."""

    name = "json_list"
    type = sa.Text()
    inherit_cache = True


@compiles(JsonList, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **kw: Any) -> str:
    # As text: the driver would read it otherwise.
    return f"CAST(json_agg({compiler.process(element.clauses, **kw)}) AS TEXT)"


@compiles(JsonList, "mysql")
@compiles(JsonList, "mariadb")
def _on_mysql(element: Any, compiler: Any, **kw: Any) -> str:
    return f"JSON_ARRAYAGG({compiler.process(element.clauses, **kw)})"


@compiles(JsonList, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **kw: Any) -> str:
    return f"json_group_array({compiler.process(element.clauses, **kw)})"
