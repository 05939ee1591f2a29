"""The supervisor's end of the runner: starts it, hears it, ends it."""

import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from tradewind.triggerer.board import Board
from tradewind.triggerer.protocol import FrameKind
from tradewind.wire.frames import FrameReader, pack
from tradewind.worker.protocol import Answer

_RUNNER: Final = "tradewind.triggerer.runner.main"
WATCHER_RUNNER: Final = "tradewind.triggerer.runner.watcher_main"
_READ_SIZE: Final = 256 * 1024
_STOP_PATIENCE_S: Final = 5.0

Frame = tuple[int, bytes]
Asked = Callable[[bytes, Callable[[Answer], None]], None]
"""Takes a question of a trigger, and the way to answer it."""


class RunnerProcess:
    """One life of the runner. Not for several threads: who starts a process waits for its end."""

    def __init__(
        self, environ: Mapping[str, str], heard: Callable[[], None], asked: Asked, *, program: str = _RUNNER
    ) -> None:
        """`environ` is what triggers get to see. `heard` is called from another thread when frames have come in, or
        the process is gone; `asked` gets questions at once."""
        self._heard = heard
        self._asked = asked
        self._frames: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._unsent: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.is_gone = False
        """Whether nothing more will be heard of it."""
        self._board = Board()
        ours, theirs = socket.socketpair()
        self._socket = ours
        inherited = (theirs.fileno(), self._board.file)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", program, *map(str, inherited)],
            pass_fds=inherited,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self._threads = [
            threading.Thread(target=work, name="trigger runner", daemon=True) for work in (self._listen, self._speak)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def send(self, kind: FrameKind, content: object = b"") -> None:
        """One frame, from any thread. Waits for nobody: also not for a process that stands still."""
        self._unsent.put(pack(kind, content))

    def answer(self, answer: Answer) -> None:
        """To what was asked."""
        self.send(FrameKind.ANSWER, answer)

    def frames(self) -> list[Frame]:
        """Those that have come in."""
        found: list[Frame] = []
        with suppress(queue.Empty):
            while True:
                found.append(self._frames.get_nowait())
        return found

    def executing(self) -> set[int]:
        """Whose code runs in it, or ran when it ended."""
        return self._board.executing()

    def starved_s(self) -> float:
        """For how long its event loop has been ready to run and got no processor, as far as the system tells."""
        try:
            return int(Path(f"/proc/{self.pid}/schedstat").read_bytes().split()[1]) / 1e9
        except (OSError, ValueError, IndexError):  # there is no such thing elsewhere, nor of who is gone
            return 0.0

    def finish(self) -> None:
        """Let triggers clean up, and then end. What it was told before is done first."""
        self._unsent.put(None)

    def close(self) -> None:
        """Wait for its end, but not for ever. What it says until then can still be heard."""
        self.finish()
        try:
            self._process.wait(_STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
        for thread in self._threads:
            thread.join()
        self._socket.close()
        self._board.close()

    def kill(self) -> None:
        """It does not answer any more, or has nothing left to do."""
        self._process.kill()
        self._process.wait()

    def _speak(self) -> None:
        with suppress(OSError):  # to a process that is gone, nothing
            while (frame := self._unsent.get()) is not None:
                self._socket.sendall(frame)
            self._socket.shutdown(socket.SHUT_WR)

    def _listen(self) -> None:
        reader = FrameReader()
        # It runs user code: who says what makes no sense is not listened to any more.
        with suppress(OSError, ValueError):
            while data := self._socket.recv(_READ_SIZE):
                for kind, content in reader.feed(data):
                    if kind == FrameKind.QUESTION:
                        self._asked(content, self.answer)
                    else:
                        self._frames.put((kind, content))
                self._heard()
        self.is_gone = True
        self._heard()
