"""The methods of `sdk.runtime.Runtime` as messages: what their arguments and answers may be.

Derived from the protocol itself, so the two cannot drift apart. Arguments come from user code: whatever does not fit is
refused, on the side that receives it.
"""

import inspect
import json
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from tradewind.model import task_answers
from tradewind.model.task_answers import XComElement, XComResult
from tradewind.sdk import runtime

TOLD: Final = frozenset({"set_xcom", "set_rendered_fields", "set_rendered_map_index"})
"""Methods that need no answer: what they write is there before anything else that the task asks for is answered, and
stored together with the end of the attempt. An attempt whose words could not be stored does not succeed."""

_FREE: Final = (Any, Sequence[Any])
_METHODS: Final[dict[str, "_Method"]] = {}


@dataclass(frozen=True, slots=True)
class _Method:
    """How one method is called."""

    names: tuple[str, ...]
    """Of its arguments, in order."""
    free: frozenset[str]
    """Those that may be anything that JSON can say. They travel as its text: it knows numbers of any size."""
    arguments: type[msgspec.Struct]
    answer: Any


def encode_arguments(method: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> bytes:
    """The arguments of a call.

    Raises:
        TypeError: they do not fit the method, or are of a type that cannot be sent.
    """
    known = _known()[method]
    if len(args) > len(known.names):
        raise TypeError(f"{method} takes at most {len(known.names)} arguments")
    given = dict(zip(known.names, args, strict=False)) | dict(kwargs)
    for name in known.free & given.keys():
        given[name] = json.dumps(given[name])
    return msgspec.json.encode(given, enc_hook=_plain)


def decode_arguments(method: str, data: bytes) -> dict[str, object]:
    """The same arguments, all of them.

    Raises:
        ValueError: there is no such method, or the arguments do not fit.
    """
    known = _known().get(method)
    if known is None:
        raise ValueError(f"there is nothing called {method!r} to ask for")
    struct = msgspec.json.decode(data, type=known.arguments)
    given = {name: getattr(struct, name) for name in known.names}
    for name in known.free:
        try:
            given[name] = json.loads(given[name])
        except RecursionError as error:
            raise ValueError(f"{name} is nested too deeply") from error
    return given


def encode_answer(method: str, answer: object) -> bytes:
    """What the method returned."""
    if isinstance(answer, XComResult):
        return msgspec.json.encode((answer.key, json.dumps(answer.value)))
    if isinstance(answer, XComElement):
        return msgspec.json.encode((answer.length, json.dumps(answer.value)))
    return msgspec.json.encode(json.dumps(answer) if _known()[method].answer in _FREE else answer)


def decode_answer(method: str, data: bytes) -> Any:
    """What the method returns."""
    expected = _known()[method].answer
    if expected == XComResult | None:
        pair = msgspec.json.decode(data, type=tuple[str, str] | None)
        return None if pair is None else XComResult(pair[0], json.loads(pair[1]))
    if expected == XComElement | None:
        counted = msgspec.json.decode(data, type=tuple[int, str] | None)
        return None if counted is None else XComElement(json.loads(counted[1]), counted[0])
    if expected in _FREE:
        return json.loads(msgspec.json.decode(data, type=str))
    return msgspec.json.decode(data, type=expected)


def is_known(method: str) -> bool:
    """Whether there is such a method."""
    return method in _known()


def prepare() -> None:
    """Derive all of it now, before the process forks, so that no child has to."""
    for method in _known().values():
        msgspec.json.Decoder(method.arguments)


def _known() -> dict[str, _Method]:
    if not _METHODS:
        names = vars(runtime) | vars(task_answers)
        for part in runtime.Runtime.__mro__:
            for name, method in vars(part).items():
                if part.__module__ == runtime.__name__ and inspect.isfunction(method) and not name.startswith("_"):
                    _METHODS[name] = _described(name, method, names)
    return _METHODS


def _described(name: str, method: Any, names: dict[str, Any]) -> _Method:
    hints = typing.get_type_hints(method, names)
    parameters = [each for each in inspect.signature(method).parameters.values() if each.name != "self"]
    free = frozenset(each.name for each in parameters if hints[each.name] in _FREE)
    fields = [_field(each, str if each.name in free else hints[each.name]) for each in parameters]
    arguments = msgspec.defstruct(name, fields, forbid_unknown_fields=True, kw_only=True)
    return _Method(tuple(each.name for each in parameters), free, arguments, hints["return"])


def _field(parameter: inspect.Parameter, kind: Any) -> Any:
    if parameter.default is inspect.Parameter.empty:
        return parameter.name, kind
    return parameter.name, kind, parameter.default


def _plain(value: object) -> object:
    """What Python's own types are to the wire, so are types derived from them, such as pendulum's."""
    if isinstance(value, datetime):
        return datetime.fromisoformat(value.isoformat())
    for kind in (timedelta, str, int, float, Mapping, Sequence):
        if isinstance(value, kind):
            return _BUILT[kind](value)
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be sent")


_BUILT: Final[dict[type, Callable[[Any], object]]] = {
    timedelta: lambda value: timedelta(days=value.days, seconds=value.seconds, microseconds=value.microseconds),
    str: str.__str__,
    int: int,
    float: float,
    Mapping: dict,
    Sequence: list,
}
