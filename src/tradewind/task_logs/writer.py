"""The log of an attempt, as the process that watches over the attempt writes it."""

from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

import msgspec

from tradewind.task_logs.log_file import LogFile
from tradewind.wire.lines import LineReader

Stream = Literal["stdout", "stderr"]

LOGGER: Final = "tradewind.task_logs"
"""Who speaks where the log speaks about itself."""

_FLUSH_AT: Final = 256 * 1024
_TAIL_BYTES: Final = 64 * 1024
_TAIL_LINES: Final = _TAIL_BYTES // 80
"""Of which the shortest has more bytes."""
_LEVELS: Final[Mapping[Stream, str]] = {"stdout": "info", "stderr": "error"}
_encode: Final = msgspec.json.Encoder(enc_hook=repr).encode


class AttemptLog:
    """JSON lines in a file. Nothing here raises: a task must not fail because its log cannot be written.

    Lines are gathered, and written by `flush`. Where the file has reached its limit, or cannot be written, the newest
    lines are held back, and written at the end or when it can be written again, after a line that says how many are
    missing: how it began and how it ended is what people look for.
    """

    __slots__ = (
        "_fail",
        "_file",
        "_held",
        "_is_full",
        "_limit_bytes",
        "_now",
        "_pending",
        "_pending_bytes",
        "_readers",
        "error",
    )

    def __init__(
        self,
        path: Path,
        *,
        now: Callable[[], datetime],
        limit_bytes: int = 0,
        mask: Callable[[str], str] | None = None,
        fail: Callable[[OSError], object] | None = None,
    ) -> None:
        """Nothing happens on the disk yet.

        Args:
            path: the file; what earlier attempts of the same try have left there stays.
            now: the time of what comes without one.
            limit_bytes: of the whole file; 0 for none.
            mask: hides secrets in a text. Only for raw output: records come masked.
            fail: is told why the file cannot be written, once each time that begins.
        """
        self.error: OSError | None = None
        """Why the file cannot be written at the moment."""
        self._fail = fail
        self._file = LogFile(path)
        self._now = now
        self._limit_bytes = limit_bytes
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._held = _Tail()
        self._is_full = False
        self._readers: dict[Stream, LineReader] = {"stdout": LineReader(mask), "stderr": LineReader(mask)}

    def line(self, record: Mapping[str, object]) -> None:
        """Add a record: `timestamp`, `level`, `event`, `logger` and whatever else it has."""
        self._add(_json(record))

    def output(self, stream: Stream, data: bytes) -> None:
        """Add what the process, or another that it started, wrote to its standard output or error."""
        self._add_output(stream, self._readers[stream].feed(data))

    def flush(self) -> None:
        """Write what was gathered."""
        if not self._pending:
            return
        lines, size = self._pending, self._pending_bytes
        self._pending, self._pending_bytes = [], 0
        if not self._is_full and self._limit_bytes and self._size() + size > self._limit_bytes:
            lines = self._fill(lines)
        if self._is_full:
            self._held.add(lines)
        else:
            self._write(lines)

    def close(self) -> None:
        """Write the rest, and let the file go."""
        for stream, reader in self._readers.items():
            self._add_output(stream, reader.feed(b"", is_end=True))
        self.flush()
        if self._held:
            self._write([])
        self._file.close()

    def _add(self, line: bytes) -> None:
        self._pending.append(line)
        self._pending_bytes += len(line)
        if self._pending_bytes >= _FLUSH_AT:
            self.flush()

    def _add_output(self, stream: Stream, lines: list[str]) -> None:
        if not lines:
            return
        if self._is_full and len(lines) > _TAIL_LINES:
            # No more of them can be in the end that is kept, and a task may print for hours.
            self._held.lose(lines[:-_TAIL_LINES])
            lines = lines[-_TAIL_LINES:]
        # Most of what is printed comes in many lines at a time, which differ in their texts only.
        before = b'{"timestamp":%b,"level":"%b","event":' % (_encode(self._now()), _LEVELS[stream].encode())
        after = b',"logger":"task.%b"}\n' % stream.encode()
        for line in lines:
            self._add(b"%b%b%b" % (before, _encode(line), after))

    def _size(self) -> int:
        try:
            return self._file.size
        except OSError:
            return 0  # the attempt to write will meet the same

    def _fill(self, lines: list[bytes]) -> list[bytes]:
        """Write what fits into the limit. Returns the rest."""
        room = self._limit_bytes - self._size()
        fitting = 0
        for line in lines:
            room -= len(line)
            if room < 0:
                break
            fitting += 1
        limit = _amount(self._limit_bytes)
        self._write(
            [*lines[:fitting], self._note(f"The limit of {limit} is reached. After this, only the end is kept.")]
        )
        self._is_full = True
        return lines[fitting:]

    def _write(self, lines: list[bytes]) -> None:
        gap = self._held.explained(self._note_of_gap) if self._held else []
        try:
            self._file.append(b"".join([*gap, *lines]))
        except OSError as error:
            if self.error is None and self._fail is not None:
                self._fail(error)
            self.error = error
            self._held.add(lines)
        else:
            self.error = None
            self._held.clear()

    def _note_of_gap(self, lines: int, size: int) -> bytes:
        why = "" if self.error is None else f", for the file could not be written: {self.error.strerror or self.error}"
        return self._note(f"{lines} lines ({_amount(size)}) are missing here{why}")

    def _note(self, event: str) -> bytes:
        return _json({"timestamp": self._now(), "level": "warning", "event": event, "logger": LOGGER})


class _Tail:
    """The newest of many lines, and how many there were before."""

    __slots__ = ("_bytes", "_lines", "_lost_bytes", "_lost_lines")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._lines: deque[bytes] = deque()
        self._bytes = self._lost_lines = self._lost_bytes = 0

    def __bool__(self) -> bool:
        return bool(self._lines) or self._lost_lines > 0

    def add(self, lines: list[bytes]) -> None:
        self._lines.extend(lines)
        self._bytes += sum(map(len, lines))
        while self._bytes > _TAIL_BYTES:
            line = self._lines.popleft()
            self._bytes -= len(line)
            self._lost_bytes += len(line)
            self._lost_lines += 1

    def lose(self, texts: list[str]) -> None:
        """Count lines that were never here."""
        self._lost_lines += len(texts)
        self._lost_bytes += sum(map(len, texts))

    def explained(self, note: Callable[[int, int], bytes]) -> list[bytes]:
        """The lines, after a note about those that are lost."""
        return [note(self._lost_lines, self._lost_bytes), *self._lines] if self._lost_lines else list(self._lines)


def _json(record: Mapping[str, object]) -> bytes:
    try:
        return _encode(record) + b"\n"
    except (TypeError, ValueError, OverflowError, RecursionError):
        # Numbers beyond 64 bits, keys that are no texts, halves of surrogate pairs: rare, so only then worth the time.
        plain = {str(key): repr(value) if key != "event" else str(value) for key, value in record.items()}
        return _encode({key: value.encode(errors="backslashreplace").decode() for key, value in plain.items()}) + b"\n"


def _amount(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
