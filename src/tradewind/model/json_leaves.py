"""The leaves of a closed JSON document: text, numbers, instants, and JSON whose shape is the author's own.

Writing is checked like reading: what could not be read again is never stored. `closed_json` builds on these.
"""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, NamedTuple

_SHOWN_CHARACTERS: Final = 60
_SHOWN_INTEGER: Final = 10**15

# RFC 3339 and nothing else: what `fromisoformat` takes beyond that differs between versions of Python.
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})"
)


class Mismatch(Exception):
    """A value that the schema does not allow. Each container adds its step to the path on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.steps: list[str] = []

    def path(self, root: str) -> str:
        """Where the value stands, such as `dag.tasks[3].retry.retries`."""
        return root + "".join(reversed(self.steps))


class Codec(NamedTuple):
    """Both directions of one type: to what `json` writes, and back."""

    encode: Callable[[object], object]
    decode: Callable[[object], object]


def shown(value: str) -> str:
    """A text from the data for an error message, cut short: it may be of any length."""
    return repr(value if len(value) <= _SHOWN_CHARACTERS else value[:_SHOWN_CHARACTERS] + "…")


def expected(what: str, found: object) -> Mismatch:
    """The error for a value that is something else, without the value itself where that could be long."""
    match found:
        case None:
            kind = "null"
        case bool():
            kind = "a boolean"
        case int():
            # A number of thousands of digits cannot even be printed: Python refuses.
            kind = f"the number {found}" if abs(found) < _SHOWN_INTEGER else "a very large integer"
        case float():
            kind = f"the number {found}"
        case str():
            kind = f"the string {shown(found)}"
        case list() | tuple():
            kind = f"a list of length {len(found)}"
        case dict():
            kind = "an object"
        case _:
            kind = f"a Python {type(found).__name__}"
    return Mismatch(f"expected {what}, found {kind}")


def each(convert: Callable[[object], object], values: list[object] | tuple[object, ...]) -> list[object]:
    """Convert every value; a mismatch learns the index at which it stood."""
    done: list[object] = []
    try:
        for value in values:
            done.append(convert(value))  # noqa: PERF401 - a comprehension would not know where it failed
    except Mismatch as mismatch:
        mismatch.steps.append(f"[{len(done)}]")
        raise
    return done


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise expected("a string", value)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            # Half of a surrogate pair: legal in JSON, but no database stores it.
            raise expected("a string of Unicode characters", value) from None
    return value


def _integer(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise expected("an integer", value)
    return value


def _number(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise expected("a number", value)
    try:
        number = float(value)
    except OverflowError:
        raise expected("a number within the range of a double", value) from None
    if not math.isfinite(number):
        raise expected("a finite number", value)
    return number + 0.0  # turns -0.0 into the 0.0 that it equals: equal DAGs have equal texts


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise expected("a boolean", value)
    return value


def _encode_instant(value: object) -> str:
    if not isinstance(value, datetime):
        raise expected("a datetime", value)
    if value.utcoffset() is None:
        raise Mismatch("expected a datetime with a time zone, found one without")
    try:
        # Called on the class: subclasses such as pendulum's have a spelling of their own.
        text = datetime.isoformat(datetime.astimezone(value, UTC))
    except OverflowError:
        raise Mismatch("expected a datetime between the years 1 and 9999 in UTC") from None
    return text.removesuffix("+00:00") + "Z"


def _decode_instant(value: object) -> datetime:
    what = "an ISO 8601 instant with its offset, such as '2024-01-31T12:00:00Z'"
    if not isinstance(value, str) or _INSTANT.fullmatch(value) is None:
        raise expected(what, value)
    try:
        return datetime.fromisoformat(value).astimezone(UTC)
    except (ValueError, OverflowError):
        raise expected(what, value) from None


def _free(value: object) -> object:
    match value:
        case None | bool() | int():
            return value
        case str():
            return _text(value)
        case float():
            # Not `_number`: here the author's 0 and 0.0 are two things.
            if not math.isfinite(value):
                raise expected("a finite number", value)
            return value
        case list():
            return each(_free, value)
        case dict():
            return dict(_free_item(key, item) for key, item in value.items())
        case _:
            raise expected("a JSON value", value)


def _free_item(key: object, value: object) -> tuple[str, object]:
    try:
        return _text(key), _free(value)
    except Mismatch as mismatch:
        mismatch.steps.append(f"[{shown(str(key))}]")
        raise


FREE_JSON: Final = Codec(_free, _free)
"""Whatever JSON can say. Copied both ways, so that nobody holds a part of a DAG that he can change."""

LEAVES: Final[dict[type, Codec]] = {
    str: Codec(_text, _text),
    int: Codec(_integer, _integer),
    float: Codec(_number, _number),
    bool: Codec(_boolean, _boolean),
    datetime: Codec(_encode_instant, _decode_instant),
}
