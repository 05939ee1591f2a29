"""What the host of an attempt tells about it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.task_answers import DagRunResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One attempt: of which task, in which run, and how it came to it."""

    id: UUID
    task_id: str
    dag_run: DagRunResult
    started_at: datetime
    map_index: int = -1
    try_number: int = 1
    max_tries: int = 0
    has_tries_left: bool = False
    """Whether the engine would try again after a failure: decides between the callbacks for retry and failure."""
    reschedule_count: int = 0
    """How often this try was rescheduled so far."""
    map_length: int | None = None
    """How many instances of a mapped task there are."""
    next_method: str | None = None
    """Where to go on after a deferral."""
    next_kwargs: str | None = None
    """The arguments of `next_method`, serialized, as JSON: a text of their own, since the encodings of pipes have no
    word for some of what they may hold."""
    xcoms_to_clear: tuple[str, ...] = ()
    """What earlier tries pushed, and must not be found any more."""
    hostname: str | None = None
    dag_version_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Asker:
    """The task instance that asks something of the engine."""

    key: TaskKey
    dag_id: str
    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOrder:
    """An attempt that has begun, as far as the engine is concerned: all that a supervisor needs to run it."""

    attempt: AttemptKey
    assignment: Assignment
    bundle_name: str
    bundle_version: str | None
    path: str
    """Of the DAG file, relative to its bundle."""
    executor_config: object = None

    @property
    def asker(self) -> Asker:
        """Who asks when this attempt asks."""
        return Asker(self.attempt.task, self.assignment.dag_run.dag_id, self.assignment.dag_run.run_id)
