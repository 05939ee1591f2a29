"""Virtual time, and the processes that live in it: who goes on when, decided by one seeded source of chance."""

import heapq
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]

LOG_LINES = 40


class Crashed(BaseException):
    """The process in which this is raised is no more. Not an `Exception`: nobody may catch it and go on."""


class Process:
    """Something with a life and a clock of its own. Its fibers share both."""

    def __init__(self, kernel: "Kernel", name: str, kind: str) -> None:
        self.kernel = kernel
        self.name = name
        self.kind = kind
        self.is_dead = False
        self.offset_s = 0.0
        """How wrong its wall clock is."""
        self.paused_until = 0.0
        self.fibers: dict[Fiber, None] = {}
        self.on_death: Callable[[], None] = lambda: None
        kernel.processes.append(self)

    def spawn(self, name: str, target: Callable[[], None], delay_s: float = 0.0) -> "Fiber":
        """A fiber that starts after `delay_s`. What it raises ends the simulation, except `Crashed`."""
        fiber = Fiber(self, name, target)
        self.fibers[fiber] = None
        self.kernel.resume(fiber, delay_s)
        return fiber

    def wake_up(self) -> None:
        """The pause is over, and so is whatever was wrong with the clock."""
        self.paused_until = 0.0
        self.offset_s = 0.0
        for fiber in self.fibers:
            if fiber.is_held:
                self.kernel.resume(fiber, self.kernel.latency_s())

    def kill(self) -> None:
        """The process is gone at once. A fiber of its own that calls this must raise `Crashed` next."""
        self.is_dead = True
        self.kernel.after(0.0, self.unwind)
        self.on_death()

    def unwind(self) -> None:
        """Let all fibers end with `Crashed`; only from outside of any fiber, since a greenlet that ends switches to
        its parent. The process is dead by then, so they cannot do anything on their way out."""
        self.is_dead = True
        for fiber in list(self.fibers):
            self.kernel.unwind(fiber)


class Fiber:
    """One thread of a process: a greenlet that is switched to at the time it waits for."""

    __slots__ = ("greenlet", "is_held", "name", "process", "token")

    def __init__(self, process: Process, name: str, target: Callable[[], None]) -> None:
        self.process = process
        self.name = name
        self.is_held = False
        """It would go on, but its process is paused."""
        self.token = 0
        """Of the one entry in the kernel's queue that counts; all others are stale."""

        def run() -> None:
            try:
                target()
            except Crashed:
                pass
            except Exception as error:
                process.kernel.fail(f"{name} raised {type(error).__name__}: {error}", error)
            finally:
                process.fibers.pop(self, None)

        self.greenlet = greenlet(run, parent=process.kernel.main)


