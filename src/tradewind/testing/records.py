"""What happened to the tasks of a test, attempt by attempt."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.worker.task_life.outcome import Outcome


@dataclass(slots=True)
class AttemptRecord:
    """One hand-over of a task to the executor. A try has more than one after a reschedule or a deferral."""

    attempt: AttemptKey
    try_number: int
    started_at: datetime
    log: list[str] = field(default_factory=list)
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    """`None` while it runs, and for one that was marked."""
    ti: RuntimeTaskInstance | None = None

    @property
    def error(self) -> BaseException | None:
        """What it raised, if it failed."""
        return getattr(self.outcome, "error", None)


@dataclass(slots=True)
class Resumption:
    """Where a task goes on after it waited. The arguments are serialized."""

    method: str
    kwargs: Any


@dataclass(slots=True)
class TaskNotes:
    """What must be known of a task instance when it is handed over again."""

    resumption: Resumption | None = None
    try_number: int = 0

    def begin(self, try_number: int) -> bool:
        """An attempt begins. Returns whether a new try begins with it."""
        is_new = try_number != self.try_number
        self.try_number = try_number
        return is_new


class History:
    """All of it, in order."""

    def __init__(self) -> None:
        self.attempts: list[AttemptRecord] = []
        self._by_task: dict[TaskKey, list[AttemptRecord]] = {}
        self._notes: dict[TaskKey, TaskNotes] = {}

    def add(self, record: AttemptRecord) -> None:
        """An attempt began."""
        self.attempts.append(record)
        self._by_task.setdefault(record.attempt.task, []).append(record)

    def of(self, key: TaskKey) -> list[AttemptRecord]:
        """The attempts of one task instance."""
        return list(self._by_task.get(key, ()))

    @property
    def has_asset_events(self) -> bool:
        """Whether any task updated an asset."""
        return any(getattr(record.outcome, "outlet_events", ()) for record in self.attempts)

    def notes_of(self, key: TaskKey) -> TaskNotes:
        """What is noted of one task instance."""
        return self._notes.setdefault(key, TaskNotes())
