"""How a package says where its classes have moved: `add_deprecated_classes` of Airflow."""

import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from tradewind.compat.deprecation import warn_of_old_path


def add_deprecated_classes(
    module_imports: Mapping[str, Mapping[str, str]],
    package: str,
    override_deprecated_classes: Mapping[str, Mapping[str, str]] | None = None,
    extra_message: str | None = None,
    message: str | None = None,
) -> None:
    """Let names of old modules (or of the package itself) be found at their new paths, with a note.

    Args:
        module_imports: module below the package, or the package's own name -> {name: new path}. The name `*` is the
            package or module as a whole.
        package: the package that says so.
    """
    for name, paths in module_imports.items():
        if name == package:
            sys.modules[package].__getattr__ = _Moved(package, paths)  # type: ignore[method-assign]
            continue
        full_name = f"{package}.{name}"
        module = ModuleType(full_name)
        module.__getattr__ = _Moved(full_name, paths)  # type: ignore[method-assign]
        sys.modules[full_name] = module


def getattr_with_deprecation(
    imports: Mapping[str, str],
    module: str,
    override_deprecated_classes: Mapping[str, str],
    extra_message: str,
    name: str,
    message: str | None = None,
) -> Any:
    """A name of a module whose names have moved."""
    return _Moved(module, imports)(name)


class _Moved:
    """The `__getattr__` of a module whose names have moved."""

    def __init__(self, module: str, paths: Mapping[str, str]) -> None:
        self._module = module
        self._paths = paths

    def __call__(self, name: str) -> Any:
        path = self._paths.get(name) or self._paths.get("*")
        if path is None or name.startswith("__"):
            raise AttributeError(f"module {self._module!r} has no attribute {name!r}")
        if name not in self._paths:
            path = f"{path}.{name}"
        new_module, _, new_name = path.rpartition(".")
        warn_of_old_path(self._module, name, new_module, new_name)
        return getattr(import_module(new_module), new_name)
