"""One run of a DAG, as the database knows it."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from tradewind.model.ids import BackfillKey, JobKey, RunKey, VersionKey
from tradewind.model.json_value import JsonValue
from tradewind.model.states import RunState, RunType, TriggeredBy
from tradewind.model.timetable import DataInterval


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run that shall be created, with a task instance for each of its tasks."""

    dag_id: str
    run_id: str
    run_type: RunType
    run_after: datetime
    version_key: VersionKey
    logical_date: datetime | None = None
    data_interval: DataInterval | None = None
    conf: JsonValue = None
    note: str | None = None
    triggered_by: TriggeredBy | None = None
    triggering_user_name: str | None = None
    backfill_key: BackfillKey | None = None
    """The backfill that it belongs to: then it counts against the limit of that one, and not of its DAG."""
    bundle_version: str | None = None
    """Of which version of the DAG's bundle its code is; None: of the current one."""
    partition_key: str | None = None
    """The partition that it is about."""
    partition_date: datetime | None = None
    """The date that the partition stands for, if it stands for one."""

    @property
    def ordering_at(self) -> datetime:
        """The instant that says which run of the DAG came before which."""
        return self.logical_date or self.run_after


class RunHead(NamedTuple):
    """As much of a run as the scheduler needs to decide about it. Read by the hundred in each pass: a tuple."""

    key: RunKey
    dag_id: str
    run_id: str
    state: RunState
    version_key: VersionKey
    change_number: int
    """Grows with each decision and each change by a person; a memory of the run is good only at this number."""
    ordering_at: datetime
    run_type: RunType
    run_after: datetime
    started_at: datetime | None = None
    forced_state: RunState | None = None
    """What a person said the run shall end as, once its teardowns have run."""


class RunCounts(NamedTuple):
    """The runs of a DAG that have not ended. Those of backfills are in none of the numbers."""

    running: int
    queued: int
    waiting_backfills: tuple[BackfillKey, ...] = ()
    """Which of its backfills have queued runs."""

    @property
    def active(self) -> int:
        """Running and queued."""
        return self.running + self.queued


@dataclass(frozen=True, slots=True)
class Run:
    """A run as stored."""

    key: RunKey
    dag_id: str
    run_id: str
    run_type: RunType
    state: RunState
    run_after: datetime
    ordering_at: datetime
    version_key: VersionKey
    change_number: int
    owner: JobKey | None = None
    logical_date: datetime | None = None
    data_interval: DataInterval | None = None
    conf: JsonValue = None
    note: str | None = None
    triggered_by: TriggeredBy | None = None
    triggering_user_name: str | None = None
    queued_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    times_out_at: datetime | None = None
    clear_number: int = 0
    forced_state: RunState | None = None
    reason: str | None = None
    """Why it ended as it did, where its tasks do not say."""
    bundle_version: str | None = None
    """Of which version of the DAG's bundle its code is, where the bundle has versions."""
    decided_at: datetime | None = None
    """When a scheduler last decided something about it."""
    updated_at: datetime | None = None
    """When it last changed its state, or a person something about it."""
    backfill_key: BackfillKey | None = None
    partition_key: str | None = None
    """The partition that it is about."""
    partition_date: datetime | None = None
