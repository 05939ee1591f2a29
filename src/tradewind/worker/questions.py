"""The methods of `sdk.runtime.Runtime` as messages."""

import inspect
import typing
from collections.abc import Iterator
from typing import Any, Final

from tradewind.model import task_answers
from tradewind.sdk import runtime
from tradewind.wire.calls import Calls, Method


def _methods() -> Iterator[Method]:
    for part in runtime.Runtime.__mro__:
        for name, method in vars(part).items():
            if part.__module__ == runtime.__name__ and inspect.isfunction(method) and not name.startswith("_"):
                yield method


def _hints(method: Method) -> dict[str, Any]:
    return typing.get_type_hints(method, vars(runtime) | vars(task_answers))


CALLS: Final = Calls(_methods, _hints)

encode_arguments: Final = CALLS.encode_arguments
decode_arguments: Final = CALLS.decode_arguments
encode_answer: Final = CALLS.encode_answer
decode_answer: Final = CALLS.decode_answer
prepare: Final = CALLS.prepare


def is_known(method: str) -> bool:
    """Whether there is such a method."""
    return method in CALLS.known
