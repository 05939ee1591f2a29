"""Lines of a log, as messages. Whatever stands in a file can be shown: also what is torn or was never JSON."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final, NamedTuple

import msgspec

Message = dict[str, Any]
"""At least an `event`; most have `timestamp`, `level` and `logger` too."""

_ENGINE: Final = "tradewind"
_BEGINNING_OF_TIME: Final = datetime.min.replace(tzinfo=UTC)
_decode: Final = msgspec.json.Decoder(dict[str, Any]).decode
_decode_time: Final = msgspec.json.Decoder(datetime).decode
_TIME_KEY: Final = b'{"timestamp":'


class Line(NamedTuple):
    """A line, and where it belongs among those of other files."""

    at: datetime
    """Its time; never before that of the line above, for the order within a file is the true one."""
    end: int
    """Where the next one begins, in bytes."""
    raw: bytes


def lines_of(file: BinaryIO, *, keeps_unfinished: bool = False) -> Iterator[Line]:
    """The lines of a log from where the file stands. The last is left out while it has no end: it is being written."""
    at = _BEGINNING_OF_TIME
    with file:
        position = file.tell()
        for raw in file:
            if not raw.endswith(b"\n") and not keeps_unfinished:
                return
            position += len(raw)
            at = max(at, timestamp_of(raw))
            yield Line(at, position, raw.rstrip(b"\n"))


def timestamp_of(raw: bytes) -> datetime:
    """The time of a line; long ago if it has none."""
    try:
        # Our own lines begin with it, and need not be read to the end.
        text = raw[len(_TIME_KEY) : raw.index(b",")] if raw.startswith(_TIME_KEY) else _encoded_time(raw)
        at = _decode_time(text)
    except (ValueError, msgspec.MsgspecError):
        return _BEGINNING_OF_TIME
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _encoded_time(raw: bytes) -> bytes:
    return msgspec.json.encode(_decode(raw).get("timestamp"))


def message_of(raw: bytes) -> Message:
    """What a line says."""
    try:
        message = _decode(raw)
    except (ValueError, msgspec.MsgspecError):
        return {"event": raw.decode(errors="backslashreplace")}
    if not isinstance(message.get("event"), str):
        message["event"] = "" if message.get("event") is None else str(message["event"])
    return message


def engine_message(at: datetime | None, event: str) -> Message:
    """What the engine says about a try that is over."""
    message: Message = {} if at is None else {"timestamp": at.isoformat().replace("+00:00", "Z")}
    return {**message, "level": "error", "event": event, "logger": _ENGINE}
