"""A child's stream to its supervisor."""

import os
import select
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from tradewind.wire.frames import FrameReader, pack
from tradewind.worker.protocol import Answer, FrameKind, Question, decode_answer

_READ_SIZE: Final = 256 * 1024


class SupervisorGone(ConnectionError):
    """Nobody is at the other end any more."""


class _Unsent:
    """A frame, and how much of it each attempt to send it has sent."""

    __slots__ = ("counts", "frame")

    def __init__(self, frame: bytes) -> None:
        self.frame = memoryview(frame)
        self.counts: list[int] = []

    def rest(self) -> Iterator[memoryview]:
        """What has not been sent, when it is asked for: found out without any step of Python code."""
        rests: Callable[[slice], memoryview] = self.frame.__getitem__
        return map(rests, map(slice, map(sum, (self.counts,)), (None,)))


class Pipe:
    """Sends frames, and asks questions one at a time. For any thread of the task, and for signal handlers."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._reader = FrameReader()
        self._frames: deque[tuple[int, bytes]] = deque()
        self._answers: dict[int, Answer] = {}
        self._number = 0
        # A signal handler may ask in the middle of a question of the same thread.
        self._sending = threading.RLock()
        self._unsent: deque[_Unsent] = deque()
        self._asking = threading.RLock()

    def send(self, kind: FrameKind, content: object = b"") -> None:
        """One frame.

        Raises:
            SupervisorGone: nobody is there to take it.
        """
        self.send_frame(pack(kind, content))

    def send_frame(self, frame: bytes) -> None:
        """The same, of a frame that is packed already."""
        with self._sending:
            self._unsent.append(_Unsent(frame))
            try:
                self._send_all()
            except OSError as error:
                raise SupervisorGone("the supervisor of this task is gone") from error

    def _send_all(self) -> None:
        """Send what is left of earlier frames, and the new one.

        A signal handler may raise, or send a frame of its own, between any two steps of Python code. So each step can
        be left and taken again, and the one that sends also notes how much was sent: it is a single call of C code, in
        the middle of which no handler runs.
        """
        for unsent in tuple(self._unsent):
            while sum(unsent.counts) < len(unsent.frame):
                try:
                    unsent.counts.extend(map(os.write, (self._descriptor,), unsent.rest()))
                except BlockingIOError:
                    self._wait_for(select.POLLOUT)
            with suppress(ValueError):
                self._unsent.remove(unsent)  # unless a handler was faster

    def _wait_for(self, event: int) -> None:
        # An object of its own, for a signal handler may wait as well.
        poll = select.poll()
        poll.register(self._descriptor, event)
        poll.poll()

    def hide(self, texts: list[str]) -> None:
        """These must not be seen in what this process prints."""
        self.send(FrameKind.HIDE, texts)

    def tell(self, method: str, arguments: bytes) -> None:
        """Call a method whose answer does not matter."""
        self.send(FrameKind.TELL, Question(0, method, arguments))

    def ask(self, method: str, arguments: bytes) -> Answer:
        """Call a method, and wait for its answer."""
        with self._asking:
            self._number += 1
            number = self._number
            self.send(FrameKind.QUESTION, Question(number, method, arguments))
            while number not in self._answers:
                kind, content = self.receive()
                if kind == FrameKind.ANSWER:
                    answer = decode_answer(content)
                    self._answers[answer.number] = answer
            return self._answers.pop(number)

    def receive(self) -> tuple[int, bytes]:
        """The next frame."""
        while not self._frames:
            try:
                data = os.read(self._descriptor, _READ_SIZE)
            except BlockingIOError:
                self._wait_for(select.POLLIN)
                continue
            except OSError as error:
                raise SupervisorGone("the supervisor of this task is gone") from error
            if not data:
                raise SupervisorGone("the supervisor of this task is gone")
            self._frames.extend(self._reader.feed(data))
        return self._frames.popleft()

    def close(self) -> None:
        """Say nothing more."""
        with suppress(OSError):
            os.close(self._descriptor)
