"""The supervisor's end of the runner: starts it, hears it, ends it."""

import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from tradewind.triggerer.protocol import FrameKind
from tradewind.wire.frames import FrameReader, pack

_RUNNER: Final = "tradewind.triggerer.runner.main"
_READ_SIZE: Final = 256 * 1024
_STOP_PATIENCE_S: Final = 5.0

Frame = tuple[int, bytes]


class RunnerProcess:
    """One life of the runner. Not for several threads: who starts a process waits for its end."""

    def __init__(self, environ: Mapping[str, str], heard: Callable[[], None], asked: Callable[[bytes], None]) -> None:
        """`environ` is what triggers get to see. `heard` is called from another thread when frames have come in, or
        the process is gone; `asked` gets questions at once."""
        self._heard = heard
        self._asked = asked
        self._frames: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._sending = threading.Lock()
        self.is_gone = False
        """Whether nothing more will be heard of it."""
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _RUNNER, str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
            env=dict(environ),
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self._listener = threading.Thread(target=self._listen, name="trigger runner", daemon=True)
        self._listener.start()

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def send(self, kind: FrameKind, content: object = b"") -> None:
        """One frame, from any thread. To a process that is gone, nothing."""
        frame = pack(kind, content)
        with self._sending, suppress(OSError):
            self._socket.sendall(frame)

    def frames(self) -> list[Frame]:
        """Those that have come in."""
        found: list[Frame] = []
        with suppress(queue.Empty):
            while True:
                found.append(self._frames.get_nowait())
        return found

    def close(self) -> None:
        """Let triggers clean up, and end it. What it says until then can still be heard."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        try:
            self._process.wait(_STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()
        self._listener.join()
        self._socket.close()

    def kill(self) -> None:
        """It does not answer any more."""
        self._process.kill()
        self._process.wait()

    def _listen(self) -> None:
        reader = FrameReader()
        # It runs user code: who says what makes no sense is not listened to any more.
        with suppress(OSError, ValueError):
            while data := self._socket.recv(_READ_SIZE):
                for kind, content in reader.feed(data):
                    if kind == FrameKind.QUESTION:
                        self._asked(content)
                    else:
                        self._frames.put((kind, content))
                self._heard()
        self.is_gone = True
        self._heard()
