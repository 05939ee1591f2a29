"""What tasks may ask for, as messages: the methods of `operations.task_requests.StoredRuntime`.

Their twin is `worker.questions`, which is derived from the SDK. A test compares both.
"""

import functools
import inspect
import operator
import types
import typing
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from tradewind.model.json_value import JsonValue
from tradewind.operations.task_requests.request import TaskRequest
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.wire.calls import Calls, Method


def _methods() -> Iterator[Method]:
    for part in StoredRuntime.__mro__:
        if issubclass(part, TaskRequest) and part is not TaskRequest:
            for name, method in vars(part).items():
                if inspect.isfunction(method) and not name.startswith("_"):
                    yield method


def _hints(method: Method) -> dict[str, Any]:
    return {name: _opened(hint) for name, hint in inspect.get_annotations(method).items()}


def _opened(hint: Any) -> Any:
    """The same type, with anything at all in place of what is the author's own."""
    if hint == JsonValue or hint is object:
        return Any
    parts = typing.get_args(hint)
    if not parts:
        return hint
    if isinstance(hint, types.UnionType):
        # An instant is a text, to JSON.
        kinds = [each for each in parts if each is not str or datetime not in parts]
        return functools.reduce(operator.or_, map(_opened, kinds))
    return typing.get_origin(hint)[tuple(map(_opened, parts))]


CALLS: Final = Calls(_methods, _hints)
