"""What the engine tells the world, in the past tense."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple

from tradewind.model.ids import JobKey, RunKey, TaskKey
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.model.task import TaskInstance
from tradewind.telemetry.measurements import Measurement


@dataclass(frozen=True, slots=True)
class TasksMoved:
    """Task instances came into a state."""

    state: TaskState
    tasks: tuple[TaskKey, ...]


class RunTimes(NamedTuple):
    """How a run came to it, and when; `at` is when it came into its state."""

    run_type: RunType
    run_after: datetime
    started_at: datetime | None
    at: datetime


@dataclass(frozen=True, slots=True)
class RunMoved:
    """A run came into a state. `times`: where the engine itself moved it."""

    run_key: RunKey
    dag_id: str
    run_id: str
    state: RunState
    reason: str | None = None
    times: RunTimes | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DagFenced:
    """A DAG cannot be scheduled; the others go on."""

    dag_id: str
    error: str


@dataclass(frozen=True, slots=True)
class DagsAwaitAssets:
    """What DAGs wait for has changed: an update came, or a tick."""

    dag_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SlotOverdue:
    """The deadline of a tick passed while it waited for assets. `done`: what becomes of it."""

    dag_id: str
    run_after: datetime
    missing: str
    done: str


@dataclass(frozen=True, slots=True)
class PartitionRefused:
    """A partition of an asset counts for no partition of a DAG that waits for it."""

    dag_id: str
    event_key: int
    partition_key: str
    reason: str


@dataclass(frozen=True, slots=True)
class TaskCannotFit:
    """A waiting task needs a pool that does not exist or is too small. It is reported, not retried in vain."""

    dag_id: str
    task: TaskKey
    pool: str
    reason: str


@dataclass(frozen=True, slots=True)
class PoolMeasured:
    """How a pool was used at one moment, in slots. `slots` is -1 for a pool without limit."""

    pool: str
    slots: int
    waiting: int
    queued: int
    running: int
    deferred: int
    open: int = 0
    """Slots that are free; -1 for a pool without limit."""
    starving: int = 0
    """Task instances that wait while no slot is free."""


class LostBy(Enum):
    """What an attempt was lost by."""

    SILENCE = auto()
    """Its worker sent no heartbeat."""
    WORKER = auto()
    """Its worker was killed."""
    SCHEDULER = auto()
    """Its scheduler died before it was handed over."""
    QUEUE = auto()
    """Its executor did not begin it."""


@dataclass(frozen=True, slots=True)
class AttemptLost:
    """An attempt's worker, or its place in an executor's queue, was lost."""

    task: TaskKey
    reason: str
    cause: LostBy = field(default=LostBy.QUEUE, compare=False)
    instance: TaskInstance | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class JobDied:
    """A service process was declared dead; others take over its work."""

    job_key: JobKey
    hostname: str


@dataclass(frozen=True, slots=True)
class DatabaseLost:
    """The database gives no answer."""

    error: str


@dataclass(frozen=True, slots=True)
class DatabaseBack:
    """The database answers again."""

    after_s: float


@dataclass(frozen=True, slots=True)
class DutyFailed:
    """One duty of a service raised; the others go on."""

    duty: str
    error: str


@dataclass(frozen=True, slots=True)
class DagsPublished:
    """DAG files were read: these DAGs are as they say now, and those are gone."""

    dag_ids: tuple[str, ...]
    stale: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DagsPaused:
    """Somebody paused DAGs, or lets them go on."""

    dag_ids: tuple[str, ...]
    is_paused: bool


@dataclass(frozen=True, slots=True)
class DagDeleted:
    """A DAG is gone, with all its runs."""

    dag_id: str


@dataclass(frozen=True, slots=True)
class RunDeleted:
    """A run is gone, with its task instances."""

    dag_id: str
    run_id: str


@dataclass(frozen=True, slots=True)
class TasksDeleted:
    """Task instances are gone; their run goes on without them."""

    tasks: tuple[TaskKey, ...]


@dataclass(frozen=True, slots=True)
class PoolChanged:
    """A pool was made, changed or deleted."""

    pool: str
    is_deleted: bool = False


@dataclass(frozen=True, slots=True)
class FileFailed:
    """A DAG file, or a DAG of it, cannot be used; the others go on."""

    bundle: str
    path: str
    error: str


@dataclass(frozen=True, slots=True)
class BundleFailed:
    """A bundle could not be brought up to date; what was fetched before stays."""

    bundle: str
    error: str


@dataclass(frozen=True, slots=True)
class CallbackCalled:
    """An author's callback was called in place of a worker; `error` says why it, or part of it, failed."""

    dag_id: str
    run_id: str
    task_id: str | None
    event: str
    error: str | None = None
    output: str = ""


