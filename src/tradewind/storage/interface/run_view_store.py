"""What pages show of the inside of runs: attempts in time, tasks of several runs, runs of a year."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import RunKey
from tradewind.model.states import RunState, TaskState
from tradewind.model.usual_task import UsualTask


class AttemptInTime(NamedTuple):
    """When what happened to an attempt, as far as it has."""

    task_id: str
    map_index: int
    attempt: int
    try_number: int
    state: TaskState
    scheduled_at: datetime | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    waited_since: datetime | None
    """When it last left its worker to wait for something. What is scheduled and queued after that is its return."""


class TaskSummary(NamedTuple):
    """The copies of a task in a run that have one state."""

    run_key: RunKey
    task_id: str
    state: TaskState
    number: int
    started_at: datetime | None
    """The first of them."""
    finished_at: datetime | None
    """The last of them."""
    try_number: int
    """The highest of them."""


class RunsOfQuarter(NamedTuple):
    """How many runs of a quarter of an hour have a state."""

    at: datetime
    state: RunState
    number: int


class RunViewStore(Protocol):
    """Reads what pages show of the inside of runs."""

    def attempts(self, run_key: RunKey) -> list[AttemptInTime]:
        """All attempts of the run, and the instances that have none yet, by task, copy and number."""

    def summaries(self, run_keys: Collection[RunKey], task_ids: Collection[str] | None = None) -> list[TaskSummary]:
        """Of these tasks of these runs, or of all, in no order."""

    def quarters(self, dag_id: str, start: datetime, end: datetime) -> list[RunsOfQuarter]:
        """The runs of a DAG that were to begin from one instant to before another one.

        By quarters of an hour: there is no time zone whose days begin at another minute.
        """

    def version_numbers(self, version_keys: Collection[int]) -> dict[int, int]:
        """How people call these versions of their DAG."""

    def usual_tasks(self, dag_id: str, most: int) -> dict[str, UsualTask]:
        """By task, how it went in the last runs that succeeded, at most so many; those that never did are not there."""
