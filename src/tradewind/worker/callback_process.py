"""Has callbacks of missed deadlines called, each by a process of its own: `child/deadline_callback.py`."""

import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from tradewind.errors import CallbackCalledOff
from tradewind.model.deadline_callback import LONGEST_OUTPUT, CallbackOrder
from tradewind.model.masking import hide
from tradewind.runtime.clock import Clock
from tradewind.wire.frames import FrameReader, pack
from tradewind.worker.protocol import (
    Answer,
    CallbackCall,
    DagFile,
    FrameKind,
    Question,
    decode_error,
    decode_question,
    decode_records,
    decode_texts,
)
from tradewind.worker.questions import decode_arguments, encode_answer

_PROGRAM: Final = "tradewind.worker.child.deadline_callback"
_READ_SIZE: Final = 64 * 1024
_LARGEST_FRAME: Final = 16 * 1024 * 1024

Ask = Callable[[str, Mapping[str, object]], object]
"""What the author's code asks for: the name of a method of `sdk.runtime.SecretsRuntime`, and its arguments."""


class CallbackProcess:
    """One callback that is called."""

    def __init__(
        self,
        order: CallbackOrder,
        ask: Ask,
        *,
        clock: Clock,
        environ: Mapping[str, str],
        plugins: str,
        patience_s: float,
    ) -> None:
        """The environment should hold no secret. `patience_s`: how long it may take, with the import of its file."""
        self._order = order
        self._ask = ask
        self._clock = clock
        self._environ = environ
        self._plugins = plugins
        self._patience_s = patience_s
        self._process: subprocess.Popen[bytes] | None = None
        self._is_called_off = False

    def run(self, root: Path) -> tuple[str | None, str]:
        """Why it failed, if it did, and what it logged and printed. `root`: the folder of its bundle.

        Raises:
            CallbackCalledOff: nobody waits for it any more.
        """
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                process = self._start(theirs.fileno())
            talk = _Talk(ours, process, self._ask)
            try:
                talk.send(FrameKind.ORDER, self._call(root))
                error = talk.listen(self._clock, self._clock.monotonic() + self._patience_s)
            finally:
                _kill(process)
                talk.drain()
                code = process.wait()
        return self._why_failed(talk, error, code), talk.output

    def call_off(self) -> None:
        """Nobody waits for it any more. For other threads than the one that runs it, and for signal handlers."""
        self._is_called_off = True
        if self._process is not None:
            _kill(self._process)

    def _start(self, descriptor: int) -> "subprocess.Popen[bytes]":
        process = self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _PROGRAM, str(descriptor)],
            pass_fds=(descriptor,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(self._environ),
            start_new_session=True,
        )
        if self._is_called_off:
            _kill(process)
        return process

    def _call(self, root: Path) -> CallbackCall:
        file = self._order.file
        return CallbackCall(self._order, DagFile(file.bundle, str(root), file.path, self._plugins))

    def _why_failed(self, talk: "_Talk", error: str | None, code: int) -> str | None:
        if talk.has_ended:
            return error
        if self._is_called_off:
            raise CallbackCalledOff("who called it was stopped")
        if talk.is_too_late:
            return (
                f"it did not end within {self._patience_s:g} s, so its process was ended; see"
                " [callbacks] callback_execution_timeout"
            )
        return f"its process ended before it did, with exit code {code}"


class _Talk:
    """What the process says, and the answers that it gets."""

    def __init__(self, stream: socket.socket, process: "subprocess.Popen[bytes]", ask: Ask) -> None:
        assert process.stdout is not None
        self._stream = stream
        self._printed = process.stdout
        self._ask = ask
        self._frames = FrameReader(_LARGEST_FRAME)
        self._hidden: list[str] = []
        self._raw = bytearray()
        self._said = ""
        self._error: str | None = None
        self.has_ended = False
        self.is_too_late = False
        self._selector = selectors.DefaultSelector()
        os.set_blocking(self._printed.fileno(), False)
        self._selector.register(stream, selectors.EVENT_READ, self._hear)
        self._selector.register(self._printed, selectors.EVENT_READ, self._read_printed)

    @property
    def output(self) -> str:
        """What it logged and printed, without what must not be seen."""
        printed = self._raw.decode(errors="backslashreplace")
        said = self._said + printed
        return (hide(said, self._hidden) if self._hidden else said)[-LONGEST_OUTPUT:]

    def send(self, kind: FrameKind, content: object) -> None:
        """One frame; to a process that is gone, nothing."""
        with suppress(OSError):
            self._stream.sendall(pack(kind, content))

    def listen(self, clock: Clock, until: float) -> str | None:
        """Until it says how it ended, or cannot any more."""
        while not self.has_ended and self._selector.get_map().get(self._stream) is not None:
            left_s = until - clock.monotonic()
            if left_s <= 0:
                self.is_too_late = True
                break
            for key, _ in self._selector.select(left_s):
                key.data()
        return self._error

    def drain(self) -> None:
        """What it printed before its end."""
        self._read_printed()
        self._selector.close()
        self._printed.close()

    def _hear(self) -> None:
        try:
            data = self._stream.recv(_READ_SIZE)
        except OSError:
            data = b""
        if not data:
            self._selector.unregister(self._stream)
            return
        try:
            for kind, content in self._frames.feed(data):
                self._take(kind, content)
        except (ValueError, msgspec.MsgspecError):  # it runs user code: who says what makes no sense is not heard
            self._selector.unregister(self._stream)

    def _take(self, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.QUESTION:
                self.send(FrameKind.ANSWER, self._answer(decode_question(content)))
            case FrameKind.HIDE:
                self._hidden = decode_texts(content)
            case FrameKind.LOG:
                records = decode_records(content)
                lines = "".join(f"[{record.get('level')}] {record.get('event')}\n" for record in records)
                self._said = (self._said + lines)[-2 * LONGEST_OUTPUT :]
            case FrameKind.ENDED:
                self._error = decode_error(content)
                self.has_ended = True
            case _:
                pass  # what it measured, or tells its task: it has none

    def _answer(self, question: Question) -> Answer:
        try:
            found = self._ask(question.method, decode_arguments(question.method, question.arguments))
            return Answer(question.number, encode_answer(question.method, found))
        except Exception as error:  # whatever it is, the callback waits for an answer
            return Answer(question.number, error_kind=type(error).__name__, error=str(error))

    def _read_printed(self) -> None:
        with suppress(BlockingIOError):
            while data := os.read(self._printed.fileno(), _READ_SIZE):
                self._raw += data
                del self._raw[: -4 * LONGEST_OUTPUT]
            with suppress(KeyError):
                self._selector.unregister(self._printed)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """With whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
