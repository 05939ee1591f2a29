"""Tasks that take turns: each in a thread of its own, but never two at the same time.

A task that sleeps lets the engine and other tasks go on until its time has come. So a sensor that holds its worker can
wait for what another task of the same test does, and no real time passes. Only one thread runs at any moment, and which
one is decided by the clock alone, so that the same test always does the same.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import datetime

from tradewind.runtime.clock import Clock
from tradewind.sdk.exceptions import AirflowTaskTimeout
from tradewind.sdk.task_clock import TaskClock
from tradewind.worker.task_life.time_limit import TimeLimit, alarm

Body = Callable[[TaskClock, TimeLimit], None]


class Abandoned(BaseException):
    """The test is over while the task still sleeps: its thread must end."""


class _Turn:
    """A signal that one thread gives and one other waits for. A bare lock: a semaphore costs ten times as much."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self.give = self._lock.release
        self.wait = self._lock.acquire


class Worker:
    """A thread that runs one body after another: starting one for each task would take longer than most tasks."""

    def __init__(self) -> None:
        self.own_turn = _Turn()
        self.others_turn = _Turn()
        self.body: Callable[[], None] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="fibre")
        self._thread.start()

    def close(self) -> None:
        """End the thread, which must be without a body."""
        self.own_turn.give()
        self._thread.join()

    def _run(self) -> None:
        self.own_turn.wait()
        while self.body is not None:
            body, self.body = self.body, None
            body()
            self.others_turn.give()
            self.own_turn.wait()


class Fibre:
    """One task. Implements `sdk.task_clock.TaskClock` for it."""

    def __init__(self, body: Body, clock: Clock, worker: Worker) -> None:
        self._clock = clock
        self._deadlines: list[float] = []
        self._error: BaseException | None = None
        self._is_abandoned = False
        self.worker = worker
        self.wakes_at: float | None = None
        self.is_done = False
        context = copy_context()
        worker.body = lambda: context.run(self._run, body)

    # --- called by whoever gives turns

    def proceed(self) -> None:
        """Let it run until it sleeps or is done. Raises what got out of its body."""
        self.worker.own_turn.give()
        self.worker.others_turn.wait()
        if self._error is not None:
            raise self._error

    def abandon(self) -> None:
        """End it where it sleeps."""
        self._is_abandoned = True
        while not self.is_done:
            self.proceed()

    # --- called by the task

    def now(self) -> datetime:
        """See `TaskClock.now`."""
        return self._clock.now()

    def monotonic(self) -> float:
        """See `TaskClock.monotonic`."""
        return self._clock.monotonic()

    def sleep(self, seconds: float) -> None:
        """Let others go on until the time has passed."""
        deadline = min(self._deadlines, default=None)
        self.wakes_at = self._clock.monotonic() + max(seconds, 0.0)
        is_too_late = deadline is not None and deadline < self.wakes_at
        if is_too_late:
            self.wakes_at = deadline
        if not self._is_abandoned:
            self.worker.others_turn.give()
            self.worker.own_turn.wait()
        self.wakes_at = None
        if self._is_abandoned:
            raise Abandoned
        if is_too_late:
            raise AirflowTaskTimeout("the task ran for longer than its execution_timeout")

    @contextmanager
    def limit(self, seconds: float, of_s: float) -> Iterator[None]:
        """See `TimeLimit`. Only sleeping takes time here, so that is where it is noticed."""
        self._deadlines.append(self._clock.monotonic() + seconds)
        try:
            yield
        finally:
            self._deadlines.pop()

    def _run(self, body: Body) -> None:
        try:
            body(self, self.limit)
        except Abandoned:
            pass
        except BaseException as error:  # handed to whoever gave the turn
            self._error = error
        finally:
            self.is_done = True


class FibreStage:
    """Where tasks run in turns."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sleeping: list[Fibre] = []
        self._idle: list[Worker] = []

    def start(self, body: Body) -> None:
        """Run a task until it sleeps or is done."""
        self._proceed(Fibre(body, self._clock, self._idle.pop() if self._idle else Worker()))

    def wake_due(self) -> bool:
        """Let those go on whose time has come, the earliest first. Returns whether there were any."""
        due = [fibre for fibre in self._sleeping if (fibre.wakes_at or 0.0) <= self._clock.monotonic()]
        for fibre in sorted(due, key=lambda each: each.wakes_at or 0.0):
            self._sleeping.remove(fibre)
            self._proceed(fibre)
        return bool(due)

    def next_wake_s(self) -> float | None:
        """How long until the first of those that sleep goes on."""
        wakes = [fibre.wakes_at for fibre in self._sleeping if fibre.wakes_at is not None]
        return max(0.0, min(wakes) - self._clock.monotonic()) if wakes else None

    def close(self) -> None:
        """End what still sleeps."""
        while self._sleeping:
            fibre = self._sleeping.pop()
            fibre.abandon()
            self._idle.append(fibre.worker)
        while self._idle:
            self._idle.pop().close()

    def _proceed(self, fibre: Fibre) -> None:
        try:
            fibre.proceed()
        finally:
            if fibre.is_done:
                self._idle.append(fibre.worker)
            else:
                self._sleeping.append(fibre)


class MainStage:
    """Where tasks run one after another in the thread of the caller, in real time: debuggers and signals work."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def start(self, body: Body) -> None:
        """Run a task to its end."""
        body(self._clock, alarm)

    def wake_due(self) -> bool:
        """Nothing sleeps here."""
        return False

    def next_wake_s(self) -> float | None:
        """Nothing sleeps here."""
        return None

    def close(self) -> None:
        """Nothing is left."""


Stage = FibreStage | MainStage
