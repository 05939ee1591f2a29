"""The store for questions of tasks about runs and other tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.states import TaskState
from tradewind.model.task import TaskInstance


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs of a DAG are meant; what is None leaves the choice open."""

    dag_id: str
    logical_dates: Sequence[datetime] | None = None
    run_ids: Sequence[str] | None = None
    states: Sequence[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFilter:
    """Which task instances in these runs are meant; what is None leaves the choice open."""

    runs: RunFilter
    task_ids: Sequence[str] | None = None
    map_index: int | None = None
    states: Sequence[str] | None = None


class FoundTask(NamedTuple):
    """The state of a task instance."""

    run_id: str
    task_id: str
    map_index: int
    state: TaskState


class LookupStore(Protocol):
    """Runs and task instances by what people know of them. Nothing is locked."""

    def count_runs(self, which: RunFilter) -> int:
        """How many there are."""

    def run_before(self, dag_id: str, instant: datetime, state: str | None = None) -> Run | None:
        """The last run before then, of a state if one is given."""

    def task(self, key: TaskKey) -> TaskInstance | None:
        """One task instance in full."""

    def count_tasks(self, which: TaskFilter) -> int:
        """How many there are."""

    def task_states(self, which: TaskFilter) -> list[FoundTask]:
        """By run, then by task id and map index."""

    def task_before(
        self, dag_id: str, task_id: str, map_index: int, *, before: datetime | None = None, state: str | None = None
    ) -> tuple[TaskInstance, datetime | None] | None:
        """The task instance in the last run (before then), of a state if one is given, and the run's logical date."""
