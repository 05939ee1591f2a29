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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import ClassVar, Final, TextIO

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


@contextmanager
def capture(send: Send) -> Iterator[None]:
    """For as long as the block runs, send all that is printed, logged and warned of, as frames of kind `LOG`.

    Args:
        send: sends a frame, whole, in whatever thread it is called. An `OSError` means that nobody listens any more,
            and is passed over.
    """
    former_level = logging.root.level
    gear = _Gear.ready()
    gear.sender.connect(send)
    former_streams = sys.stdout, sys.stderr
    with _logging_captured(gear.handler, former_streams), _warnings_captured(gear.sender):
        sys.stdout, sys.stderr = gear.streams
        try:
            yield
        finally:
            # A task may have closed them.
            for stream, output in zip(gear.streams, gear.outputs, strict=True):
                with suppress(ValueError):
                    stream.flush()
                output.finish()
            sys.stdout, sys.stderr = former_streams
            _flush(former_streams)
            _Gear.made = None
            if logging.root.level != former_level:
                logging.root.setLevel(former_level)


def prepare() -> None:
    """Do all of it that every child would do alike, before there are children."""
    gear = _Gear.made = _Gear()
    root = logging.getLogger()
    root.addHandler(gear.handler)
    for name, level in _levels():
        logging.getLogger(name).setLevel(level)
    faulthandler.enable(_STANDARD_ERROR)


class _Gear:
    """What takes output in."""

    made: "ClassVar[_Gear | None]" = None
    """What `prepare` made. Used once: a process has one task."""

    def __init__(self) -> None:
        self.sender = _Sender()
        self.handler = _RecordHandler(self.sender)
        self.outputs = (
            _Output(self.sender, "task.stdout", "info", _STANDARD_OUTPUT),
            _Output(self.sender, "task.stderr", "error", _STANDARD_ERROR),
        )
        self.streams = _text_stream(self.outputs[0]), _text_stream(self.outputs[1])

    @classmethod
    def ready(cls) -> "_Gear":
        if cls.made is None:
            prepare()
        assert cls.made is not None
        return cls.made


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
        self._feed(bytes(data), is_end=False)
        return len(data)

    def finish(self) -> None:
        """Send what is left of a line without an end."""
        if not self._send.is_forked:
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


@contextmanager
def _logging_captured(handler: logging.Handler, streams: Iterable[TextIO]) -> Iterator[None]:
    root = logging.getLogger()
    former_handlers = root.handlers
    if former_handlers != [handler]:
        # What `logging.basicConfig` in a DAG file left there would say everything a second time.
        others = [each for each in former_handlers if each is not handler and not _prints(each, streams)]
        root.handlers = [*others, handler]
    try:
        yield
    finally:
        root.handlers = [each for each in former_handlers if each is not handler]


def _prints(handler: logging.Handler, streams: Iterable[TextIO]) -> bool:
    # Files are streams as well, so it is asked what it writes to.
    standard = (*streams, sys.__stdout__, sys.__stderr__)
    return isinstance(handler, logging.StreamHandler) and any(handler.stream is stream for stream in standard)


def _levels() -> Iterator[tuple[str | None, str]]:
    """Loggers by name, and from which level on they are heard."""
    yield None, conf.get("logging", "logging_level", fallback="INFO").upper()
    named = conf.get("logging", "namespace_levels", fallback="") or ""
    for pair in named.replace(",", " ").split():
        name, _, level = pair.partition("=")
        if name and level.upper() in logging.getLevelNamesMapping():
            yield name, level.upper()


@contextmanager
def _warnings_captured(sender: _Sender) -> Iterator[None]:
    former = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if file is not None:
            former(message, category, filename, lineno, file, line)
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
        sender([record])

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = former


def _flush(streams: Iterable[TextIO]) -> None:
    """What was printed through other objects must not stay in them: the process ends without clearing up."""
    for stream in (*streams, sys.__stdout__, sys.__stderr__):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
