"""What a waiting task waits for, and how the wait may end."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tradewind.model.ids import AttemptKey, TriggerKey
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedTrigger:
    """A trigger that a triggerer has claimed, and whose it is."""

    key: TriggerKey
    attempt: AttemptKey
    class_path: str
    kwargs: str
    is_encrypted: bool
    dag_id: str
    run_id: str
    try_number: int
    bundle_name: str | None
    """None: its DAG comes from no file."""
    bundle_version: str | None
    path: str | None
    """Of the DAG file, relative to its bundle."""


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


@dataclass(frozen=True, slots=True)
class Fired:
    """A trigger is done."""

    trigger: TriggerKey
    attempt: AttemptKey
    what: Happened | Broke | EndedTask
