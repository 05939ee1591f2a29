"""Long answers, encoded without a look at each field."""

import json
from typing import Any, Final, TypeVar, cast

import msgspec
from fastapi import Response

T = TypeVar("T")

_NO_FIELDS: Final = msgspec.Raw(b"{}")
_NO_NUMBERS: Final = ("NaN", "Infinity")


def encoded(kind: type[T], values: dict[str, Any]) -> T:  # noqa: ARG001 - for the types
    """The answer of this kind that has these values: for lists of thousands, of which checking every field would take
    longer than reading them. The names must be those that clients know, and the values of their types.

    What comes back is the finished response, which is sent as it is (see `operation`), in the place of the kind that
    the route declares.
    """
    return cast("T", Response(msgspec.json.encode(values), media_type="application/json"))


def raw_object(text: str | None) -> msgspec.Raw:
    """JSON of authors as it was stored, for which there is no need to be read and written again; none is `{}`."""
    if not text:
        return _NO_FIELDS
    if any(word in text for word in _NO_NUMBERS):
        # Python writes them so, and JSON has no word for them. (In a text, they come back as they were.)
        text = json.dumps(json.loads(text, parse_constant=lambda _: None))
    return msgspec.Raw(text.encode())
