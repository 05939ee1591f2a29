"""For how long a runner has taken for something, and whether it still gives signs of life."""

from typing import Final

from tradewind.triggerer.runner_process import RunnerProcess

_START_PATIENCE_S: Final = 60.0
"""How long it may take until it gives its first sign of life: on a busy machine it takes long to load what it needs."""


class Stopwatch:
    """Measures what a process takes for something. While it waits for a processor, its code is not to blame."""

    def __init__(self, runner: RunnerProcess, began_s: float) -> None:
        self._runner = runner
        self._began_s = began_s
        self._starved_s = runner.starved_s()

    @property
    def began_at(self) -> float:
        """When it would have begun on a machine that has nothing else to do."""
        return self._began_s + max(0.0, self._runner.starved_s() - self._starved_s)


class SignsOfLife:
    """Of one runner process."""

    def __init__(self, runner: RunnerProcess) -> None:
        self._runner = runner
        self._has_answered = False
        self._unanswered: Stopwatch | None = None
        """Since it was asked for a sign of life that it has not given yet."""
        self._seems_silent = False

    def heard(self) -> None:
        """It gave one."""
        self._has_answered = True
        self._unanswered = None
        self._seems_silent = False

    def are_missing(self, now_s: float, threshold_s: float) -> bool:
        """Whether it has given none for too long. To be asked whenever one is asked for, after whatever it said."""
        if self._unanswered is None:
            self._unanswered = Stopwatch(self._runner, now_s)
            return False
        longest_s = threshold_s if self._has_answered else max(threshold_s, _START_PATIENCE_S)
        if now_s - self._unanswered.began_at <= longest_s:
            return False
        # Twice in a row: who was frozen itself has not heard yet what came in meanwhile.
        was_silent, self._seems_silent = self._seems_silent, True
        return was_silent
