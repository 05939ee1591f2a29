"""A closed JSON form of frozen dataclasses, derived from their annotations.

Closed means that only what the annotations name is read: an unknown key, kind, word or type is a `Mismatch`,
never ignored and never guessed at. The annotations are looked at once, by `closed_codec`; after that a value
is read by calling ready functions. The data cannot name a class: at most it chooses between those of a union.
"""

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from types import NoneType, UnionType
from typing import Final, Union, get_args, get_origin, get_type_hints

from tradewind.model.json_leaves import FREE_JSON, LEAVES, Codec, Mismatch, each, expected, shown
from tradewind.model.json_value import JsonValue

_KIND: Final = "kind"


def closed_codec(cls: type) -> Codec:
    """Derive the codec of a dataclass and all that it holds; a `TypeError` where there is no JSON form."""
    return _Builder().codec(cls)


class _Builder:
    """One derivation. It remembers the classes already met, because expressions contain themselves."""

    def __init__(self) -> None:
        self._records: dict[type, Codec] = {}

    def codec(self, hint: object) -> Codec:
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is tuple:
            return self._tuple(arguments)
        if origin is UnionType or origin is Union:
            return self._union(arguments)
        if not isinstance(hint, type):
            raise _no_form(hint)
        if hint in LEAVES:
            return LEAVES[hint]
        if issubclass(hint, StrEnum):
            return _words_of(hint)
        # A class that has a kind states it even where no other is possible yet: the field may become a union.
        return self._kinds((hint,)) if hasattr(hint, _KIND) else self._record(hint)

    def _tuple(self, arguments: tuple[object, ...]) -> Codec:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _sequence_of(self.codec(arguments[0]))
        return _row_of([self.codec(argument) for argument in arguments])

    def _union(self, members: tuple[object, ...]) -> Codec:
        records = tuple(member for member in members if isinstance(member, type) and is_dataclass(member))
        others = [member for member in members if member not in records and member is not NoneType]
        if len(records) + len(others) == 1:
            choice = self.codec((*records, *others)[0])
        elif not others:
            choice = self._kinds(records)
        elif others == [bool]:  # the one leaf that is used beside objects; JSON tells the two apart
            choice = _flag_or(self._union(records))
        else:
            raise _no_form(members)
        return _optional(choice) if NoneType in members else choice

    def _kinds(self, classes: tuple[type, ...]) -> Codec:
        by_kind: dict[str, Codec] = {}
        kind_of: dict[type, str] = {}
        for cls in classes:
            kind = getattr(cls, _KIND, None)
            if not isinstance(kind, str) or kind in by_kind:
                raise TypeError(f"{cls.__name__} needs a kind that no other member of its union has")
            by_kind[kind] = self._record(cls)
            kind_of[cls] = kind
        return _choice_of(by_kind, kind_of)

    def _record(self, cls: type) -> Codec:
        known = self._records.get(cls)
        if known is None:
            record = _Record(cls)
            known = self._records[cls] = Codec(record.encode, record.decode)
            record.derive(self)
        return known


