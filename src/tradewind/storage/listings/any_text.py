"""Columns of plain ASCII, asked for with any text."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class any_text(FunctionElement[str]):  # noqa: N801 - reads like a word of SQL
    """The column, comparable with texts that it could not hold: MySQL would refuse to look for one."""

    type = sa.String()
    inherit_cache = True
    name = "any_text"


@compiles(any_text)
def _column(element: any_text, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.clauses, **options)


@compiles(any_text, "mysql")
def _mysql(element: any_text, compiler: SQLCompiler, **options: Any) -> str:
    # No index answers to it. Those who ask by patterns have none anyway, and assets are not many.
    return f"CONVERT({compiler.process(element.clauses, **options)} USING utf8mb4) COLLATE utf8mb4_bin"
