"""Every promise of the interface is held to: each method of each store is called somewhere in this suite (D7)."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

from tradewind.storage import interface


def _methods(protocol: type) -> Iterator[str]:
    return (name for name, _ in inspect.getmembers(protocol, inspect.isfunction) if not name.startswith("_"))


def _promised() -> set[str]:
    """`store.method` for all stores of a transaction, as the interface declares them."""
    promised: set[str] = set()
    for store, declared in inspect.getmembers(interface.Transaction, lambda member: isinstance(member, property)):
        protocol = get_type_hints(declared.fget)["return"]
        promised.update(f"{store}.{method}" for method in _methods(protocol))
    return promised


def _called() -> set[str]:
    """`store.method` for each call of the form `<anything>.store.method(...)` in the modules of this folder."""
    called = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Attribute)
            ):
                called.add(f"{node.func.value.attr}.{node.func.attr}")
    return called


def test_every_method_of_every_store_is_called_in_this_suite() -> None:
    promised = _promised()

    assert len(promised) > 80, "the interface was not understood"
    assert promised - _called() == set()