class _Record:
    """The object form of one dataclass: a key per field, none for a field that has its default."""

    __slots__ = ("_class", "_decoders", "_required", "_writers")

    def __init__(self, cls: type) -> None:
        self._class = cls
        self._decoders: dict[str, Callable[[object], object]] = {}
        self._writers: list[tuple[str, object, Callable[[object], object]]] = []
        self._required: list[str] = []

    def derive(self, builder: _Builder) -> None:
        """Fill in the fields; apart from the constructor, so that a field may hold this very class."""
        if not is_dataclass(self._class):
            raise _no_form(self._class)
        hints = get_type_hints(self._class)
        for field in fields(self._class):
            codec = FREE_JSON if field.type is JsonValue else builder.codec(hints[field.name])
            self._decoders[field.name] = codec.decode
            self._writers.append((field.name, field.default, codec.encode))
            if field.default is MISSING:
                self._required.append(field.name)

    def encode(self, value: object) -> object:
        if type(value) is not self._class:
            raise expected(f"a {self._class.__name__}", value)
        written: dict[str, object] = {}
        for name, default, encode in self._writers:
            item: object = getattr(value, name)
            if item is default or item == default:
                continue
            try:
                written[name] = encode(item)
            except Mismatch as mismatch:
                mismatch.steps.append(f".{name}")
                raise
        return written

    def decode(self, value: object) -> object:
        if not isinstance(value, dict):
            raise expected("an object", value)
        decoders = self._decoders
        arguments: dict[str, object] = {}
        for key, item in value.items():
            decode = decoders.get(key)
            if decode is None:
                known = ", ".join(sorted(decoders)) or "no key"
                raise Mismatch(f"unknown key {shown(key)}; expected {known}")
            try:
                arguments[key] = decode(item)
            except Mismatch as mismatch:
                mismatch.steps.append(f".{key}")
                raise
        for name in self._required:
            if name not in arguments:
                raise Mismatch(f"missing key {name!r}")
        try:
            return self._class(**arguments)
        except ValueError as error:
            raise Mismatch(str(error)) from error


def _no_form(hint: object) -> TypeError:
    return TypeError(f"there is no closed JSON form for {hint}")


def _choice_of(by_kind: dict[str, Codec], kind_of: dict[type, str]) -> Codec:
    what = "one of " + ", ".join(map(repr, sorted(by_kind)))
    names = " or ".join(cls.__name__ for cls in kind_of)

    def encode(value: object) -> object:
        kind = kind_of.get(type(value))
        if kind is None:
            raise expected(names, value)
        written = by_kind[kind].encode(value)
        return written | {_KIND: kind} if isinstance(written, dict) else written

    def decode(value: object) -> object:
        if not isinstance(value, dict):
            raise expected("an object", value)
        if _KIND not in value:
            raise Mismatch(f"missing key {_KIND!r}")
        members = dict(value)
        kind = members.pop(_KIND)
        codec = by_kind.get(kind) if isinstance(kind, str) else None
        if codec is None:
            mismatch = expected(what, kind)
            mismatch.steps.append(f".{_KIND}")
            raise mismatch
        return codec.decode(members)

    return Codec(encode, decode)


def _sequence_of(item: Codec) -> Codec:
    def encode(value: object) -> object:
        if not isinstance(value, tuple):
            raise expected("a tuple", value)
        return each(item.encode, value)

    def decode(value: object) -> object:
        if not isinstance(value, list):
            raise expected("a list", value)
        return tuple(each(item.decode, value))

    return Codec(encode, decode)


def _row_of(items: list[Codec]) -> Codec:
    """A tuple of fixed length, each place with its own type."""

    def convert(places: list[Callable[[object], object]], values: object) -> list[object]:
        if not isinstance(values, list | tuple) or len(values) != len(places):
            raise expected(f"a list of length {len(places)}", values)
        remaining = iter(places)

        def convert_next(value: object) -> object:
            return next(remaining)(value)

        return each(convert_next, values)

    encoders = [item.encode for item in items]
    decoders = [item.decode for item in items]
    return Codec(lambda value: convert(encoders, value), lambda value: tuple(convert(decoders, value)))


def _words_of(enum: type[StrEnum]) -> Codec:
    members: dict[str, StrEnum] = {member.value: member for member in enum}
    what = "one of " + ", ".join(map(repr, sorted(members)))

    def decode(value: object) -> StrEnum:
        member = members.get(value) if isinstance(value, str) else None
        if member is None:
            raise expected(what, value)
        return member

    return Codec(lambda value: decode(value).value, decode)


def _flag_or(other: Codec) -> Codec:
    flag = LEAVES[bool]
    return Codec(
        lambda value: (flag if isinstance(value, bool) else other).encode(value),
        lambda value: (flag if isinstance(value, bool) else other).decode(value),
    )


def _optional(present: Codec) -> Codec:
    return Codec(
        lambda value: None if value is None else present.encode(value),
        lambda value: None if value is None else present.decode(value),
    )
