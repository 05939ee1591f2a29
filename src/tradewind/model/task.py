"""A task instance as stored, and what its executor and worker say about it."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from tradewind.model.ids import AttemptKey, JobKey, RunKey, TaskKey
from tradewind.model.states import HeldBy, TaskState


class TaskSnapshot(NamedTuple):
    """What the engine must know of a task instance to decide about its run. Read by the thousand: a tuple."""

    run_key: RunKey
    task_id: str
    map_index: int
    state: TaskState
    attempt: int
    try_number: int
    held_by: HeldBy | None
    wake_at: datetime | None
    map_length: int | None
    skips: tuple[str, ...]

    @property
    def key(self) -> TaskKey:
        """Which task instance this is."""
        return TaskKey(self.run_key, self.task_id, self.map_index)


class NewTask(NamedTuple):
    """A task instance that shall be created."""

    run_key: RunKey
    dag_id: str
    task_id: str
    map_index: int
    max_tries: int
    pool: str
    pool_slots: int
    priority_weight: int
    max_active_per_dag: int | None
    queue: str
    executor: str | None
    operator: str
    task_type: str | None = None
    """The class of the operator, where the author gave it another name."""
    display_name: str | None = None
    executor_config: str | None = None


@dataclass(frozen=True, slots=True)
class TaskInstance:
    """A task instance with all that people ask about it."""

    run_key: RunKey
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    state: TaskState
    attempt: int
    try_number: int
    max_tries: int
    pool: str
    pool_slots: int
    priority_weight: int
    max_active_per_dag: int | None
    queue: str
    executor: str | None
    operator: str
    held_by: HeldBy | None = None
    wake_at: datetime | None = None
    scheduled_at: datetime | None = None
    queued_at: datetime | None = None
    queued_by: JobKey | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    heartbeat_at: datetime | None = None
    hostname: str | None = None
    pid: int | None = None
    worker: JobKey | None = None
    """The supervisor that runs it, or ran it last."""
    map_length: int | None = None
    skips: tuple[str, ...] = ()
    requeues: int = 0
    reschedules: int = 0
    """How often its sensor freed the worker in this try."""
    rendered_map_index: str | None = None
    """What people see in place of the map index."""
    cpu_s: float | None = None
    peak_memory_bytes: int | None = None
    reason: str | None = None
    note: str | None = None

    @property
    def key(self) -> TaskKey:
        """Which task instance this is."""
        return TaskKey(self.run_key, self.task_id, self.map_index)

    @property
    def attempt_key(self) -> AttemptKey:
        """The latest attempt."""
        return AttemptKey(self.run_key, self.task_id, self.map_index, self.attempt)


class Candidate(NamedTuple):
    """A scheduled task instance that nothing in its own run holds back: it waits for slots only."""

    run_key: RunKey
    task_id: str
    map_index: int
    attempt: int
    dag_id: str
    pool: str
    pool_slots: int
    priority_weight: int
    queue_turn: int
    max_active_per_dag: int | None
    executor: str | None
    queue: str
    try_number: int

    @property
    def key(self) -> TaskKey:
        """Which task instance this is."""
        return TaskKey(self.run_key, self.task_id, self.map_index)


class WorkItem(NamedTuple):
    """What an executor is asked to run: one attempt."""

    attempt: AttemptKey
    dag_id: str
    queue: str
    try_number: int
    priority_weight: int
    executor: str | None = None
    token: str = ""
    """With which a worker that has no database may begin it: its executor adds it."""


@dataclass(frozen=True, slots=True)
class Started:
    """A worker has begun an attempt."""

    attempt: AttemptKey
    at: datetime
    hostname: str | None = None
    pid: int | None = None
    worker: JobKey | None = None
    """The supervisor that runs it."""


@dataclass(frozen=True, slots=True)
class Succeeded:
    """An attempt returned."""

    attempt: AttemptKey
    at: datetime
    started_at: datetime | None = None
    map_length: int | None = None
    """Length of what it returned, where that can be mapped over."""
    skips: tuple[str, ...] = ()
    """Tasks that a branch or short circuit decided against."""


@dataclass(frozen=True, slots=True)
class Failed:
    """An attempt raised, was killed, or was lost."""

    attempt: AttemptKey
    at: datetime
    started_at: datetime | None = None
    reason: str | None = None
    may_retry: bool = True
    """False for failures that no retry can mend (`AirflowFailException`, a sensor's timeout)."""
    retry_delay_s: float | None = None
    """A retry policy's own answer, in place of the task's delay."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """An attempt asked to be skipped."""

    attempt: AttemptKey
    at: datetime
    started_at: datetime | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Rescheduled:
    """A sensor freed its worker until `until`."""

    attempt: AttemptKey
    at: datetime
    until: datetime
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Deferred:
    """An attempt left its worker to wait for a trigger; `until` is the trigger's timeout."""

    attempt: AttemptKey
    at: datetime
    until: datetime | None = None
    started_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class AwaitingInput:
    """An attempt left its worker until a person answers; `until` is when it no longer waits."""

    attempt: AttemptKey
    at: datetime
    until: datetime | None = None
    started_at: datetime | None = None


EndReport = Succeeded | Failed | Skipped | Rescheduled | Deferred | AwaitingInput
TaskReport = Started | EndReport


@dataclass(frozen=True, slots=True)
class PastTask:
    """What `depends_on_past` needs to know of the same task in the run before."""

    exists: bool
    any_earlier_run: bool
    state: TaskState = TaskState.NONE
    downstream_passed: bool = True


NO_PAST = PastTask(exists=False, any_earlier_run=False)
