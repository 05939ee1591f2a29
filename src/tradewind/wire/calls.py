"""The methods of a class as messages: what their arguments and answers may be.

Derived from the class itself, so the two cannot drift apart. Arguments come from user code: whatever does not fit is
refused, on the side that receives it.
"""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from tradewind.model.task_answers import XComElement, XComResult

_FREE: Final = (Any, Sequence[Any])

Method = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Call:
    """How one method is called."""

    names: tuple[str, ...]
    """Of its arguments, in order."""
    free: frozenset[str]
    """Those that may be anything that JSON can say. They travel as its text: it knows numbers of any size."""
    arguments: type[msgspec.Struct]
    answer: Any


class Calls:
    """The methods of one interface. Worked out when the first is asked for."""

    def __init__(self, methods: Callable[[], Iterable[Method]], hints: Callable[[Method], Mapping[str, Any]]) -> None:
        """`hints` tells the types of a method's arguments and answer, with `Any` for what is the author's own."""
        self._methods = methods
        self._hints = hints
        self._known: dict[str, Call] = {}

    @property
    def known(self) -> Mapping[str, Call]:
        """All of them, by name."""
        if not self._known:
            self._known |= {method.__name__: _described(method, self._hints(method)) for method in self._methods()}
        return self._known

    def prepare(self) -> None:
        """Derive all of it now, before the process forks, so that no child has to."""
        for call in self.known.values():
            msgspec.json.Decoder(call.arguments)

    def encode_arguments(self, method: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> bytes:
        """The arguments of a call.

        Raises:
            TypeError: they do not fit the method, or are of a type that cannot be sent.
        """
        known = self.known[method]
        if len(args) > len(known.names):
            raise TypeError(f"{method} takes at most {len(known.names)} arguments")
        given = dict(zip(known.names, args, strict=False)) | dict(kwargs)
        for name in known.free & given.keys():
            given[name] = json.dumps(given[name])
        return msgspec.json.encode(given, enc_hook=_plain)

    def decode_arguments(self, method: str, data: bytes | str) -> dict[str, object]:
        """The same arguments, all of them.

        Raises:
            ValueError: there is no such method, or the arguments do not fit.
        """
        known = self.known.get(method)
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

    def encode_answer(self, method: str, answer: object) -> bytes:
        """What the method returned."""
        if isinstance(answer, XComResult):
            return msgspec.json.encode((answer.key, json.dumps(answer.value)))
        if isinstance(answer, XComElement):
            return msgspec.json.encode((answer.length, json.dumps(answer.value)))
        return msgspec.json.encode(json.dumps(answer) if self.known[method].answer in _FREE else answer)

    def decode_answer(self, method: str, data: bytes | str) -> Any:
        """What the method returns."""
        expected = self.known[method].answer
        if expected == XComResult | None:
            pair = msgspec.json.decode(data, type=tuple[str, str] | None)
            return None if pair is None else XComResult(pair[0], json.loads(pair[1]))
        if expected == XComElement | None:
            counted = msgspec.json.decode(data, type=tuple[int, str] | None)
            return None if counted is None else XComElement(json.loads(counted[1]), counted[0])
        if expected in _FREE:
            return json.loads(msgspec.json.decode(data, type=str))
        return msgspec.json.decode(data, type=expected)


def _described(method: Method, hints: Mapping[str, Any]) -> Call:
    parameters = [each for each in inspect.signature(method).parameters.values() if each.name != "self"]
    free = frozenset(each.name for each in parameters if hints[each.name] in _FREE)
    fields = [_field(each, str if each.name in free else hints[each.name]) for each in parameters]
    arguments = msgspec.defstruct(method.__name__, fields, forbid_unknown_fields=True, kw_only=True)
    return Call(tuple(each.name for each in parameters), free, arguments, hints["return"])


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
