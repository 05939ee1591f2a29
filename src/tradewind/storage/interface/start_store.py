"""The store of tasks that begin with a trigger, without a worker."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.task import Candidate, TaskInstance


class TriggerStart(NamedTuple):
    """A task instance that begins to wait."""

    attempt: AttemptKey
    """The one before it begins."""
    times_out_at: datetime | None


class StartStore(Protocol):
    """Scheduled instances that need no worker to begin."""

    def pools(self) -> set[str]:
        """Those of the instances that are to begin."""

    def ready(self, pool: str, limit: int, most_slots: int) -> list[Candidate]:
        """Instances of one pool that are to begin, by priority, then fair turn. Left out: those of paused DAGs, and
        what needs more slots than `most_slots`."""

    def begin(self, starts: Sequence[TriggerStart], now: datetime) -> set[TaskKey]:
        """scheduled → deferred, attempt + 1. Returns those that were still to begin at the given attempt."""

    def read(self, attempts: Sequence[AttemptKey]) -> list[TaskInstance]:
        """The instances that are still at these attempts. Locks none."""

    def limit(self, ends: Sequence[tuple[AttemptKey, datetime | None]]) -> set[TaskKey]:
        """Until when these wait at most. Returns those that still wait at that attempt."""
