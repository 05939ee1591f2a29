"""The executor of a test: it keeps what it is given until the test lets it run."""

from collections.abc import Callable, Collection, Sequence
from typing import Final

from tradewind.model.ids import AttemptKey
from tradewind.model.task import TaskReport, WorkItem

_SLOTS: Final = 1_000_000


class KeptWork:
    """What all executors of a test were given, in order."""

    def __init__(self) -> None:
        self._work: dict[AttemptKey, WorkItem] = {}

    def add(self, item: WorkItem) -> None:
        """Keep it; a second time changes nothing."""
        self._work.setdefault(item.attempt, item)

    def take(self) -> list[WorkItem]:
        """All of it, in order. It is kept no longer."""
        work = list(self._work.values())
        self._work.clear()
        return work

    def drop(self, attempts: Collection[AttemptKey]) -> None:
        """Forget these."""
        for attempt in attempts:
            self._work.pop(attempt, None)

    def has(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """Which of these are kept."""
        return self._work.keys() & set(attempts)


class KeepingExecutor:
    """Implements `executors.interface.Executor`. There is one for each name that a task asks for."""

    def __init__(self, name: str, kept: KeptWork, reports: Callable[[], Sequence[TaskReport]]) -> None:
        self._name = name
        self._kept = kept
        self._reports = reports

    @property
    def name(self) -> str:
        """See `Executor.name`."""
        return self._name

    def free_slots(self) -> int:
        """See `Executor.free_slots`. The engine has limits of its own."""
        return _SLOTS

    def submit(self, work: Sequence[WorkItem]) -> None:
        """See `Executor.submit`."""
        for item in work:
            self._kept.add(item)

    def reports(self) -> Sequence[TaskReport]:
        """See `Executor.reports`."""
        return self._reports()

    def holds(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """See `Executor.holds`."""
        return self._kept.has(attempts)

    def adopt(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """There is no other scheduler whose work it could find."""
        return set()

    def revoke(self, attempts: Collection[AttemptKey]) -> None:
        """See `Executor.revoke`."""
        self._kept.drop(attempts)

    def close(self) -> None:
        """See `Executor.close`."""
