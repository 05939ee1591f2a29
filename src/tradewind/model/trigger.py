"""What a waiting task waits for, and how the wait may end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tradewind.model.assignment import Assignment
from tradewind.model.ids import AttemptKey, TriggerKey
from tradewind.model.json_value import JsonValue
from tradewind.model.states import TaskState


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTrigger:
    """What one deferral waits for."""

    attempt: AttemptKey
    """The attempt that deferred: no other deferral has it."""
    class_path: str
    kwargs: str
    """JSON, serialized by the SDK; encrypted where there is a key."""
    is_encrypted: bool
    created_at: datetime
    queue: str | None = None
    is_prepared: bool = True
    """False: its task begins with it, and the DAG says which class it is and what that gets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedTrigger:
    """A trigger that a triggerer has claimed, and whose it is."""

    key: TriggerKey
    attempt: AttemptKey
    class_path: str
    kwargs: str
    is_encrypted: bool
    is_prepared: bool
    dag_id: str
    run_id: str
    try_number: int
    bundle_name: str | None
    """None: its DAG comes from no file."""
    bundle_version: str | None
    path: str | None
    """Of the DAG file, relative to its bundle."""
    assignment: Assignment | None = None
    """For one that is not prepared: what its author's code must know to say what it is."""
    is_called_off: bool = False
    """Whether a person called it off, and nobody has ended what it waits for."""
    blocks: int = 0
    """How often it held up others, so far."""
    is_quarantined: bool = False
    task_queue: str | None = None
    """Of the task that waits, as the next two: of one that was deleted, nobody knows them."""
    started_at: datetime | None = None
    hostname: str | None = None
    """Where it had its worker, if it had one."""


@dataclass(frozen=True, slots=True)
class Happened:
    """The event came: the task goes on with its payload, serialized by the SDK."""

    payload: object


@dataclass(frozen=True, slots=True)
class Broke:
    """The trigger raised, or ended without an event: the task goes on with that error."""

    traceback: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EndedTask:
    """The event says how the task ended: no worker is needed."""

    state: TaskState
    xcoms: Mapping[str, object]
    """Serialized by the XCom backend."""
    map_length: int | None = None
    """Length of what it returned, where that can be mapped over."""
    reason: str | None = None
    """Why, where it is not only that the trigger says so."""
    is_listened: bool = False
    """Whether plugins have listeners, which want to hear of it."""


@dataclass(frozen=True, slots=True)
class NeedsWorker:
    """The task turned out not to begin with a trigger: it starts in a worker, like any other."""


@dataclass(frozen=True, slots=True)
class Fired:
    """A trigger is done."""

    trigger: TriggerKey
    attempt: AttemptKey
    what: Happened | Broke | EndedTask | NeedsWorker


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a task that begins with a trigger turned out to wait for. Arguments are serialized by the SDK."""

    trigger: TriggerKey
    attempt: AttemptKey
    class_path: str
    kwargs: str
    """JSON; encrypted where there is a key."""
    is_encrypted: bool
    next_method: str
    next_kwargs: object
    timeout_s: float | None
    rendered_fields: Mapping[str, JsonValue] | None = None
    rendered_map_index: str | None = None
