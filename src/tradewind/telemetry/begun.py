"""Attempts that this process has begun, until they end."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, NamedTuple

from tradewind.model.ids import AttemptKey
from tradewind.model.run import Run
from tradewind.model.task import TaskInstance
from tradewind.telemetry.measurements import AttemptOutcome, AttemptsBegan, AttemptsEnded

_MOST: Final = 10_000


class EndedTask(NamedTuple):
    """An attempt from its beginning to its end."""

    task: TaskInstance
    run: Run
    outcome: AttemptOutcome


class BegunAttempts:
    """Bounded: an attempt whose end somebody else tells is forgotten in time."""

    def __init__(self) -> None:
        self._begun: OrderedDict[AttemptKey, tuple[TaskInstance, Run]] = OrderedDict()

    def begin(self, event: AttemptsBegan) -> None:
        """Remember them."""
        for task in event.tasks:
            self._begun[task.attempt_key] = (task, event.runs[task.run_key])
        while len(self._begun) > _MOST:
            self._begun.popitem(last=False)

    def end(self, event: AttemptsEnded) -> Iterator[EndedTask]:
        """Those of them that were begun here."""
        for outcome in event.ends:
            known = self._begun.pop(outcome.attempt, None)
            if known is not None:
                yield EndedTask(*known, outcome)
