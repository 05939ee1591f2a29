"""Objects by their dotted path, and dotted paths of objects."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Final

_DOTTED_PATH: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


def import_string(dotted_path: str) -> Any:
    """The object at `package.module.name`. Classes inside classes are found too."""
    if "." not in dotted_path:
        raise ImportError(f"{dotted_path!r} is no path of the form package.module.name")
    parts = dotted_path.split(".")
    # The longest part that is a module comes first; what follows are names in it.
    for length in range(len(parts) - 1, 0, -1):
        module_path = ".".join(parts[:length])
        try:
            found: Any = import_module(module_path)
        except ModuleNotFoundError as error:
            if length > 1 and error.name is not None and _is_within(module_path, error.name):
                continue  # perhaps its last part is a class
            raise
        for name in parts[length:]:
            try:
                found = getattr(found, name)
            except AttributeError:
                raise ImportError(f"module {module_path!r} has no {'.'.join(parts[length:])!r}") from None
        return found
    raise ImportError(f"{dotted_path!r} cannot be imported")


def _is_within(path: str, missing: str) -> bool:
    """Whether the missing module is the asked one or a package around it, and not something that it imports."""
    return path == missing or path.startswith(f"{missing}.")


def qualname(o: Any, use_qualname: bool = False, exclude_module: bool = False) -> str:
    """The path of a class, a function, or of the class of any other object."""
    if isinstance(o, partial):
        return qualname(o.func, use_qualname, exclude_module)
    if not (callable(o) and hasattr(o, "__name__") and getattr(o, "__module__", None)):
        o = type(o)
        use_qualname = True
    if exclude_module:
        return str(getattr(o, "__qualname__", o.__name__))
    return f"{o.__module__}.{getattr(o, '__qualname__', o.__name__) if use_qualname else o.__name__}"


def is_valid_dotpath(path: object) -> bool:
    """Whether a text looks like a dotted path."""
    return isinstance(path, str) and _DOTTED_PATH.fullmatch(path) is not None


def iter_namespace(ns: ModuleType) -> Iterator[pkgutil.ModuleInfo]:
    """The modules of a package."""
    return pkgutil.iter_modules(ns.__path__, f"{ns.__name__}.")


def accepts_context(callback: Callable[..., Any]) -> bool:
    """Whether a callback takes an argument called `context`, or any."""
    parameters = _parameters(callback)
    return (
        parameters is None
        or "context" in parameters
        or any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    )


def accepts_keyword_args(func: Callable[..., Any]) -> bool:
    """Whether a function takes any argument by name."""
    by_name = (
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
        inspect.Parameter.VAR_KEYWORD,
    )
    parameters = _parameters(func)
    return parameters is None or any(parameter.kind in by_name for parameter in parameters.values())


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter] | None:
    """The parameters; `None` for what cannot be looked into, such as a function written in C."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
