"""An executor that ends every attempt at once, for tests and benchmarks of the scheduler alone."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from tradewind.model.ids import AttemptKey
from tradewind.model.task import Started, Succeeded, TaskReport, WorkItem

Outcome = Callable[[WorkItem, datetime], Sequence[TaskReport]]


def succeed(work: WorkItem, now: datetime) -> Sequence[TaskReport]:
    """Begun and done."""
    return (Started(work.attempt, now), Succeeded(work.attempt, now, started_at=now))


class InstantExecutor:
    """Does what `outcome` says, in no time."""

    def __init__(
        self, now: Callable[[], datetime], *, outcome: Outcome = succeed, slots: int = 1_000_000, name: str = "instant"
    ) -> None:
        self._now = now
        self._outcome = outcome
        self._slots = slots
        self._name = name
        self._reports: list[TaskReport] = []

    @property
    def name(self) -> str:
        """See `Executor.name`."""
        return self._name

    def free_slots(self) -> int:
        """Always as many as it was made with: nothing ever occupies one."""
        return self._slots

    def submit(self, work: Sequence[WorkItem]) -> None:
        """See `Executor.submit`."""
        now = self._now()
        for item in work:
            self._reports.extend(self._outcome(item, now))

    def reports(self) -> Sequence[TaskReport]:
        """See `Executor.reports`."""
        reports, self._reports = self._reports, []
        return reports

    def holds(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """Only what was not yet fetched by `reports`."""
        return {report.attempt for report in self._reports} & set(attempts)

    def adopt(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """It holds nothing between two passes, so there is nothing to find."""
        return set()

    def revoke(self, attempts: Collection[AttemptKey]) -> None:
        """What is done is done."""

    def close(self) -> None:
        """It holds nothing."""