@dataclass(frozen=True, slots=True)
class ListenersTold:
    """Listeners of plugins were told of what these hooks are for; `error` says what ended the process that did."""

    hooks: tuple[str, ...]
    error: str | None = None
    output: str = ""


@dataclass(frozen=True, slots=True)
class DeadlineCallbackLost:
    """Who was to call a callback fell silent. `given_up`: why no other one is asked."""

    dag_id: str
    deadline: int
    attempt: int
    given_up: str | None


@dataclass(frozen=True, slots=True)
class DeadlinesSet:
    """A new run has to be over in time: so many deadlines."""

    dag_id: str
    run_id: str
    count: int


@dataclass(frozen=True, slots=True)
class DeadlineMet:
    """A run was over in time."""

    dag_id: str
    run_id: str


@dataclass(frozen=True, slots=True)
class DeadlineMissed:
    """A run was not over in time."""

    dag_id: str
    run_id: str
    name: str | None
    due_at: datetime | None


@dataclass(frozen=True, slots=True)
class ExecutorFailed:
    """An executor cannot reach its workers; what it was given waits for them."""

    executor: str
    error: str


@dataclass(frozen=True, slots=True)
class LogNotKept:
    """The log of a task could not be written, or not be copied to where it shall outlive the machine."""

    name: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerBlocked:
    """The code of a trigger held up all others: the event loop stood still for so long, and there."""

    class_path: str
    dag_id: str
    run_id: str
    task_id: str
    seconds: float
    stack: str
    count: int
    """How often this one has done so."""

    @property
    def is_remarkable(self) -> bool:
        """Whether to tell people of it: who blocks in every step is not to fill their logs."""
        return _is_power_of_two(self.count)

    @property
    def text(self) -> str:
        """For people."""
        return (
            f"{self.class_path} kept all other triggers waiting for {self.seconds:.2f} s: it calls something that"
            f" blocks, in task {self.task_id!r} of DAG {self.dag_id!r}, run {self.run_id!r}; number {self.count}\n"
            f"{self.stack}"
        ).rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerQuarantined:
    """A trigger goes on in a process apart from the others, for what it did to them."""

    class_path: str
    dag_id: str
    run_id: str
    task_id: str
    reason: str

    @property
    def text(self) -> str:
        """For people."""
        return (
            f"{self.class_path} {self.reason}: it goes on in quarantine, apart from other triggers"
            f" (task {self.task_id!r} of DAG {self.dag_id!r}, run {self.run_id!r})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WatcherBlocked:
    """The code of a watcher held up all others: the event loop stood still for so long, and there."""

    class_path: str
    assets: tuple[str, ...]
    """What it looks out for."""
    seconds: float
    stack: str
    count: int
    """How often this one has done so."""

    @property
    def is_remarkable(self) -> bool:
        """See `TriggerBlocked.is_remarkable`."""
        return _is_power_of_two(self.count)

    @property
    def text(self) -> str:
        """For people."""
        return (
            f"{self.class_path} kept all other watchers waiting for {self.seconds:.2f} s: it calls something that"
            f" blocks, while it looks out for {', '.join(self.assets)}; number {self.count}\n{self.stack}"
        ).rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class WatcherQuarantined:
    """A watcher goes on in a process apart from the others, for what it did to them."""

    class_path: str
    assets: tuple[str, ...]
    reason: str

    @property
    def text(self) -> str:
        """For people."""
        assets = ", ".join(self.assets)
        return f"{self.class_path} {self.reason}: it looks out for {assets} in quarantine, apart from other watchers"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatcherSaid:
    """A watcher logged or printed something. It has no task whose log could keep it."""

    class_path: str
    text: str


def _is_power_of_two(count: int) -> bool:
    return count & (count - 1) == 0


Event = (
    TasksMoved
    | RunMoved
    | DagFenced
    | DagsAwaitAssets
    | SlotOverdue
    | PartitionRefused
    | TaskCannotFit
    | PoolMeasured
    | AttemptLost
    | JobDied
    | DatabaseLost
    | DatabaseBack
    | DutyFailed
    | DagsPublished
    | DagsPaused
    | DagDeleted
    | RunDeleted
    | TasksDeleted
    | PoolChanged
    | FileFailed
    | BundleFailed
    | CallbackCalled
    | ListenersTold
    | DeadlineCallbackLost
    | DeadlinesSet
    | DeadlineMet
    | DeadlineMissed
    | ExecutorFailed
    | LogNotKept
    | TriggerBlocked
    | TriggerQuarantined
    | WatcherBlocked
    | WatcherQuarantined
    | WatcherSaid
    | Measurement
)
