"""Values that have to be written as JSON: checked where the author gives them, so that the error names the place."""

import math
from typing import Any

from tradewind.model.json_value import JsonValue


def as_json(value: Any, what: str) -> JsonValue:
    """A copy of the value in which there is nothing but JSON. A `TypeError` says what is not, and where in `what`."""
    match value:
        case None | bool():
            return value
        case int():
            return int(value)
        case str():
            return str(value)
        case float():
            if not math.isfinite(value):
                raise TypeError(f"{what} is {value}, which JSON has no number for")
            return float(value)
        case list() | tuple():
            return [as_json(item, f"{what}[{number}]") for number, item in enumerate(value)]
        case dict():
            return {_key(key, what): as_json(item, f"{what}[{key!r}]") for key, item in value.items()}
        case _:
            raise TypeError(f"{what} is a {type(value).__name__}, which cannot be written as JSON")


def _key(key: Any, what: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{what} has the key {key!r}, but keys in JSON are texts")
    return str(key)
