"""Values of XComs for people and clients, without a class of their authors."""

import json
import math
from typing import Any, Final

_CLASS: Final = "__classname__"
_VERSION: Final = "__version__"
_DATA: Final = "__data__"
_LISTS: Final = frozenset({"builtins.tuple", "builtins.set", "builtins.frozenset"})


def readable(value: Any) -> Any:
    """What tasks serialized in words: `decimal.Decimal@version=1(1.5)` for an object with three odd keys."""
    if isinstance(value, list):
        return [readable(each) for each in value]
    if not isinstance(value, dict):
        return value
    if _CLASS not in value:
        return {key: readable(each) for key, each in value.items()}
    name, data = value[_CLASS], readable(value.get(_DATA))
    if name in _LISTS and isinstance(data, list):
        return data
    if isinstance(data, dict):
        inner = ",".join(f"{key}={as_text(each)}" for key, each in data.items())
    else:
        inner = as_text(data) or ""
    return f"{name}@version={value.get(_VERSION, 0)}({inner})"


def as_text(value: Any) -> str | None:
    """A text as it is, everything else as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def json_of(value: Any) -> bytes:
    """What every client can read: texts that are none in Unicode are escaped, and what is no number is null."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, separators=(",", ":")).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(each) for each in value]
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value
