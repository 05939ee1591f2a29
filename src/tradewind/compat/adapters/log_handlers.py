"""Log handlers and formatters of Airflow, as far as packages build upon them.

Task logs are written and read by Tradewind's workers, so `FileTaskHandler` can be inherited from but not used.
"""

import json
import logging
import re
import sys
from collections.abc import Generator, Iterable, Iterator
from datetime import datetime
from typing import Any, Final, TypedDict

from tradewind.compat.adapters.stand_in import stand_in_class
from tradewind.sdk.log import LoggingMixin

LogMessages = list[str]
LogSourceInfo = list[str]
RawLogStream = Iterator[str]
LogResponse = tuple[LogSourceInfo, LogMessages | None]
StreamingLogResponse = tuple[LogSourceInfo, list[Generator[str, None, None]]]

_ESCAPE: Final = re.compile(r"\x1B[@-_][0-?]*[ -/]*[@-~]")

FileTaskHandler = stand_in_class(
    "FileTaskHandler",
    __name__,
    "task logs are written and read by Tradewind's workers; see the settings under [logging]",
)


class LogMetadata(TypedDict, total=False):
    """Where reading a log goes on."""

    end_of_log: bool
    log_pos: int


class StructuredLogMessage:
    """One line of a log: when, what, and further fields."""

    def __init__(self, *, event: str, timestamp: datetime | None = None, **fields: Any) -> None:
        self.event = event
        self.timestamp = timestamp
        self.__dict__.update(fields)

    def model_dump_json(self) -> str:
        """The line as JSON."""
        return json.dumps(self.__dict__, default=str)


def remove_escape_codes(text: str) -> str:
    """The text without what colours it in a terminal."""
    return _ESCAPE.sub("", text)


def set_context(logger: logging.Logger, value: Any) -> None:
    """Tell the handlers of a logger, and of those above it, which task is running."""
    current: logging.Logger | None = logger
    while current is not None:
        for handler in current.handlers:
            tell = getattr(handler, "set_context", None)
            if tell is not None:
                tell(value)
        current = current.parent if current.propagate else None


class ExternalLoggingMixin:
    """A handler whose logs are read in another place: what it is called, and where."""

    @property
    def log_name(self) -> str:
        """What the place is called."""
        raise NotImplementedError

    def get_external_log_url(self, task_instance: Any, try_number: int) -> str:
        """The address of the log of a try."""
        raise NotImplementedError

    @property
    def supports_external_link(self) -> bool:
        """Whether there is such an address."""
        raise NotImplementedError


class StreamLogWriter:
    """A file-like object that writes whole lines to a logger."""

    encoding: None = None

    def __init__(self, logger: logging.Logger, level: int) -> None:
        self.logger = logger
        self.level = level
        self._line = ""

    closed = False

    def write(self, message: str) -> None:
        """Log every line that is complete."""
        *lines, self._line = (self._line + message).split("\n")
        for line in lines:
            self.logger.log(self.level, remove_escape_codes(line))

    def flush(self) -> None:
        """Log what has come of the last line."""
        if self._line:
            self.logger.log(self.level, remove_escape_codes(self._line))
            self._line = ""

    def isatty(self) -> bool:
        """Nobody watches it."""
        return False

    def close(self) -> None:
        """Log the rest."""
        self.flush()


class RedirectStdHandler(logging.StreamHandler[Any]):
    """Writes to whatever standard output or error is at the time."""

    def __init__(self, stream: str) -> None:
        if not isinstance(stream, str):
            raise TypeError("RedirectStdHandler takes the name of a stream: 'stdout' or 'stderr'")
        self._use_stderr = "stdout" not in stream
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        """The stream, now."""
        return sys.stderr if self._use_stderr else sys.stdout

    @stream.setter
    def stream(self, value: Any) -> None:
        """It cannot be set."""


class TimezoneAware(logging.Formatter):
    """Writes instants with their offset from UTC."""

    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03d"
    default_tz_format = "%z"

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 - logging's name
        created = datetime.fromtimestamp(record.created).astimezone()
        text = created.strftime(datefmt or self.default_time_format)
        if self.default_msec_format:
            text = self.default_msec_format % (text, record.msecs)
        return text + created.strftime(self.default_tz_format)


class JSONFormatter(logging.Formatter):
    """Writes some fields of each record as a JSON object."""

    def __init__(
        self,
        fmt: str | None = None,
        datefmt: str | None = None,
        style: Any = "%",
        json_fields: Iterable[str] | None = None,
        extras: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(fmt, datefmt, style)
        self.json_fields = list(json_fields or ())
        self.extras = extras or {}

    def usesTime(self) -> bool:  # noqa: N802 - logging's name
        return "asctime" in self.json_fields

    def format(self, record: logging.LogRecord) -> str:
        super().format(record)
        fields = {name: getattr(record, name, None) for name in self.json_fields}
        return json.dumps({**fields, **self.extras}, default=str)


__all__ = [
    "ExternalLoggingMixin",
    "FileTaskHandler",
    "JSONFormatter",
    "LogMessages",
    "LogMetadata",
    "LogResponse",
    "LogSourceInfo",
    "LoggingMixin",
    "RawLogStream",
    "RedirectStdHandler",
    "StreamLogWriter",
    "StreamingLogResponse",
    "StructuredLogMessage",
    "TimezoneAware",
    "remove_escape_codes",
    "set_context",
]
