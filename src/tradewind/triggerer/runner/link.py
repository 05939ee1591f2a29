"""The runner's end of its socket to the supervisor."""

import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from typing import Final

from tradewind.triggerer.protocol import Asked, FrameKind, decode_answer
from tradewind.wire.frames import FrameReader, pack
from tradewind.worker.protocol import Answer, Question

_READ_SIZE: Final = 256 * 1024
_GONE: Final = "the supervisor of the triggers is gone"
_PATIENCE_S: Final = 5.0
"""What a supervisor that stops grants its runner, too."""


class SupervisorGone(ConnectionError):
    """Nobody is at the other end any more."""


class Link:
    """Sends frames from any thread. One of its own reads, so an answer arrives also while the event loop stands still:
    a trigger that asks synchronously keeps the others waiting for a moment, but never for ever.

    Without a supervisor the process ends, whatever runs in it: an event loop that a trigger never lets go of would not
    find out."""

    def __init__(self, end: socket.socket, patience_s: float = _PATIENCE_S) -> None:
        self._socket = end
        self._patience_s = patience_s
        self._sending = threading.Lock()
        self._numbers = count(1)
        self._open: dict[int, Future[Answer]] = {}
        self._is_gone = False

    def listen(self, received: Callable[[int, bytes], object], gone: Callable[[], object]) -> None:
        """From now on; both are called in a thread."""
        thread = threading.Thread(target=self._listen, args=(received, gone), name="supervisor", daemon=True)
        thread.start()

    def send(self, kind: FrameKind, content: object = b"") -> None:
        """One frame. Where nobody is left to hear it, it is dropped: the end comes by another way."""
        frame = pack(kind, content)
        with self._sending, suppress(OSError):
            self._socket.sendall(frame)

    def ask(self, trigger: int, method: str, arguments: bytes) -> Answer:
        """What the supervisor says.

        Raises:
            SupervisorGone: nothing any more.
        """
        number = next(self._numbers)
        future = self._open[number] = Future[Answer]()
        if self._is_gone:  # looked at only now: whoever is gone a moment later finds what waits for it
            raise SupervisorGone(_GONE)
        self.send(FrameKind.QUESTION, Asked(trigger, Question(number, method, arguments)))
        return future.result()

    def _listen(self, received: Callable[[int, bytes], object], gone: Callable[[], object]) -> None:
        reader = FrameReader()
        with suppress(OSError):
            while data := self._socket.recv(_READ_SIZE):
                for kind, content in reader.feed(data):
                    if kind == FrameKind.ANSWER:
                        answer = decode_answer(content)
                        self._open.pop(answer.number).set_result(answer)
                    else:
                        received(kind, content)
        self._is_gone = True
        for future in list(self._open.values()):
            future.set_exception(SupervisorGone(_GONE))
        gone()
        threading.Event().wait(self._patience_s)
        os._exit(1)
