"""Template fields as people see them after rendering: plain JSON, without secrets, and not too long."""

import json
from collections.abc import Mapping
from typing import Any, Final

from tradewind.model.json_value import JsonValue
from tradewind.sdk.configuration import conf
from tradewind.sdk.secrets_masker import redact

_DEEPEST: Final = 20


def rendered_fields(task: Any) -> dict[str, JsonValue]:
    """All template fields of a task, as they are now."""
    longest = conf.getint("core", "max_templated_field_length", fallback=4096)
    return {field: _shortened(redact(_plain(getattr(task, field, None)), field), longest) for field in _fields(task)}


def _fields(task: Any) -> list[str]:
    return [str(field) for field in task.template_fields]


def _plain(value: Any, depth: int = 0) -> JsonValue:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth < _DEEPEST:
        if isinstance(value, Mapping):
            return {str(key): _plain(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [_plain(item, depth + 1) for item in value]
        if isinstance(value, set | frozenset):
            return sorted((_plain(item, depth + 1) for item in value), key=repr)
    try:
        return str(value)
    except Exception as error:  # an author's own __str__, and only for show
        return f"<{type(value).__name__}, which cannot be shown: {type(error).__name__}>"


def _shortened(value: JsonValue, longest: int) -> JsonValue:
    text = value if isinstance(value, str) else json.dumps(value)
    if len(text) <= longest:
        return value
    return f"{text[:longest]}… (cut off after {longest} characters: [core] max_templated_field_length)"
