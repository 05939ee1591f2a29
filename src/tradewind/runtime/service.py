"""The shape of a service: start, run_once until stopped, stop."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Protocol

from tradewind.errors import DatabaseUnavailable
from tradewind.runtime.clock import Clock
from tradewind.runtime.wakeup import Wakeup

_FIRST_BACKOFF_S = 0.25
_LONGEST_BACKOFF_S = 15.0


class Service(Protocol):
    """Something that works in passes."""

    def start(self) -> None:
        """Get ready. Called once, before the first pass."""

    def run_once(self) -> bool:
        """One pass over all duties. True: there may be more to do at once."""

    def idle_s(self) -> float:
        """How long to wait for a signal before the next pass, when there was nothing to do."""

    def stop(self) -> None:
        """Leave in good order. Called once, after the last pass."""

    def database_lost(self, error: DatabaseUnavailable) -> None:
        """The database gives no answer. Called once per outage."""

    def database_back(self, after_s: float) -> None:
        """The database answers again, and nothing remembered from before can be trusted."""


def _do_nothing() -> None:
    """Nobody waits for it."""


@dataclass(slots=True)
class Loop:
    """Runs a service until told to stop, through outages of the database."""

    service: Service
    clock: Clock
    wakeup: Wakeup
    is_stopping: Callable[[], bool]
    most_passes: int | None = None
    """After how many passes it ends by itself."""
    counts_only_idle: bool = False
    """Whether only passes that found nothing to do count."""
    started: Callable[[], None] = _do_nothing
    """Called when the service has got ready."""

    def run(self) -> None:
        """Until `is_stopping`."""
        passes = 0
        self._insist(self.service.start)
        self.started()
        try:
            while not self.is_stopping():
                is_busy = self._insist(self.service.run_once)
                passes += not (is_busy and self.counts_only_idle)
                if passes == self.most_passes:
                    break
                if not is_busy and not self.is_stopping():
                    self.wakeup.wait(self.service.idle_s())
        finally:
            with contextlib.suppress(DatabaseUnavailable):
                self.service.stop()

    def _insist(self, step: Callable[[], bool | None]) -> bool:
        """Do it, however long the database is away. Tells of the outage once."""
        lost_at: float | None = None
        backoff_s = _FIRST_BACKOFF_S
        while True:
            try:
                result = step()
            except DatabaseUnavailable as error:
                if lost_at is None:
                    lost_at = self.clock.monotonic()
                    self.service.database_lost(error)
                if self.is_stopping():
                    return False
                self.clock.sleep(backoff_s)
                backoff_s = min(2 * backoff_s, _LONGEST_BACKOFF_S)
                continue
            if lost_at is not None:
                self.service.database_back(self.clock.monotonic() - lost_at)
            return bool(result)


@contextlib.contextmanager
def left_on_termination() -> Iterator[None]:
    """SIGTERM ends the block in order, also before `stop_signals`: whoever reads the PID file may send it at once."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    former = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)


@contextlib.contextmanager
def stop_signals(wakeup: Wakeup) -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set, waking whoever waits; the old handlers come back afterwards."""
    stopping = threading.Event()

    def handle(_signal: int, _frame: FrameType | None) -> None:
        stopping.set()
        wakeup.wake()

    former = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopping
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
