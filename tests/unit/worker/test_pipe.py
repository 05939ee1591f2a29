"""The stream of a child to its supervisor stays whole, whatever interrupts the task (D2, D3)."""

import gc
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from tradewind.wire.frames import FrameReader
from tradewind.worker.child.pipe import Pipe, SupervisorGone
from tradewind.worker.protocol import FrameKind

CONTENT = bytes(range(256)) * 40


class Interrupted(BaseException):
    """As a time limit or a termination: it comes at any moment."""


@pytest.fixture
def ends() -> Iterator[tuple[Pipe, socket.socket]]:
    """A pipe whose buffer is soon full, and the supervisor's end of it."""
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    theirs.settimeout(60)
    pipe = Pipe(ours.detach())
    yield pipe, theirs
    pipe.close()
    theirs.close()


@contextmanager
def alarms(handler: "signal._HANDLER", after_s: float, every_s: float = 0.0) -> Iterator[None]:
    gc.disable()  # what a handler raises in a callback of the collector, such as Hypothesis has, goes nowhere
    former = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, after_s, every_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
        gc.enable()


def read_frames(end: socket.socket, frames: list[tuple[int, bytes]]) -> threading.Thread:
    """A supervisor that reads a little at a time."""

    def read() -> None:
        reader = FrameReader(largest=1_000_000)
        while data := end.recv(3000):
            frames.extend(reader.feed(data))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def test_a_frame_is_whole_although_an_exception_came_while_it_was_sent(ends: tuple[Pipe, socket.socket]) -> None:
    pipe, supervisor = ends
    frames: list[tuple[int, bytes]] = []
    thread = read_frames(supervisor, frames)
    interruptions = 0

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise Interrupted

    while interruptions < 100:
        try:
            with alarms(interrupt, 0.0005):
                for _ in range(20):
                    pipe.send(FrameKind.LOG, CONTENT)
        except Interrupted:
            interruptions += 1
    pipe.send(FrameKind.ENDED, b"the end")
    pipe.close()
    thread.join(60)

    assert frames.pop() == (FrameKind.ENDED, b"the end")
    assert {content == CONTENT for _, content in frames} == {True}


def test_a_signal_handler_may_send_in_the_middle_of_a_frame(ends: tuple[Pipe, socket.socket]) -> None:
    pipe, supervisor = ends
    frames: list[tuple[int, bytes]] = []
    thread = read_frames(supervisor, frames)
    sent = 0

    def send(_signal: int, _frame: FrameType | None) -> None:
        nonlocal sent
        sent += 1
        pipe.send(FrameKind.TELL, b"from the handler")

    with alarms(send, 0.001, 0.001):
        while sent < 50:
            pipe.send(FrameKind.LOG, CONTENT)
    pipe.close()
    thread.join(60)

    assert frames.count((FrameKind.TELL, b"from the handler")) == sent
    assert {content for kind, content in frames if kind == FrameKind.LOG} == {CONTENT}


def test_a_supervisor_that_is_gone_is_told_of(ends: tuple[Pipe, socket.socket]) -> None:
    pipe, supervisor = ends
    supervisor.close()

    with pytest.raises(SupervisorGone):
        pipe.send(FrameKind.LOG, CONTENT * 100)
    with pytest.raises(SupervisorGone):
        pipe.receive()
