"""Keeps a runner process going for those that run in it, and notices when one of them holds up the others."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Final, Generic, TypeVar

from tradewind.decide.triggerers import Patience
from tradewind.runtime.clock import Clock
from tradewind.triggerer.protocol import Blocked, FrameKind
from tradewind.triggerer.runner_process import Frame, RunnerProcess
from tradewind.triggerer.signs_of_life import SignsOfLife, Stopwatch

_SHORTEST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 30.0
_STEADY_S: Final = 60.0
"""Who lived for so long is started again as if it had never ended before."""

K = TypeVar("K", bound=int)
M = TypeVar("M")
MakeRunner = Callable[[], RunnerProcess]


class HostKind(Enum):
    """Whom a process is for."""

    MAIN = auto()
    """All of whom nothing bad is known."""
    QUARANTINE = auto()
    """All who disturb others."""
    SOLITUDE = auto()
    """A single one."""

    def longest_s(self, patience: Patience) -> float:
        """How long one may hold up the others there."""
        return patience.longest_block_s if self is HostKind.MAIN else patience.in_quarantine_s


class ProcessHost(Generic[K, M]):
    """A runner process, and the next one after that, and its members by their numbers."""

    def __init__(self, make_runner: MakeRunner, clock: Clock, kind: HostKind, patience: Patience) -> None:
        self._make_runner = make_runner
        self._clock = clock
        self.kind = kind
        self.longest_s = kind.longest_s(patience)
        self.members: dict[K, M] = {}
        self._runner: RunnerProcess | None = None
        self._started_at = 0.0
        self._pause_s = _SHORTEST_PAUSE_S
        self._signs_of_life: SignsOfLife | None = None
        self.standstill: Blocked | None = None
        """Who holds up the others, and since when."""
        self._standstill: Stopwatch | None = None
        self._last_over = 0
        """The last step of the process of which it was said that it took too long and is over."""
        self.restart_at: float | None = None
        """When the process is started again."""

    @property
    def is_up(self) -> bool:
        """Whether there is a process."""
        return self._runner is not None

    @property
    def is_gone(self) -> bool:
        """Whether nothing more will come from its process."""
        return self._runner is not None and self._runner.is_gone

    @property
    def is_quarantine(self) -> bool:
        """Whether those here are kept apart from others."""
        return self.kind is not HostKind.MAIN

    def send(self, kind: FrameKind, content: object = b"") -> None:
        """Say something to the process, if there is one. From any thread."""
        runner = self._runner
        if runner is not None:
            runner.send(kind, content)

    def keep(self) -> bool:
        """Start the process if there is none, and it is time. Whether it was started now."""
        if self._runner is not None or (self.restart_at or 0.0) > self._clock.monotonic():
            return False
        self.restart_at = None
        self._runner = self._make_runner()
        self._started_at = self._clock.monotonic()
        self._signs_of_life = SignsOfLife(self._runner)
        self.standstill = self._standstill = None
        self._last_over = 0
        return True

    def frames(self) -> list[Frame]:
        """What the process said."""
        return [] if self._runner is None else self._runner.frames()

    def answered(self) -> None:
        """Its event loop gave a sign of life: nobody holds it up."""
        self.standstill = self._standstill = None
        if self._signs_of_life is not None:
            self._signs_of_life.heard()

    def blocked(self, blocked: Blocked) -> None:
        """Somebody holds up the others, or does not any more."""
        if blocked.is_over:
            self._last_over = blocked.step
        elif blocked.step <= self._last_over:
            return  # who looks at the loop from beside it was slower to say so than the loop itself
        before, runner = self.standstill, self._runner
        self.standstill = None if blocked.is_over else blocked
        if self.standstill is None or runner is None:
            self._standstill = None
        elif before is None or before.step != blocked.step:  # else it is the same that still goes on
            self._standstill = Stopwatch(runner, self._clock.monotonic() - blocked.seconds)

    @property
    def gives_way_at(self) -> float | None:
        """When who holds up the others has done so for too long."""
        return None if self._standstill is None else self._standstill.began_at + self.longest_s

    @property
    def is_overdue(self) -> bool:
        """Whether that is now."""
        due = self.gives_way_at
        return due is not None and self._clock.monotonic() >= due

    def is_silent(self, threshold_s: float) -> bool:
        """Ask whether it is there. True: it has been silent for too long."""
        if self._runner is None or self._signs_of_life is None:
            return False
        if self._signs_of_life.are_missing(self._clock.monotonic(), threshold_s):
            return True
        self._runner.send(FrameKind.PING)
        return False

    def kill(self) -> None:
        """End the process at once."""
        if self._runner is not None:
            self._runner.kill()

    def bury(self) -> list[M]:
        """The process is gone: another one comes, later if it is not known why. Returns whose code it was in."""
        runner, self._runner = self._runner, None
        found = set() if runner is None else runner.executing()
        if runner is not None:
            runner.close()
        self.standstill = self._standstill = None
        suspects = [self.members[key] for key in sorted(self.members) if key in found]
        now = self._clock.monotonic()
        if suspects or now - self._started_at >= _STEADY_S:
            self._pause_s = _SHORTEST_PAUSE_S
        self.restart_at = now + self._pause_s
        self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
        return suspects

    def finish(self) -> None:
        """Let those in it clean up. `close` waits for it."""
        if self._runner is not None:
            self._runner.finish()

    def close(self) -> list[Frame]:
        """End the process. Returns its last words."""
        runner, self._runner = self._runner, None
        if runner is None:
            return []
        runner.close()
        return runner.frames()
