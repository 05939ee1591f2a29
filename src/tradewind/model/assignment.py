"""What the host of an attempt tells about it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tradewind.model.json_value import JsonValue
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
    next_kwargs: JsonValue = None
    """The arguments of `next_method`, serialized."""
    xcoms_to_clear: tuple[str, ...] = ()
    """What earlier tries pushed, and must not be found any more."""
    hostname: str | None = None
    dag_version_id: UUID | None = None
