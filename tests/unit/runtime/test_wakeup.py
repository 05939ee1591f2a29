"""The signal within one process: not lost while nobody waits, and safe to give from anywhere."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from tradewind.runtime.wakeup import PipeWakeup

PATIENCE_S = 30.0


@pytest.fixture
def wakeup() -> Iterator[PipeWakeup]:
    made = PipeWakeup()
    yield made
    made.close()


def test_nobody_wakes_whoever_is_not_called(wakeup: PipeWakeup) -> None:
    assert not wakeup.wait(0.0)


def test_a_call_before_the_wait_is_not_lost_and_counts_once(wakeup: PipeWakeup) -> None:
    for _ in range(3):
        wakeup.wake()

    assert wakeup.wait(0.0)
    assert not wakeup.wait(0.0)


def test_a_pipe_that_is_full_takes_no_harm(wakeup: PipeWakeup) -> None:
    for _ in range(100_000):
        wakeup.wake()

    assert wakeup.wait(0.0)
    assert not wakeup.wait(0.0)


def test_another_thread_may_call(wakeup: PipeWakeup) -> None:
    thread = threading.Thread(target=wakeup.wake)
    thread.start()

    assert wakeup.wait(PATIENCE_S)
    thread.join()


def test_a_signal_handler_may_call(wakeup: PipeWakeup) -> None:
    former = signal.signal(signal.SIGUSR1, lambda *_: wakeup.wake())
    try:
        os.kill(os.getpid(), signal.SIGUSR1)
        assert wakeup.wait(PATIENCE_S)
    finally:
        signal.signal(signal.SIGUSR1, former)


def test_a_call_after_the_end_wakes_nobody() -> None:
    closed = PipeWakeup()
    closed.close()

    closed.wake()
