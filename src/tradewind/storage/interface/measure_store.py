"""The store of nothing: how much there is of everything that has not ended, for those who draw curves."""

from typing import Protocol

from tradewind.model.ids import JobKey
from tradewind.model.states import TaskState
from tradewind.telemetry.measurements import FilesMeasured, RunsMeasured, TaskCount


class MeasureStore(Protocol):
    """Counts. Nothing is locked, and what has ended is not looked at."""

    def runs(self) -> RunsMeasured:
        """How many have not ended."""

    def tasks(self) -> list[TaskCount]:
        """Of waiting and active instances, how many of which task are in which state."""

    def handed_out(self, job: JobKey) -> dict[tuple[str | None, TaskState], int]:
        """By (executor, state): what this scheduler has given to executors; None is the default one."""

    def files(self) -> FilesMeasured:
        """How many DAGs there are, how many files cannot be used, and how long it took to read all of them."""
