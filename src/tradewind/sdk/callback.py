"""Callbacks of deadlines: functions named by their path, because another process calls them."""

import inspect
import logging
from collections.abc import Callable
from typing import Any

from tradewind.sdk.module_loading import import_string, is_valid_dotpath

log = logging.getLogger(__name__)

_RESERVED = "context"


class StoredPath(str):
    """A path that was checked when its callback was written: building the callback again imports nothing."""

    __slots__ = ()


class Callback:
    """A function and its arguments. It gets the context as an argument besides."""

    path: str
    kwargs: dict[str, Any]

    def __init__(self, callback_callable: Callable[..., Any] | str, kwargs: dict[str, Any] | None = None) -> None:
        self.path = self.get_callback_path(callback_callable)
        if _RESERVED in (kwargs or {}):
            raise ValueError(f"the callback {self.path} cannot be given {_RESERVED!r}: Tradewind gives that argument")
        self.kwargs = kwargs or {}

    @classmethod
    def get_callback_path(cls, _callback: Callable[..., Any] | str) -> str:
        """Where the function can be imported from."""
        if isinstance(_callback, StoredPath):
            return str(_callback)
        if isinstance(_callback, str):
            return cls._checked_path(_callback.strip())
        if not callable(_callback):
            raise TypeError(f"a callback is a function or the path of one, not {_callback!r}")
        cls.verify_callable(_callback)
        name = getattr(_callback, "__qualname__", None)
        if name is None or "<" in name:
            raise ValueError(
                f"the callback {_callback!r} cannot be imported by another process; define it at the top of a module"
            )
        return f"{_callback.__module__}.{name}"

    @classmethod
    def _checked_path(cls, path: str) -> str:
        if not is_valid_dotpath(path) or "." not in path:
            raise ImportError(f"the callback {path!r} is no path of the form package.module.function")
        try:
            found = import_string(path)
        except ImportError as error:
            # It may well exist where it is going to run.
            log.debug("the callback %s cannot be imported here: %s", path, error)
            return path
        if not callable(found):
            raise AttributeError(  # noqa: TRY004 - an AttributeError, as in Airflow
                f"the callback {path} cannot be called: it is {found!r}"
            )
        cls.verify_callable(found)
        return path

    @classmethod
    def verify_callable(cls, callback: Callable[..., Any]) -> None:
        """Raise if the function cannot be used for this kind of callback."""

    @classmethod
    def serialized_fields(cls) -> tuple[str, ...]:
        """What is stored."""
        return ("path", "kwargs")

    def serialize(self) -> dict[str, Any]:
        """What `deserialize` needs."""
        return {name: getattr(self, name) for name in self.serialized_fields()}

    @classmethod
    def deserialize(cls, data: dict[str, Any], version: int) -> "Callback":  # noqa: ARG003 - there is only one version
        """The callback again, without importing its function."""
        arguments = dict(data)
        return cls(StoredPath(arguments.pop("path")), **arguments)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self.path))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.serialize().items())
        return f"{type(self).__name__}({arguments})"


class AsyncCallback(Callback):
    """Runs in the triggerer, which awaits it: an async function, or a notifier with `async_notify`."""

    def __init__(self, callback_callable: Callable[..., Any] | str, kwargs: dict[str, Any] | None = None) -> None:
        super().__init__(callback_callable, kwargs)

    @classmethod
    def verify_callable(cls, callback: Callable[..., Any]) -> None:
        """Raise if it cannot be awaited."""
        if not inspect.iscoroutinefunction(callback) and not hasattr(callback, "__await__"):
            raise AttributeError(
                f"the callback {callback!r} cannot be awaited; write it with async def, or use SyncCallback"
            )


class SyncCallback(Callback):
    """Runs as work of an executor: the named one, or the default."""

    executor: str | None

    def __init__(
        self,
        callback_callable: Callable[..., Any] | str,
        kwargs: dict[str, Any] | None = None,
        executor: str | None = None,
    ) -> None:
        super().__init__(callback_callable, kwargs)
        self.executor = executor

    @classmethod
    def serialized_fields(cls) -> tuple[str, ...]:
        """What is stored."""
        return (*super().serialized_fields(), "executor")
