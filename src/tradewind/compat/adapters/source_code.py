"""The source of a function, for showing it."""

import functools
import inspect
from pathlib import Path
from typing import Any


def get_python_source(x: Any, return_none_if_x_none: bool = False) -> str | None:
    """The source text of a function, method, class or object; a sentence if there is none."""
    if x is None:
        return None if return_none_if_x_none else "No source code available for <class 'NoneType'>"
    if isinstance(x, functools.partial):
        return inspect.getsource(x.func)
    for candidate in (x, type(x)):
        try:
            return inspect.getsource(candidate)
        except (TypeError, OSError):
            continue
    return f"No source code available for {type(x)}"


def prepare_code_snippet(file_path: str, line_no: int, context_lines_count: int = 5) -> str:
    """The lines around a line of a file, numbered, with an arrow at it."""
    lines = Path(file_path).read_text(encoding="utf-8").splitlines()
    first = max(line_no - context_lines_count, 1)
    chosen = enumerate(lines[first - 1 : line_no + context_lines_count], first)
    return "\n".join(f"{'-> ' if number == line_no else '   '}{number:>4} {text}" for number, text in chosen)