class VirtualClock:
    """Implements `runtime.clock.Clock` for one process. A pause or a jump never stops the monotonic clock."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._kernel = process.kernel

    def now(self) -> datetime:
        """See `Clock.now`."""
        return self._kernel.epoch + timedelta(seconds=self._kernel.now_s + self._process.offset_s)

    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return self._kernel.now_s

    def sleep(self, seconds: float) -> None:
        """See `Clock.sleep`."""
        self._kernel.sleep(seconds)


class VirtualWakeup:
    """Implements `runtime.wakeup.Wakeup`."""

    def __init__(self, kernel: "Kernel") -> None:
        self._kernel = kernel
        self._is_woken = False
        self._waiting: Fiber | None = None

    def wake(self) -> None:
        """See `Wakeup.wake`."""
        self._is_woken = True
        if self._waiting is not None:
            self._kernel.resume(self._waiting, self._kernel.latency_s())

    def wait(self, timeout_s: float) -> bool:
        """See `Wakeup.wait`."""
        if not self._is_woken:
            self._waiting = self._kernel.current()
            self._kernel.sleep(timeout_s)
            self._waiting = None
        woken, self._is_woken = self._is_woken, False
        return woken


class Kernel:
    """Runs fibers and timers in the order of virtual time."""

    def __init__(
        self, rng: Random, epoch: datetime = datetime(2027, 3, 1, tzinfo=UTC), *, verbose: bool = False
    ) -> None:
        self.rng = rng
        self.epoch = epoch
        self.now_s = 0.0
        self.slow_share = rng.choice((0.0, 0.04, 0.04, 0.3))
        """How many hops are slow ones; a seed's own."""
        self.steps = 0
        self.violation: str | None = None
        self.error: Exception | None = None
        self.log: list[str] = []
        self.digest = 0
        self._verbose = verbose
        self._queue: list[tuple[float, int, Fiber | Callable[[], None], int]] = []
        self._count = 0
        self.main = getcurrent()
        self.processes: list[Process] = []

    def latency_s(self) -> float:
        """How long one hop takes: usually little, so that what is close together comes in any order; now and then as
        long as a task, so that whole stories fit between two steps of somebody else."""
        draw = self.rng.random()
        return draw * 0.02 if draw >= self.slow_share else draw * 3.0 / self.slow_share

    def current(self) -> Fiber:
        """The fiber that runs now."""
        return self._running

    def say(self, who: str, what: str) -> None:
        """One line of what happened."""
        line = f"{self.now_s:9.3f} {who}: {what}"
        self.digest = hash_text(self.digest, line)
        self.log.append(line)
        if len(self.log) > 2 * LOG_LINES and not self._verbose:
            del self.log[:LOG_LINES]

    def fail(self, violation: str, error: Exception | None = None) -> None:
        """Something that must not happen did. The first one counts."""
        if self.violation is None:
            self.violation = violation
            self.error = error
            self.say("VIOLATION", violation)

    def resume(self, fiber: Fiber, delay_s: float) -> None:
        """Let the fiber go on after `delay_s`, and not before, whatever it waited for."""
        fiber.token += 1
        self._count += 1
        heapq.heappush(self._queue, (self.now_s + max(delay_s, 0.0), self._count, fiber, fiber.token))

    def after(self, delay_s: float, action: Callable[[], None]) -> None:
        """Do something that needs no fiber: it must not wait, nor use the database."""
        self._count += 1
        heapq.heappush(self._queue, (self.now_s + max(delay_s, 0.0), self._count, action, 0))

    def sleep(self, seconds: float) -> None:
        """The current fiber lets others go on."""
        fiber = self._running
        if fiber.process.is_dead:
            raise Crashed
        self.resume(fiber, seconds)
        self.main.switch()
        if fiber.process.is_dead:
            raise Crashed

    def unwind(self, fiber: Fiber) -> None:
        """End one fiber of a dead process."""
        fiber.token += 1
        if fiber.greenlet:
            self._running = fiber
            fiber.greenlet.throw(Crashed)
        fiber.process.fibers.pop(fiber, None)

    def close(self) -> None:
        """End everything that still lives."""
        for process in self.processes:
            process.unwind()
        self._queue.clear()

    def run(self, is_over: Callable[[], bool]) -> None:
        """Until it is over, or something is violated, or nothing is left to do."""
        while self._queue and self.violation is None:
            at_s, _, what, token = heapq.heappop(self._queue)
            if isinstance(what, Fiber):
                if token != what.token or what.process.is_dead:
                    continue
                if what.process.paused_until > at_s:
                    self.resume(what, what.process.paused_until - self.now_s + self.latency_s())
                    what.is_held = True
                    continue
            self.now_s = max(self.now_s, at_s)
            self.steps += 1
            if isinstance(what, Fiber):
                self._running = what
                what.is_held = False
                what.greenlet.switch()
            else:
                what()
            if is_over():
                return


def hash_text(seed: int, text: str) -> int:
    """A hash that does not depend on PYTHONHASHSEED."""
    return zlib.crc32(text.encode(), seed)
