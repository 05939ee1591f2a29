"""The store of deadlines of runs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from tradewind.model.dag_file import FileName
from tradewind.model.deadline import Deadline, DeadlineKey, DeadlineState, NewDeadline
from tradewind.model.ids import JobKey, RunKey, VersionKey


class DeadlineStore(Protocol):
    """Deadlines. A state is written only where the one before is still there."""

    def add(self, new: Sequence[NewDeadline], version_key: VersionKey, now: datetime) -> None:
        """Deadlines of a new run of this version of its DAG."""

    def of_run(self, run_key: RunKey) -> list[Deadline]:
        """By number."""

    def recent_durations(self, dag_id: str, most: int) -> list[float]:
        """How many seconds the last successful runs of a DAG took, the newest first."""

    def next_due_at(self) -> datetime | None:
        """When the next one is due, as far as that is known."""

    def due(self, now: datetime, limit: int) -> list[Deadline]:
        """Lock those that are due now, the oldest first; not what another scheduler holds."""

    def lock_ahead(self, run_key: RunKey) -> list[Deadline]:
        """Those of a run that are still to come, locked."""

    def move(self, key: DeadlineKey, due_at: datetime) -> None:
        """To another instant, if it is still to come."""

    def miss(self, keys: Collection[DeadlineKey], now: datetime) -> None:
        """ahead → pending, of locked ones."""

    def delete(self, keys: Collection[DeadlineKey]) -> None:
        """They were met."""

    def claim(
        self, bundles: Collection[str], limit: int, job: JobKey, *, now: datetime, until: datetime
    ) -> list[tuple[Deadline, FileName]]:
        """Take those whose instant authors' code of these bundles has to say, and that nobody has taken, or whose taker
        fell silent."""

    def renew(self, keys: Collection[DeadlineKey], job: JobKey, until: datetime) -> None:
        """Keep those that are still this processor's."""

    def resolve(self, key: DeadlineKey, due_at: datetime, job: JobKey) -> None:
        """asked → ahead, by who has taken it. Here and below: what was taken by another meanwhile is the other's."""

    def withdraw(self, key: DeadlineKey, job: JobKey) -> None:
        """asked → gone: the author's code says that the run has no such deadline."""

    def end(
        self, key: DeadlineKey, before: DeadlineState, after: DeadlineState, message: str | None, job: JobKey
    ) -> bool:
        """What came of what was taken. False: it was no longer this processor's."""
