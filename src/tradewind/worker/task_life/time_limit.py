"""How long a task may execute."""

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Protocol

from tradewind.sdk.exceptions import AirflowTaskTimeout

log = logging.getLogger(__name__)


class TimeLimit(Protocol):
    """A block in which `AirflowTaskTimeout` is raised once these seconds are over."""

    def __call__(self, seconds: float, of_s: float) -> AbstractContextManager[None]:
        """`of_s`: of how many, where the task has waited for the others."""


@contextmanager
def alarm(seconds: float, of_s: float) -> Iterator[None]:
    """A limit by the timer of the process. Only the main thread can be interrupted by it."""
    if threading.current_thread() is not threading.main_thread():
        log.warning("execution_timeout of %g s has no effect outside the main thread", seconds)
        yield
        return

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise AirflowTaskTimeout(f"the task ran for longer than its execution_timeout of {of_s:g} s")

    former_handler = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former_handler)
