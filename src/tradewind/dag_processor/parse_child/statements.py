"""Runs a module statement by statement, to say which of them takes long."""

import __future__

import ast
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from types import CodeType, ModuleType
from typing import Final

from tradewind.dag_processor.protocol import Notice

SLOW_S: Final = 0.5
_ALL_FUTURES: Final[int] = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


def run_statements(name: str, file: str, tree: ast.Module) -> tuple[ModuleType, list[Notice]]:
    """Import a module, and tell of the statements at its top level that take long."""
    spec = spec_from_file_location(name, file)
    assert spec is not None
    module = module_from_spec(spec)
    module.__doc__ = ast.get_docstring(tree)
    sys.modules[name] = module
    slow: list[Notice] = []
    flags = _future_flags(tree, file)
    for statement in tree.body:
        code = compile(ast.Module([statement], type_ignores=[]), file, "exec", flags=flags, dont_inherit=True)
        began = time.perf_counter()
        exec(code, vars(module))  # noqa: S102 - running the author's file is what this process is for
        spent_s = time.perf_counter() - began
        if spent_s >= SLOW_S:
            slow.append(Notice("slow_statement", _message(statement, spent_s), statement.lineno))
    return module, slow


def _future_flags(tree: ast.Module, file: str) -> int:
    """What `from __future__ import ...` at the top of the file means for all the rest of it."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == __future__.__name__]
    code: CodeType = compile(ast.Module([*imports], type_ignores=[]), file, "exec", dont_inherit=True)
    return code.co_flags & _ALL_FUTURES


def _message(statement: ast.stmt, spent_s: float) -> str:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return f"this import takes {spent_s:.1f} s each time the file is read: import it inside the task that uses it"
    return f"this takes {spent_s:.1f} s each time the file is read: do it inside a task"
