"""JSON of authors as text. Slower than `msgspec`, and loses nothing: integers of any size, NaN, lone surrogates."""

import json
from typing import Any


def to_text(value: object) -> str:
    """Escaped to ASCII: every database keeps every character of it as it is."""
    return json.dumps(value, separators=(",", ":"))


def to_optional_text(value: object) -> str | None:
    """Nothing for None."""
    return None if value is None else to_text(value)


def from_text(text: str) -> Any:
    """The reverse of `to_text`."""
    return json.loads(text)


def from_optional_text(text: str | None) -> Any:
    """The reverse of `to_optional_text`."""
    return None if text is None else json.loads(text)
