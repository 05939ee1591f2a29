"""What the engine tells for those who draw curves: how long, how many, how full.

Told by a service itself, they are made only while somebody measures (`Hub.measures`). Told with a transaction, they
hold what is there anyway, so that they cost next to nothing when nobody listens.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.run import Run
from tradewind.model.states import RunState, TaskState
from tradewind.model.task import NewTask, TaskInstance


@dataclass(frozen=True, slots=True)
class AttemptsBegan:
    """Attempts were given to their processes. `runs` are those that they belong to."""

    tasks: tuple[TaskInstance, ...]
    runs: Mapping[RunKey, Run]


class AttemptOutcome(NamedTuple):
    """How an attempt ended, and when."""

    attempt: AttemptKey
    state: TaskState
    at: datetime


@dataclass(frozen=True, slots=True)
class AttemptsEnded:
    """Attempts ended, for good or for the time being."""

    ends: tuple[AttemptOutcome, ...]


@dataclass(frozen=True, slots=True)
class TasksCreated:
    """Task instances that there were not."""

    tasks: Sequence[NewTask]


@dataclass(frozen=True, slots=True)
class TasksRemoved:
    """A run went on with a version of its DAG that has fewer tasks."""

    dag_id: str
    count: int


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """The process of an attempt is over. A negative code is the number of the signal that ended it."""

    dag_id: str
    task_id: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class JobStarted:
    """A service began."""

    kind: str


@dataclass(frozen=True, slots=True)
class JobEnded:
    """A service left in good order."""

    kind: str


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A service said that it lives; `is_late`: it was taken for dead already."""

    kind: str
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class PassDone:
    """The scheduler did all its duties once."""

    duration_s: float


@dataclass(frozen=True, slots=True)
class DutyDone:
    """A service did one duty. `done`: how much there was to do."""

    kind: str
    duty: str
    duration_s: float
    done: int


@dataclass(frozen=True, slots=True)
class PoolsContended:
    """Another scheduler was serving all pools that this one wanted to serve."""


@dataclass(frozen=True, slots=True)
class OrphansAdopted:
    """Attempts of a dead scheduler go on under another one."""

    count: int


@dataclass(frozen=True, slots=True)
class ExecutorMeasured:
    """How busy an executor was at one moment with what one scheduler gave it."""

    executor: str
    open_slots: int
    queued: int
    running: int


@dataclass(frozen=True, slots=True)
class RunsMeasured:
    """How many runs were in which unfinished state, and how many DAGs had a running one."""

    by_state: Mapping[RunState, int]
    dags_running: int


class TaskCount(NamedTuple):
    """How many instances of a task are in a state."""

    state: TaskState
    queue: str
    dag_id: str
    task_id: str
    instances: int


@dataclass(frozen=True, slots=True)
class TasksMeasured:
    """Where waiting and active task instances were at one moment: all of them."""

    counts: Sequence[TaskCount]


class JobAge(NamedTuple):
    """How long ago a service was heard of."""

    kind: str
    hostname: str
    seconds: float


@dataclass(frozen=True, slots=True)
class JobsMeasured:
    """All services that have not ended, as far as anybody knows."""

    ages: Sequence[JobAge]


@dataclass(frozen=True, slots=True)
class StructuresMeasured:
    """How often a compiled DAG was asked for, and had to be read, since the process began."""

    kind: str
    hits: int
    misses: int
    size: int


@dataclass(frozen=True, slots=True)
class FileRead:
    """A DAG file was read, or its process was ended because it took too long."""

    bundle: str
    path: str
    duration_s: float
    is_timed_out: bool


@dataclass(frozen=True, slots=True)
class FilesMeasured:
    """What the DAG files had at one moment. `waiting` and `reading` are known to the DAG processor only."""

    dags: int
    failing_files: int
    parse_s: float = 0.0
    waiting: int | None = None
    reading: int | None = None


@dataclass(frozen=True, slots=True)
class TriggersMeasured:
    """How busy a triggerer was at one moment."""

    hostname: str
    running: int
    capacity_left: int


@dataclass(frozen=True, slots=True)
class TriggersDone:
    """Triggers said something, or broke before they could."""

    succeeded: int
    failed: int


@dataclass(frozen=True, slots=True)
class AssetsUpdated:
    """Assets were updated, by tasks or from outside."""

    count: int


@dataclass(frozen=True, slots=True)
class RequestServed:
    """The web server answered. `route` is the path with its parameters' names in place of their values."""

    method: str
    route: str
    status: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class ConnectionTested:
    """Somebody had a connection tried."""

    works: bool
    duration_s: float


@dataclass(frozen=True, slots=True)
class ConnectionTestsMeasured:
    """How many tests of connections wait for a worker, and how many are under way."""

    pending: int
    active: int


@dataclass(frozen=True, slots=True)
class ConnectionTestsHandedOut:
    """Tests of connections went to executors."""

    duration_s: float


@dataclass(frozen=True, slots=True)
class ConnectionTestGivenUp:
    """A test of a connection did not end in time."""

    conn_id: str
    prior_state: str


class UserMetric(NamedTuple):
    """What the code of a task measured: `c` a counter, `g` a gauge, `d` the change of one, `ms` a duration."""

    kind: str
    name: str
    value: float
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class UserMeasured:
    """Metrics of the code of tasks."""

    metrics: Sequence[UserMetric] = field(default_factory=tuple)


class Told(Protocol):
    """A metric as the process that made it tells it; `wire.metrics.Measured` is one."""

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def tags(self) -> Mapping[str, str]: ...


def user_measured(told: Iterable[Told]) -> UserMeasured:
    """What such a process told."""
    return UserMeasured([UserMetric(each.kind, each.name, each.value, each.tags) for each in told])


Measurement = (
    AttemptsBegan
    | AttemptsEnded
    | TasksCreated
    | TasksRemoved
    | ProcessEnded
    | JobStarted
    | JobEnded
    | Heartbeat
    | PassDone
    | DutyDone
    | PoolsContended
    | OrphansAdopted
    | ExecutorMeasured
    | RunsMeasured
    | TasksMeasured
    | JobsMeasured
    | StructuresMeasured
    | FileRead
    | FilesMeasured
    | TriggersMeasured
    | TriggersDone
    | AssetsUpdated
    | RequestServed
    | ConnectionTested
    | ConnectionTestsMeasured
    | ConnectionTestsHandedOut
    | ConnectionTestGivenUp
    | UserMeasured
)
