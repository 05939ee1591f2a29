"""The service's end of the warm process: requests go in, outcomes come out."""

import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import msgspec

from tradewind.dag_processor.protocol import FrameKind, FrameReader, Outcome, ParseRequest, pack

_SERVER: Final = "tradewind.dag_processor.parse_child.server"
_READ_SIZE: Final = 1024 * 1024
_MOST_ATTEMPTS: Final = 2
_STOP_PATIENCE_S: Final = 5.0


class ParsePool:
    """Starts the warm process, and starts it again should it die.

    Not for several threads: a process is told to die with the thread that started it, so that must be the main one.
    """

    def __init__(
        self,
        *,
        processes: int,
        environ: Mapping[str, str],
        preloads: bool = True,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """`environ` is what authors' files get to see; `wake` is called from another thread for each outcome."""
        self._processes = processes
        self._environ = dict(environ)
        self._preloads = preloads
        self._wake = wake
        self._requests: dict[int, ParseRequest] = {}
        self._attempts: dict[int, int] = {}
        self._outcomes: queue.SimpleQueue[Outcome | None] = queue.SimpleQueue()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._number = 0

    @property
    def in_flight(self) -> int:
        """How many requests have no outcome yet."""
        return len(self._requests)

    @property
    def pid(self) -> int | None:
        """Of the warm process, if it runs."""
        return None if self._server is None else self._server.pid

    def start(self) -> None:
        """Start the warm process. It may be given requests at once."""
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", _SERVER, str(theirs.fileno()), str(self._processes)]
        self._server = subprocess.Popen(
            [*command, "1" if self._preloads else "0"],
            pass_fds=(theirs.fileno(),),
            env=self._environ,
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        self._control = ours
        threading.Thread(target=self._listen, args=(ours,), name="parse results", daemon=True).start()

    def next_number(self) -> int:
        """A number for a new request."""
        self._number += 1
        return self._number

    def submit(self, request: ParseRequest) -> None:
        """Have a file read."""
        self._requests[request.number] = request
        self._attempts[request.number] = self._attempts.get(request.number, 0) + 1
        self._send(request)

    def outcomes(self) -> list[Outcome]:
        """Those that have come in. A warm process that died is replaced, and what it had begun is begun again, once."""
        found: list[Outcome] = []
        with suppress(queue.Empty):
            while True:
                outcome = self._outcomes.get_nowait()
                if outcome is None:
                    found += self._replace_server()
                elif self._requests.pop(outcome.number, None) is not None:
                    self._attempts.pop(outcome.number, None)
                    found.append(outcome)
        return found

    def close(self) -> None:
        """End the warm process with all of its children."""
        if self._control is not None:
            with suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)
            self._control.close()
            self._control = None
        if self._server is not None:
            try:
                self._server.wait(_STOP_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
            self._server = None

    def _send(self, request: ParseRequest) -> None:
        if self._control is None:
            self.start()
        assert self._control is not None
        with suppress(OSError):  # it died: the thread that listens says so, and the request is sent again
            self._control.sendall(pack(FrameKind.REQUEST, request))

    def _replace_server(self) -> list[Outcome]:
        """Returns an outcome for each request that has now been lost too often: it may be what kills the process."""
        if self._control is None:
            return []
        self.close()
        lost = [number for number, count in self._attempts.items() if count >= _MOST_ATTEMPTS]
        for number in lost:
            del self._requests[number], self._attempts[number]
        for request in list(self._requests.values()):
            self.submit(request)
        return [Outcome(number=number, is_lost=True) for number in lost]

    def _listen(self, control: socket.socket) -> None:
        reader = FrameReader()
        with suppress(OSError):
            while data := control.recv(_READ_SIZE):
                for kind, content in reader.feed(data):
                    if kind == FrameKind.OUTCOME:
                        self._outcomes.put(msgspec.msgpack.decode(content, type=Outcome))
                self._wake()
        self._outcomes.put(None)
        self._wake()
