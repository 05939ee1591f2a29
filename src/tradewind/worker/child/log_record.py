"""Log records as data, as they stand in the log of a task."""

import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tradewind.sdk.log import shown_fields
from tradewind.sdk.secrets_masker import redact
from tradewind.wire.lines import cut
from tradewind.worker.child.error_detail import error_detail

Record = dict[str, object]

_OF_EVERY_RECORD: Final = frozenset(logging.makeLogRecord({}).__dict__)
_NOT_EXTRA: Final = _OF_EVERY_RECORD | {"message", "asctime", "fields"}
_DEEPEST: Final = 8
_LARGEST_NUMBER: Final = 2**63


def described(record: logging.LogRecord) -> list[Record]:
    """A record as data, without secrets; several where its text is too long for one."""
    fields = record.__dict__.get("fields")
    event = record.getMessage()
    if isinstance(fields, Mapping):
        # They stand at the end of the text for those who see only that.
        event = event.removesuffix(shown_fields(fields))
    told: Record = {
        "timestamp": datetime.fromtimestamp(record.created, UTC),
        "level": record.levelname.lower(),
        "event": redact(event),
        "logger": record.name,
        "filename": record.filename,
        "lineno": record.lineno,
    }
    if len(record.__dict__) > len(_OF_EVERY_RECORD):
        told |= {name: value for name, value in _extra(record, fields).items() if name not in told}
    if record.exc_info and record.exc_info[1] is not None:
        told["error_detail"] = error_detail(record.exc_info[1], redact, record.exc_info[2])
    if record.stack_info:
        told["stack"] = redact(record.stack_info)
    return [{**told, "event": part} for part in cut([str(told["event"])])]


def _extra(record: logging.LogRecord, fields: object) -> Record:
    """What the author added: structured fields, and what was given as `extra`."""
    extra = {name: value for name, value in record.__dict__.items() if name not in _NOT_EXTRA and name[:1] != "_"}
    if isinstance(fields, Mapping):
        extra.update(fields)
    hidden: Record = redact(_plain(extra))
    return hidden


def as_line(record: Record) -> str:
    """A record as text, for where only text is read."""
    text = f"[{record['level']}] {record['logger']}: {record['event']}"
    stacks: Any = record.get("error_detail", ())
    return "\n".join([text, *(f"{stack['exc_type']}: {stack['exc_value']}" for stack in stacks)]) + "\n"


def plain_record(record: Record) -> Record:
    """The same with texts that can be written down in every encoding."""
    return {_text(name): _plain(value, is_text_checked=True) for name, value in record.items()}


def _plain(value: Any, depth: int = 0, *, is_text_checked: bool = False) -> Any:
    """What can be sent: texts, numbers, lists and objects; anything else as it shows itself."""
    if value is None or isinstance(value, bool | float | datetime):
        return value
    if isinstance(value, str):
        return _text(value) if is_text_checked else str(value)
    if isinstance(value, int):
        return int(value) if -_LARGEST_NUMBER <= value < _LARGEST_NUMBER else str(value)
    if depth < _DEEPEST:
        if isinstance(value, Mapping):
            return {str(key): _plain(part, depth + 1, is_text_checked=is_text_checked) for key, part in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return _plain_list(value, depth, is_text_checked=is_text_checked)
    return _shown(value)


def _plain_list(parts: Iterable[Any], depth: int, *, is_text_checked: bool) -> list[Any]:
    return [_plain(part, depth + 1, is_text_checked=is_text_checked) for part in parts]


def _shown(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"


def _text(value: str) -> str:
    return value.encode(errors="backslashreplace").decode()
