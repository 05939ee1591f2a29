"""What a task prints, logs and warns of, sent to its supervisor as records.

What other programs print, and what C code does, goes past this into the pipes that the supervisor reads as well.
"""

import faulthandler
import io
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TextIO

from tradewind.runtime.clock import SystemClock
from tradewind.sdk.configuration import conf
from tradewind.sdk.secrets_masker import redact
from tradewind.wire.frames import pack
from tradewind.wire.lines import LineReader
from tradewind.worker.child.log_record import Record, as_line, described, plain_record
from tradewind.worker.protocol import FrameKind

_LINES_AT_ONCE: Final = 256
_STANDARD_OUTPUT: Final = 1
_STANDARD_ERROR: Final = 2

_now: Final = SystemClock().now

Send = Callable[[bytes], object]


class Capture:
    """Takes in what a process prints, logs and warns of, and sends it as frames of kind `LOG`.

    A process has one, for as long as it lives: it is made before children are forked, and each child connects its own.
    Until then, all is printed.
    """

    def __init__(self) -> None:
        self._sender = _Sender()
        self._handler = _RecordHandler(self._sender)
        self._outputs = (
            _Output(self._sender, "task.stdout", "info", _STANDARD_OUTPUT),
            _Output(self._sender, "task.stderr", "error", _STANDARD_ERROR),
        )
        self._streams = _text_stream(self._outputs[0]), _text_stream(self._outputs[1])
        self._replaced: list[TextIO] = []

    def install(self) -> None:
        """Take the place of what takes output in here. Again, after foreign code may have put something else there."""
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            if stream is not None and stream not in (*self._streams, *self._replaced):
                self._replaced.append(stream)
        sys.stdout, sys.stderr = self._streams
        # What `logging.basicConfig` in a DAG file left there would say everything a second time.
        root = logging.getLogger()
        root.handlers = [*(each for each in root.handlers if not self._says_again(each)), self._handler]
        warnings.showwarning = self._show_warning
        self._flush()  # else each child would print what is left

    def connect(self, send: Send) -> None:
        """From now on, send what this process says.

        Args:
            send: sends a frame, whole, in whatever thread it is called. An `OSError` means that nobody listens any
                more, and is passed over.
        """
        self._sender.connect(send)

    def disconnect(self) -> None:
        """Print again what this process says."""
        self._sender.disconnect()

    def finish(self) -> None:
        """Send what is left. The process ends without clearing up, so nothing may stay in other objects either."""
        self._flush()
        for output in self._outputs:
            output.finish()

    def _flush(self) -> None:
        for stream in (*self._streams, *self._replaced):
            try:  # noqa: SIM105 - each child does this, and each object costs
                stream.flush()
            except (OSError, ValueError):
                pass  # a task may have closed it

    def _says_again(self, handler: logging.Handler) -> bool:
        # Files are streams as well, so it is asked what it writes to.
        streams = (*self._streams, *self._replaced)
        prints = isinstance(handler, logging.StreamHandler) and any(handler.stream is stream for stream in streams)
        return prints or handler is self._handler

    def _show_warning(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if file is not None:
            file.write(warnings.formatwarning(message, category, filename, lineno, line))
            return
        record: Record = {
            "timestamp": _now(),
            "level": "warning",
            "event": redact(str(message)),
            "logger": "py.warnings",
            "category": category.__name__,
            "filename": filename,
            "lineno": lineno,
        }
        self._sender([record])


class _Sender:
    """Sends records. Where they cannot be sent they are printed: before there is a task, and in a process that the task
    has forked, for what is sent belongs to the task."""

    __slots__ = ("_pid", "_send")

    def __init__(self) -> None:
        self._send: Send | None = None
        self._pid = 0

    def connect(self, send: Send) -> None:
        """From now on, send what this process says."""
        self._send = send
        self._pid = os.getpid()

    def disconnect(self) -> None:
        """Print it again."""
        self._send = None

    @property
    def is_forked(self) -> bool:
        """Whether this is no longer the process of the task."""
        return os.getpid() != self._pid

    def __call__(self, records: Sequence[Record]) -> None:
        try:
            if self._send is None or self.is_forked:
                os.write(_STANDARD_OUTPUT, "".join(map(as_line, records)).encode(errors="backslashreplace"))
            else:
                self._send(_frame(records))
        except OSError:
            pass  # nobody is there to be told


def _frame(records: Sequence[Record]) -> bytes:
    try:
        return pack(FrameKind.LOG, records)
    except ValueError:
        # Halves of surrogate pairs. They are rare, so not worth looking for in every text.
        return pack(FrameKind.LOG, [plain_record(record) for record in records])


class _RecordHandler(logging.Handler):
    """Sends what is logged."""

    def __init__(self, send: _Sender) -> None:
        super().__init__()
        self._send_records = send

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record."""
        try:
            self._send_records(described(record))
        except Exception:
            self.handleError(record)


class _Output(io.RawIOBase):
    """A standard stream. It sends lines; whoever asks for its descriptor gets the one of the pipe."""

    mode = "wb"

    def __init__(self, send: _Sender, logger: str, level: str, descriptor: int) -> None:
        self.name = f"<{logger.removeprefix('task.')}>"
        self._send = send
        self._logger = logger
        self._level = level
        self._descriptor = descriptor
        self._lines = LineReader(redact)
        self._lock = threading.RLock()
        self._is_used = False

    def writable(self) -> bool:
        """See `io.RawIOBase`."""
        return True

    def fileno(self) -> int:
        """See `io.RawIOBase`."""
        return self._descriptor

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        """Send the lines that are complete."""
        if self._send.is_forked:
            # The lock may have been held by a thread that does not exist here.
            return os.write(self._descriptor, data)
        self._is_used = True
        self._feed(bytes(data), is_end=False)
        return len(data)

    def finish(self) -> None:
        """Send what is left of a line without an end."""
        if self._is_used and not self._send.is_forked:
            self._feed(b"", is_end=True)

    def _feed(self, data: bytes, *, is_end: bool) -> None:
        with self._lock:
            lines = self._lines.feed(data, is_end=is_end)
            for start in range(0, len(lines), _LINES_AT_ONCE):
                self._send([self._record(line) for line in lines[start : start + _LINES_AT_ONCE]])

    def _record(self, line: str) -> Record:
        return {"timestamp": _now(), "level": self._level, "event": line, "logger": self._logger}


def _text_stream(output: _Output) -> TextIO:
    return io.TextIOWrapper(output, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def _levels() -> Iterator[tuple[str | None, str]]:
    """Loggers by name, and from which level on they are heard."""
    yield None, conf.get("logging", "logging_level", fallback="INFO").upper()
    named = conf.get("logging", "namespace_levels", fallback="") or ""
    for pair in named.replace(",", " ").split():
        name, _, level = pair.partition("=")
        if name and level.upper() in logging.getLevelNamesMapping():
            yield name, level.upper()


CAPTURE: Final = Capture()
"""That of this process."""


def prepare() -> None:
    """Do all of it that every child would do alike, before there are children."""
    CAPTURE.install()
    set_levels()
    faulthandler.enable(_STANDARD_ERROR)


def set_levels() -> None:
    """From which level on loggers are heard is said by the configuration."""
    for name, level in _levels():
        logging.getLogger(name).setLevel(level)
