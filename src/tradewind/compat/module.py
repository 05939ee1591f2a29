"""What `import airflow.x` gives: a module that looks each name up when it is asked for."""

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from tradewind.compat.deprecation import warn_of_old_path
from tradewind.compat.table import MODULES, OPTIONAL_MODULES, Names, Place, gone, provider_of
from tradewind.sdk.operator_meta import OperatorMeta


class AirflowModule(ModuleType):
    """A module of Airflow. Its names are those of the table; what was looked up once stays."""

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("__tradewind_names__")
        if names is None or (name.startswith("__") and name not in {"__version__", "__all__"}):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if name == "__all__":
            return public_names(names)
        moved = names.moved(name)
        value = _find(self.__name__, names, name, moved)
        if moved is None or warn_of_old_path(self.__name__, name, moved.module, moved.name):
            self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python puts a module that was imported into the package around it. Some functions are called like a module
        # beside them (`task_group`), and whoever imports that name from the package wants the function.
        names = self.__dict__.get("__tradewind_names__")
        if isinstance(value, AirflowModule) and names is not None and name in names.named():
            return
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        names = self.__dict__.get("__tradewind_names__")
        return sorted({*self.__dict__, *(public_names(names) if names else ())})


def fill(module: ModuleType) -> None:
    """Make the module know its row of the table."""
    module.__dict__["__tradewind_names__"] = Names(module.__name__)


def public_names(names: Names) -> list[str]:
    """What `from airflow.x import *` brings, and what `dir` shows."""
    found = {name for name in names.named() if not name.startswith("_")}
    for path in names.whole_modules():
        module = import_module(path)
        found.update(getattr(module, "__all__", None) or (name for name in vars(module) if not name.startswith("_")))
    return sorted(found)


def _find(module: str, names: Names, name: str, moved: Place | None) -> Any:
    for place in names.current(name):
        found = _look(place)
        if found is not None:
            return found[0]
    if moved is not None:
        found = _look(moved)
        if found is not None:
            return _with_old_spellings(found[0])
    below = f"{module}.{name}"
    if below in MODULES or below in OPTIONAL_MODULES:
        return import_module(below)
    hint = gone(module, name)
    if hint is None and module in OPTIONAL_MODULES:
        hint = f"it comes with a provider package: `tradewind providers install {provider_of(module)}`"
    if hint is not None:
        # Not an AttributeError: Python would replace its text by "cannot import name".
        raise ImportError(f"cannot import {name!r} from {module!r}: {hint}", name=module)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def _with_old_spellings(value: Any) -> Any:
    """Whoever imports an operator by an old path may give it arguments by their old names too."""
    if not isinstance(value, OperatorMeta):
        return value
    # It brings all of the operator's own imports with it, so it is loaded only now.
    return import_module("tradewind.compat.adapters.operator").with_old_arguments(value)


def _look(place: Place) -> Sequence[Any] | None:
    """The object at a place, in a list of its own, since it may be None."""
    module = import_module(place.module)
    if place.name == ".":
        return [module]
    try:
        return [getattr(module, place.name)]
    except AttributeError:
        return None
