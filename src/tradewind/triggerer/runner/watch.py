"""Looks at the event loop from a thread beside it: where it is, when somebody's code holds up all others."""

import threading
from collections.abc import Callable

from tradewind.sdk.task_clock import TaskClock
from tradewind.triggerer.runner.busy import Busy, Step


class Watch:
    """Looks twice in the time that a step may take, so that whoever takes longer was seen in it."""

    def __init__(self, busy: Busy, longest_s: float, tell: Callable[[Step, float], object], clock: TaskClock) -> None:
        """`tell` is told of each step that takes too long, while it does, and again when it took twice as long: it may
        have gone on from an import to what really blocks."""
        self._busy = busy
        self._longest_s = longest_s
        self._tell = tell
        self._clock = clock
        self._told: Step | None = None
        self._told_s = 0.0

    def start(self) -> None:
        """From now on, for as long as the process lives."""
        threading.Thread(target=self._run, name="watch over triggers", daemon=True).start()

    def look(self) -> None:
        """Once."""
        step = self._busy.step
        if step is None:
            return
        took_s = self._clock.monotonic() - step.since_s
        if took_s > self._longest_s / 2:
            stack = self._busy.stack()
            if self._busy.step is step:  # else it is that of somebody else
                step.stack = stack
        if took_s > self._longest_s and (step is not self._told or took_s > 2 * self._told_s):
            self._told, self._told_s = step, took_s
            self._tell(step, took_s)

    def _run(self) -> None:
        pause = threading.Event()
        while not pause.wait(self._longest_s / 2):
            self.look()
