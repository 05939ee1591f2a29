"""What code prints in a runner: it goes where the trigger or watcher logs whose code it is. Secrets are hidden."""

import io
import os
import sys
import threading
from collections.abc import Callable
from typing import Final, TextIO

from tradewind.sdk.secrets_masker import redact
from tradewind.sdk.task_clock import current_clock
from tradewind.triggerer.protocol import NOBODY
from tradewind.wire.lines import LineReader
from tradewind.worker.child.log_record import Record

_STANDARD_OUTPUT: Final = 1
_STANDARD_ERROR: Final = 2


class _Output(io.RawIOBase):
    """A standard stream. It cuts what each of them prints into lines: they take turns in the middle of one."""

    mode = "wb"

    def __init__(
        self, whose: Callable[[], int], tell: Callable[[int, list[Record]], object], logger: str, level: str, to: int
    ) -> None:
        """`to` is where goes what is nobody's."""
        self.name = f"<{logger.removeprefix('task.')}>"
        self._whose = whose
        self._tell = tell
        self._logger = logger
        self._level = level
        self._descriptor = to
        self._lines: dict[int, LineReader] = {}
        self._lock = threading.RLock()
        self._pid = os.getpid()

    def writable(self) -> bool:
        """See `io.RawIOBase`."""
        return True

    def fileno(self) -> int:
        """See `io.RawIOBase`."""
        return self._descriptor

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        """Tell the lines that are complete."""
        if os.getpid() != self._pid:
            # A copy of the process must not speak in its place, and the lock may belong to a thread that it lacks.
            self._print(redact(bytes(data).decode(errors="backslashreplace")))
            return len(data)
        whose = self._whose()
        with self._lock:
            reader = self._lines.get(whose)
            if reader is None:
                reader = self._lines[whose] = LineReader(redact)
            self._say(whose, reader.feed(bytes(data)))
        return len(data)

    def finish(self, whose: int) -> None:
        """Tell what is left of a line without an end."""
        with self._lock:
            reader = self._lines.pop(whose, None)
            if reader is not None:
                self._say(whose, reader.feed(b"", is_end=True))

    def _say(self, whose: int, lines: list[str]) -> None:
        if lines and whose == NOBODY:
            self._print("".join(f"{line}\n" for line in lines))
        elif lines:
            self._tell(whose, [self._record(line) for line in lines])

    def _print(self, text: str) -> None:
        os.write(self._descriptor, text.encode(errors="backslashreplace"))

    def _record(self, line: str) -> Record:
        return {"timestamp": current_clock().now(), "level": self._level, "event": line, "logger": self._logger}


class Prints:
    """Both standard streams of the process."""

    def __init__(self, whose: Callable[[], int], tell: Callable[[int, list[Record]], object]) -> None:
        """`whose` names whose code runs; `tell` gets what it prints."""
        self._outputs = (
            _Output(whose, tell, "task.stdout", "info", _STANDARD_OUTPUT),
            _Output(whose, tell, "task.stderr", "error", _STANDARD_ERROR),
        )

    def capture(self) -> None:
        """From now on, in this process."""
        sys.stdout, sys.stderr = map(_text_stream, self._outputs)

    def finish(self, whose: int) -> None:
        """It prints nothing more."""
        for output in self._outputs:
            output.finish(whose)


def _text_stream(output: _Output) -> TextIO:
    # Nothing may stay in there: the next to print may be somebody else.
    return io.TextIOWrapper(output, encoding="utf-8", errors="backslashreplace", write_through=True)
