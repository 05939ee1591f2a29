"""The service's end of the warm process: requests go in, outcomes come out."""

import queue
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

import msgspec

from tradewind.dag_processor.answers import Answerer, Answers
from tradewind.dag_processor.protocol import FrameKind, Outcome, ParseRequest, Question
from tradewind.wire.frames import FrameReader, pack

_SERVER: Final = "tradewind.dag_processor.parse_child.server"
_READ_SIZE: Final = 1024 * 1024
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
        answer: Answerer = lambda _method, _arguments: None,
    ) -> None:
        """`environ` is what authors' files get to see; `wake` is called from another thread for each outcome, and
        `answer`, from yet another one, for what files ask for while they are read."""
        self._processes = processes
        self._environ = dict(environ)
        self._preloads = preloads
        self._wake = wake
        self._answer = answer
        self._answers: Answers | None = None
        # Requests come from one thread, answers from another, and frames must not mix.
        self._sending = threading.Lock()
        self._sent: dict[int, ParseRequest] = {}
        self._suspects: deque[ParseRequest] = deque()
        """What was being read when a warm process died. Read one at a time, so that the next death has one suspect."""
        self._held: deque[ParseRequest] = deque()
        """What waits until no suspect is left."""
        self._outcomes: queue.SimpleQueue[Outcome | None] = queue.SimpleQueue()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._listener: threading.Thread | None = None
        self._is_alone = False
        """Whether what is being read is a suspect."""
        self._number = 0

    @property
    def in_flight(self) -> int:
        """How many requests have no outcome yet."""
        return len(self._sent) + len(self._suspects) + len(self._held)

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
        self._listener = threading.Thread(target=self._listen, args=(ours,), name="parse results", daemon=True)
        self._listener.start()

    def next_number(self) -> int:
        """A number for a new request."""
        self._number += 1
        return self._number

    def submit(self, request: ParseRequest) -> None:
        """Have a file read."""
        self._held.append(request)
        self._pass_on()

    def outcomes(self) -> list[Outcome]:
        """Those that have come in. A warm process that died is replaced, and what it was reading is read again."""
        found: list[Outcome] = []
        with suppress(queue.Empty):
            while True:
                outcome = self._outcomes.get_nowait()
                if outcome is None:
                    found += self._replace_server()
                elif self._sent.pop(outcome.number, None) is not None:
                    self._is_alone = False
                    found.append(outcome)
        self._pass_on()
        return found

    def close(self) -> None:
        """End the warm process with all of its children."""
        if self._control is not None:
            with suppress(OSError):
                self._control.shutdown(socket.SHUT_RDWR)
            if self._listener is not None:
                self._listener.join()  # it wakes the service, which may soon be gone
            if self._answers is not None:
                self._answers.close()
                self._answers = None
            self._control.close()
            self._control = None
        if self._server is not None:
            try:
                self._server.wait(_STOP_PATIENCE_S)
            except subprocess.TimeoutExpired:
                self._server.kill()
                self._server.wait()
            self._server = None

    def _pass_on(self) -> None:
        """Send what may be sent: a suspect alone, or all that is held."""
        if self._suspects:
            if not self._sent:
                self._is_alone = True
                self._send(self._suspects.popleft())
        elif not self._is_alone:
            while self._held:
                self._send(self._held.popleft())

    def _send(self, request: ParseRequest) -> None:
        if self._control is None:
            self.start()
        assert self._control is not None
        self._sent[request.number] = request
        with suppress(OSError):  # it died: the thread that listens says so, and the request is sent again
            self._send_frame(self._control, pack(FrameKind.REQUEST, request))

    def _send_frame(self, control: socket.socket, frame: bytes) -> None:
        with self._sending:
            control.sendall(frame)

    def _replace_server(self) -> list[Outcome]:
        """Returns the outcome of the file that was read alone when the process died: it must be what killed it."""
        if self._control is None:
            return []
        self.close()
        sent, self._sent = list(self._sent.values()), {}
        if self._is_alone:
            self._is_alone = False
            return [Outcome(number=request.number, is_lost=True) for request in sent]
        self._suspects.extend(sent)
        return []

    def _ask(self, control: socket.socket, question: Question) -> None:
        """Not answered here: were nobody to listen meanwhile, the warm process could come to a stop, and so all."""
        if self._answers is None:
            self._answers = Answers(self._answer, lambda frame: self._send_frame(control, frame))
        request = self._sent.get(question.number)
        self._answers.ask(question, is_of_callback=request is not None and request.callback is not None)

    def _listen(self, control: socket.socket) -> None:
        reader = FrameReader()
        with suppress(OSError):
            while data := control.recv(_READ_SIZE):
                for kind, content in reader.feed(data):
                    if kind == FrameKind.OUTCOME:
                        self._outcomes.put(msgspec.msgpack.decode(content, type=Outcome))
                    elif kind == FrameKind.QUESTION:
                        self._ask(control, msgspec.msgpack.decode(content, type=Question))
                self._wake()
        self._outcomes.put(None)
        self._wake()
