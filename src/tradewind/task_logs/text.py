"""Messages of a log as text for a terminal."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tradewind.task_logs.lines import Message

_CAUSE: Final = "The above exception was the direct cause of the following exception:"
_CONTEXT: Final = "During handling of the above exception, another exception occurred:"
_KNOWN: Final = frozenset({"timestamp", "level", "event", "logger", "filename", "lineno", "error_detail", "stack"})
_RESET: Final = "\x1b[0m"
_COLOURS: Final = {"debug": "2", "warning": "33", "error": "31", "critical": "1;31"}
# Colours are the author's choice. All other sequences move the cursor, rename the window, fill the clipboard: what a
# log says must not take hold of the terminal of whoever reads it.
_ESCAPE: Final = re.compile(
    r"\x1b\[(?P<colour>[0-9;:]*m)|\x1b\[[0-?]*[ -/]*[@-~]?|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


def as_text(message: Message, *, has_colours: bool = False) -> str:
    """One message; several lines if it says so much."""
    timestamp, level, logger = (_clean(str(message.get(key) or "")) for key in ("timestamp", "level", "logger"))
    colour = _COLOURS.get(level) if has_colours else None
    shown_level = f"\x1b[{colour}m{level.upper()}{_RESET}" if colour else level.upper()
    head = " ".join(part for part in (timestamp.replace("T", " ", 1), shown_level, logger) if part)
    event = _clean(str(message.get("event", "")), has_colours=has_colours)
    fields = [_clean(f"{key}={_value(value)}") for key, value in message.items() if key not in _KNOWN]
    body = " ".join([event, *fields])
    details = [*_stack(message.get("stack")), *_errors(message.get("error_detail"))]
    return "\n".join([f"{head}: {body}" if head else body, *map(_clean, details)])


def _value(value: Any) -> str:
    return value if isinstance(value, str) and value and not value.isspace() else json.dumps(value, ensure_ascii=False)


def _clean(text: str, *, has_colours: bool = False) -> str:
    if "\r" in text:
        # A progress bar writes over itself: a terminal would show in the end what is behind the last carriage return.
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    if "\x1b" in text:
        text = _ESCAPE.sub(lambda found: found[0] if has_colours and found["colour"] else "", text)
        text = f"{text}{_RESET}" if "\x1b" in text else text
    return _CONTROL.sub("", text)


def _stack(stack: object) -> Iterator[str]:
    if isinstance(stack, str):
        yield from stack.split("\n")


def _errors(detail: object) -> Iterator[str]:
    """As Python prints them: what came first stands first."""
    before: dict[str, Any] | None = None
    for stack in reversed(list(_dicts(detail))):
        if before is not None:
            yield from ("", _CAUSE if before.get("is_cause") else _CONTEXT, "")
        yield from _error(stack)
        before = stack


def _error(stack: dict[str, Any]) -> Iterator[str]:
    yield "Traceback (most recent call last):"
    for frame in _dicts(stack.get("frames")):
        if frame.get("filename"):
            yield f'  File "{frame["filename"]}", line {frame.get("lineno")}, in {frame.get("name")}'
        else:
            yield f"  [{frame.get('name')}]"
    for syntax in _dicts([stack.get("syntax_error")]):
        yield f'  File "{syntax.get("filename")}", line {syntax.get("lineno")}'
        yield f"    {str(syntax.get('line', '')).strip()}"
    value = stack.get("exc_value")
    yield f"{stack.get('exc_type')}: {value}" if value else str(stack.get("exc_type"))
    yield from map(str, _list(stack.get("exc_notes")))
    for number, member in enumerate(_list(stack.get("exceptions")), start=1):
        yield f"  +---------------- {number} ----------------"
        yield from (f"  | {line}" for line in _errors(member))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _dicts(value: object) -> Iterator[dict[str, Any]]:
    """Of what should be a list of objects: whoever logs may put anything there."""
    return (each for each in _list(value) if isinstance(each, dict))
