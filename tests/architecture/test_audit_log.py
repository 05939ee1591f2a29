"""Who may touch the audit log (D6)."""

import ast

from tests.architecture.sources import python_files, relative

TABLE = "audit_log"
ALLOWED = {
    "src/tradewind/storage/audit.py": "adds entries",
    "src/tradewind/storage/listings/event_logs.py": "shows them",
    "src/tradewind/storage/pruning.py": "deletes old ones, for `db clean`",
    "src/tradewind/storage/schema/__init__.py": "hands the table on",
}


def test_nobody_else_has_the_table_of_the_audit_log() -> None:
    """Append only: what has no hold of the table neither changes nor deletes an entry."""
    found = {
        relative(path)
        for path in python_files("src")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and TABLE in {alias.name for alias in node.names}
    }

    assert found == set(ALLOWED)


def test_what_adds_entries_does_nothing_else_to_them() -> None:
    path = next(each for each in python_files("src") if relative(each) == "src/tradewind/storage/audit.py")
    calls = {
        node.func.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and any(isinstance(argument, ast.Name) and argument.id == TABLE for argument in node.args)
    }

    assert calls == {"insert"}
