"""Gives attempts their processes."""

import selectors
import signal
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

from tradewind.model.assignment import WorkOrder
from tradewind.model.states import TaskState
from tradewind.runtime.clock import Clock
from tradewind.telemetry.measurements import UserMetric
from tradewind.worker.protocol import DagFile, Gone, Question
from tradewind.worker.supervisor.attempt import Attempt
from tradewind.worker.supervisor.background import Background
from tradewind.worker.supervisor.memory import limit_of
from tradewind.worker.supervisor.memory_kills import MemoryKills
from tradewind.worker.supervisor.options import Places, SupervisorOptions
from tradewind.worker.supervisor.zygotes import Events, Zygotes

_MOST_FORK_RETRIES: Final = 5
_FORK_RETRY_S: Final = 0.5
_MEMORY_RAN_OUT: Final = "While the task ran, memory ran out, and the kernel killed a process of this worker."


class Launcher:
    """Finds the code of an attempt, has its process forked, and tries again where the system does not let us."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        clock: Clock,
        background: Background,
        *,
        options: SupervisorOptions,
        places: Places,
        environ: Mapping[str, str],
        lease_ends: Callable[[], float],
        forked: Callable[[Attempt], None],
        gone: Callable[[Attempt, Gone], None],
    ) -> None:
        """`gone` is told of each attempt whose process is over, or that will never have one. See `Zygotes` for
        `lease_ends`."""
        self._selector = selector
        self._clock = clock
        self._background = background
        self._options = options
        self._places = places
        self._forked = forked
        self._gone = gone
        events = Events(self._was_forked, self._was_not_forked, self._was_broken, self._was_gone)
        self.zygotes = Zygotes(
            selector,
            environ,
            events,
            lease_ends=lease_ends,
            most=options.most_zygotes,
            idle_s=options.zygote_idle_s,
        )
        self._memory_kills = MemoryKills()
        self._files: dict[Attempt, DagFile] = {}
        self._retry_at: dict[Attempt, float] = {}

    @property
    def retry_at(self) -> float | None:
        """When a fork is tried again."""
        return min(self._retry_at.values(), default=None)

    def make(
        self,
        order: WorkOrder,
        asked: Callable[[Attempt, Question, bool], None],
        said_end: Callable[[Attempt], None],
        measured: Callable[[list[UserMetric]], None],
    ) -> Attempt:
        """An attempt with a log, and without a process yet."""
        attempt = Attempt(self.zygotes.next_number(), order, asked, said_end, measured)
        attempt.log = self._places.log(order, attempt.hide)
        return attempt

    def launch(self, attempt: Attempt) -> None:
        """Give it its process."""
        order = attempt.order
        attempt.memory_kills_before = self._memory_kills.count()
        try:
            attempt.max_memory_bytes = limit_of(order.executor_config, self._options.max_memory_bytes)
            attempt.open(self._selector)
        except (ValueError, OSError) as error:
            self.fail(attempt, f"it could not be started: {error}")
            return
        known = self._places.known_folder(order.bundle_name, order.bundle_version)
        if known is not None:
            self._fork(attempt, known)
            return
        self._background.run(
            lambda: self._places.folder(order.bundle_name, order.bundle_version),
            lambda folder: self._fork(attempt, folder),
            lambda error: self.fail(attempt, f"its DAG file could not be had: {error}"),
        )

    def tend(self) -> None:
        """Try again what failed, and let go of what is no longer used."""
        now = self._clock.monotonic()
        for attempt in [attempt for attempt, due_at in self._retry_at.items() if now >= due_at]:
            del self._retry_at[attempt]
            self.zygotes.fork(attempt, self._files[attempt], now)
        self.zygotes.tend(now)

    def fail(self, attempt: Attempt, reason: str) -> None:
        """It will never have a process."""
        attempt.spoiled = reason
        self._files.pop(attempt, None)
        self._gone(attempt, Gone(attempt.number, 0, 0.0, 0))

    def close(self) -> None:
        """End every process."""
        self.zygotes.close()
        self._memory_kills.close()

    def call_off(self, attempts: Iterable[Attempt], reason: str) -> None:
        """Those that wait for another try to fork need not."""
        for attempt in attempts:
            if self._retry_at.pop(attempt, None) is not None:
                self.fail(attempt, reason)

    def _fork(self, attempt: Attempt, folder: Path) -> None:
        order = attempt.order
        options = self._options
        file = DagFile(order.bundle_name, str(folder), order.path, options.plugins, options.keeps_metrics)
        self._files[attempt] = file
        self.zygotes.fork(attempt, file, self._clock.monotonic())

    def _was_forked(self, attempt: Attempt, pid: int) -> None:
        self._files.pop(attempt, None)
        attempt.forked(pid)
        self._forked(attempt)

    def _was_not_forked(self, attempt: Attempt, error: str) -> None:
        attempt.forks_failed += 1
        if attempt.forks_failed > _MOST_FORK_RETRIES or attempt.stopping is not None:
            self.fail(attempt, f"no process could be made for it: {error}")
        else:
            self._retry_at[attempt] = self._clock.monotonic() + _FORK_RETRY_S * attempt.forks_failed

    def _was_gone(self, attempt: Attempt, gone: Gone) -> None:
        """Its process is over. If the kernel ended it, or what it had started, people want to know."""
        before, ended = attempt.memory_kills_before, attempt.ended
        if ended is None and attempt.stopping is None and gone.exit_code == -signal.SIGKILL:
            attempt.is_memory_kill = self._memory_kills.explain(before)
        elif ended is not None and ended.state == TaskState.FAILED and self._memory_kills.count() > before:
            attempt.note(_MEMORY_RAN_OUT, self._clock.now())
        self._gone(attempt, gone)

    def _was_broken(self, attempt: Attempt, traceback: str) -> None:
        attempt.note(traceback, self._clock.now())
        last_line = traceback.strip().rpartition("\n")[2]
        self.fail(attempt, f"the DAG file cannot be imported: {last_line}")
