"""Classes and functions that can be imported, named in annotations and inherited from, but not used."""

from abc import ABCMeta
from collections.abc import Callable
from typing import Any, Final, NoReturn

# What Python and its tools ask any class for.
_HARMLESS: Final = frozenset({"metadata", "registry"})


class StandInUsed(AttributeError, RuntimeError):
    """Something was used that the code of DAGs and tasks cannot have; the message says what to use instead.

    An `AttributeError` too, so that `hasattr` and the like answer "no" rather than fail.
    """


class StandInClass(ABCMeta):
    """The class of stand-in classes: every name that is looked up on one of them gives the reason."""

    reason: str

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_") or name in _HARMLESS:
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        raise StandInUsed(f"{cls.__name__}.{name}: {cls.reason}")

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise StandInUsed(f"{cls.__name__}(): {cls.reason}")


def stand_in_class(name: str, module: str, reason: str) -> type:
    """A class that refuses to be used, for this reason."""
    return StandInClass(name, (), {"__module__": module, "__doc__": reason, "reason": reason})


def stand_in_function(name: str, module: str, reason: str) -> Callable[..., NoReturn]:
    """A function that refuses to be called, for this reason."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise StandInUsed(f"{name}(): {reason}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__module__ = module
    refuse.__doc__ = reason
    return refuse


def stand_in(name: str, module: str, reason: str) -> Any:
    """A class or a function, by the look of the name."""
    make = stand_in_class if name.lstrip("_")[:1].isupper() else stand_in_function
    return make(name, module, reason)
