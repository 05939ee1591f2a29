"""How tasks go on that left their worker: with what happened, or with why they fail."""

from dataclasses import replace
from typing import Any, Final

from tradewind.model.json_value import JsonValue
from tradewind.model.method_arguments import problem_with_arguments
from tradewind.storage.interface.kept_stores import StoredDeferral

FAILED_METHOD: Final = "__fail__"
"""What a task goes on with after a wait that failed, for it to raise the error in a worker. The SDK knows the word."""
_FAILURE: Final = "Trigger failure"
_TIMEOUT: Final[JsonValue] = {"error": "Trigger timeout"}


def problem_with_method_arguments(method: str, given: object) -> str | None:
    """Why the method in which a task goes on cannot be called with what it left. None: it can."""
    return None if given is None else problem_with_arguments(f"the arguments of {method}()", given)


def with_event(deferral: StoredDeferral, event: Any) -> StoredDeferral:
    """The same, with the event among the arguments of the method that goes on.

    Who left what is no dict fails, in a worker, and alone: what is stored now was checked, but rows may be older.
    """
    problem = problem_with_method_arguments(deferral.next_method, deferral.next_kwargs)
    if problem is not None:
        return with_failure(deferral, (f"{problem}\n",))
    kwargs: Any = deferral.next_kwargs or {}
    return replace(deferral, next_kwargs={**kwargs, "event": event})


def with_failure(deferral: StoredDeferral, traceback: tuple[str, ...]) -> StoredDeferral:
    """The wait failed: the task raises, and its log says why."""
    return replace(deferral, next_method=FAILED_METHOD, next_kwargs=failure(traceback))


def with_timeout(deferral: StoredDeferral) -> StoredDeferral:
    """What it waited for did not happen in time."""
    return replace(deferral, next_method=FAILED_METHOD, next_kwargs=_TIMEOUT)


def failure(traceback: tuple[str, ...]) -> JsonValue:
    """What `FAILED_METHOD` is called with after a failure."""
    return {"error": _FAILURE, "traceback": list(traceback)}
