"""The store of runs that ended elsewhere: they are written down as they ended, and nobody decides about them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import RunKey, VersionKey
from tradewind.model.json_value import JsonValue
from tradewind.model.states import RunState, RunType, TaskState, TriggeredBy
from tradewind.model.timetable import DataInterval

RunName = tuple[str, str]
"""The ids of a DAG and of its run."""


@dataclass(frozen=True, slots=True)
class EndedRun:
    """A run that is over."""

    dag_id: str
    run_id: str
    run_type: RunType
    state: RunState
    run_after: datetime
    finished_at: datetime
    logical_date: datetime | None = None
    data_interval: DataInterval | None = None
    queued_at: datetime | None = None
    started_at: datetime | None = None
    clear_number: int = 0
    conf: JsonValue = None
    note: str | None = None
    triggered_by: TriggeredBy | None = None
    triggering_user_name: str | None = None
    reason: str | None = None

    @property
    def name(self) -> RunName:
        """What people call it."""
        return self.dag_id, self.run_id


class EndedTask(NamedTuple):
    """A task instance of such a run, by the names of its columns."""

    run_key: RunKey
    task_id: str
    map_index: int
    dag_id: str
    state: TaskState
    attempt: int
    try_number: int
    max_tries: int
    pool: str
    pool_slots: int
    priority_weight: int
    queue: str
    executor: str | None
    operator: str
    task_type: str | None
    display_name: str | None
    scheduled_at: datetime | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    hostname: str | None
    pid: int | None
    rendered_map_index: str | None
    reason: str | None
    note: str | None


class EndedTry(NamedTuple):
    """An earlier try of such a task instance, by the names of its columns."""

    run_key: RunKey
    task_id: str
    map_index: int
    attempt: int
    try_number: int
    state: TaskState
    scheduled_at: datetime | None
    queued_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    hostname: str | None
    pid: int | None


class EndedXCom(NamedTuple):
    """What such a task instance left for others."""

    run_key: RunKey
    task_id: str
    map_index: int
    key: str
    value: JsonValue
    is_dag_result: bool
    created_at: datetime


class HistoryStore(Protocol):
    """Writes runs that are over."""

    def taken_ids(self, names: Collection[RunName]) -> set[RunName]:
        """Which of these runs there are."""

    def taken_dates(self, dates: Collection[tuple[str, datetime]]) -> set[tuple[str, datetime]]:
        """Which of these logical dates some run of the DAG has."""

    def add_runs(
        self, runs: Sequence[EndedRun], versions: Mapping[str, VersionKey], now: datetime
    ) -> dict[RunName, RunKey]:
        """New ones, each of the version of its DAG. No scheduler is told."""

    def add_tasks(self, tasks: Sequence[EndedTask]) -> None:
        """Of runs that were added."""

    def add_tries(self, tries: Sequence[EndedTry]) -> None:
        """Of tasks that were added."""

    def add_xcoms(self, xcoms: Sequence[EndedXCom]) -> None:
        """Of tasks that were added."""
