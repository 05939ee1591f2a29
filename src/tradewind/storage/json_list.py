"""All values of a group as one JSON list: of tens of thousands, to fetch a row each takes longer than to find them."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class json_list(FunctionElement[str]):  # noqa: N801 - reads like a word of SQL
    """As text. Two of them in one statement have their values in the same order."""

    inherit_cache = True
    type = sa.Text()

    def __init__(self, column: sa.ColumnElement[Any]) -> None:
        super().__init__(column)


@compiles(json_list, "sqlite")
def _sqlite(element: json_list, compiler: SQLCompiler, **options: Any) -> str:
    return f"json_group_array({compiler.process(element.clauses, **options)})"


@compiles(json_list, "postgresql")
def _postgresql(element: json_list, compiler: SQLCompiler, **options: Any) -> str:
    # As text: what the driver would make of it, it makes in Python.
    return f"CAST(json_agg({compiler.process(element.clauses, **options)}) AS TEXT)"


@compiles(json_list, "mysql")
def _mysql(element: json_list, compiler: SQLCompiler, **options: Any) -> str:
    # MariaDB cuts it off after `group_concat_max_len`, which each of our connections raises.
    return f"JSON_ARRAYAGG({compiler.process(element.clauses, **options)})"
