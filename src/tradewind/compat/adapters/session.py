"""Sessions of the metadata database, which no code of a DAG or task may have.

Decorating with `provide_session` works, since provider packages do it to functions that nobody calls; calling such a
function without a session of one's own does not.
"""

import functools
import inspect
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Final, ParamSpec, TypeVar

from tradewind.compat.adapters.stand_in import StandInUsed

P = ParamSpec("P")
R = TypeVar("R")

NEW_SESSION: Final[Any] = None

_REASON: Final = (
    "the metadata database cannot be reached from the code of DAGs and tasks; use the task's context (ti, dag_run),"
    " Variable, BaseHook.get_connection(), or the REST API (/api/v2)"
)


def provide_session(func: Callable[P, R]) -> Callable[P, R]:
    """Decorator of functions with a parameter `session`: they run with one that they are given, and with no other."""
    parameters = inspect.signature(func).parameters
    if "session" not in parameters:
        raise ValueError(f"function {func.__qualname__} has no parameter 'session'")
    position = list(parameters).index("session")

    @functools.wraps(func)
    def with_given_session(*args: P.args, **kwargs: P.kwargs) -> R:
        if len(args) <= position and kwargs.get("session") is None:
            raise StandInUsed(f"{func.__qualname__}() needs a session: {_REASON}")
        return func(*args, **kwargs)

    return with_given_session


def create_session(scoped: bool = True) -> AbstractContextManager[Any]:
    """Refused: there is no session to be had."""
    raise StandInUsed(f"create_session(): {_REASON}")


def create_session_async() -> AbstractAsyncContextManager[Any]:
    """Refused: there is no session to be had."""
    raise StandInUsed(f"create_session_async(): {_REASON}")


class Unreachable:
    """What `airflow.settings.Session` and `.engine` are: every use of them says why not."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise StandInUsed(f"{self._name}(): {_REASON}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise StandInUsed(f"{self._name}.{name}: {_REASON}")

    def __repr__(self) -> str:
        return f"<{self._name}: cannot be reached from user code>"
