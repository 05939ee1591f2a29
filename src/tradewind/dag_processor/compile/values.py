"""Python values as JSON.

Two ways, for two purposes. `exact` is for what is read back later (params, arguments of triggers): it refuses what JSON
cannot say. `shown` is for what people look at (template fields, executor configuration): anything has some text, and
the text is the same each time the file is read, because a new text would mean a new version of the DAG.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, time, timedelta
from enum import Enum
from math import isfinite
from typing import Any

from tradewind.model.json_value import JsonValue
from tradewind.sdk.template import LiteralValue
from tradewind.sdk.xcom_arg import ResolveMixin

_DEEPEST = 20
_LONGEST_TEXT = 100_000
_LONGEST_EXAMPLE = 100
_TEXTS = (str, bytes, float, datetime, date, time, timedelta, ResolveMixin)


class CompileError(ValueError):
    """Something in the DAG cannot be written down; the message names task and argument."""


def exact(value: Any, where: str) -> JsonValue:
    """The value itself, as JSON. `where` names it in the error."""
    match value:
        case Enum():
            return exact(value.value, where)
        case None | bool() | int() | str():
            return value
        case float() if isfinite(value):
            return value
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case Mapping():
            return {_key(key, where): exact(item, f"{where}[{key!r}]") for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            items = [exact(item, f"{where}[{index}]") for index, item in enumerate(value)]
            return sorted(items, key=repr) if isinstance(value, set | frozenset) else items
        case _:
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise CompileError(
                f"{where} is {_short(value)} of type {kind}, which cannot be stored:"
                " use texts, finite numbers, dates, lists and dicts"
            )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_EXAMPLE else text[:_LONGEST_EXAMPLE] + "…"


def _key(key: Any, where: str) -> str:
    """A key as JSON writes it: choices in forms are often labelled by numbers, yes and no, or nothing."""
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    if not isinstance(key, str | int | float):
        raise CompileError(f"{where} has the key {_short(key)}; keys have to be strings")
    return str(key)


def shown(value: Any, depth: int = 0) -> JsonValue:
    """The value as people want to see it."""
    if depth > _DEEPEST:
        return "…"
    match value:
        case Enum() | LiteralValue():
            return shown(value.value, depth)
        case None | bool() | int():
            return value
        case Mapping():
            return {str(key): shown(item, depth + 1) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            items = [shown(item, depth + 1) for item in value]
            return sorted(items, key=repr) if isinstance(value, set | frozenset) else items
        case _:
            return _text(value) if isinstance(value, _TEXTS) else _shown_object(value, depth)


def _text(value: Any) -> JsonValue:
    match value:
        case float():
            return value if isfinite(value) else str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case bytes():
            return value.decode(errors="replace")
        case _:
            text = str(value)
            return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "…"


def _shown_object(value: Any, depth: int) -> JsonValue:
    """Some text for any object, never one with an address in memory."""
    fields = getattr(value, "template_fields", None)
    if isinstance(fields, Iterable) and not isinstance(value, type):
        return {str(field): shown(getattr(value, str(field), None), depth + 1) for field in fields}
    to_dict = getattr(value, "to_dict", None)
    if callable(to_dict) and not isinstance(value, type):
        try:
            return shown(to_dict(), depth + 1)
        except Exception:  # it is somebody else's method, and only for show
            return f"<{name_of(value)}>"
    cls: Any = type(value)
    has_own_text = cls.__str__ is not object.__str__ and cls.__repr__ is not object.__repr__
    return str(value) if has_own_text else f"<{name_of(value)}>"


def name_of(thing: Any, own_file: str | None = None) -> str:
    """What a function or class is called; with its module, unless it is from the DAG file itself."""
    function = getattr(thing, "func", thing)  # functools.partial
    named = function if hasattr(function, "__qualname__") else type(function)
    code = getattr(function, "__code__", None)
    if code is not None and code.co_filename == own_file:
        return str(named.__qualname__)
    # Methods of built-in types, such as `str.upper`, say no module.
    return f"{getattr(named, '__module__', 'builtins')}.{named.__qualname__}"
