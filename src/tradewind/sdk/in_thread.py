"""What the asynchronous forms of the SDK's methods do: call the plain one in a thread."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of the call, without keeping the event loop waiting."""
    # Who awaits this has loaded it. All others, which are nearly all tasks, can do without.
    to_thread: Any = import_module("asyncio").to_thread
    result: T = await to_thread(function, *args, **kwargs)
    return result
