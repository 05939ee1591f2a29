"""Callbacks of authors that wait to be called, because whoever would have called them is gone or has no user code."""

from dataclasses import dataclass
from datetime import datetime
from typing import NewType

from tradewind.model.dag import CallbackEvent
from tradewind.model.dag_file import FileName
from tradewind.model.ids import UNMAPPED, RunKey, TaskKey, VersionKey
from tradewind.model.json_value import JsonValue

CallbackKey = NewType("CallbackKey", int)
"""The database's own number of a request to call back."""


@dataclass(frozen=True, slots=True)
class CallbackRequest:
    """Call the callbacks of a DAG for the end of a run, or those of a task whose process was lost; and tell listeners.

    Of a run, `execute` is its begin, of which only listeners hear.
    """

    dag_id: str
    run_key: RunKey
    version_key: VersionKey
    event: CallbackEvent
    reason: str | None = None
    is_of_task: bool = False
    task_id: str | None = None
    """The task that it is about; of a run, one that tells most about its end."""
    map_index: int = UNMAPPED
    try_number: int = 0

    @property
    def task(self) -> TaskKey | None:
        """The task instance whose end it is about, if it is that of one."""
        if not self.is_of_task or self.task_id is None:
            return None
        return TaskKey(self.run_key, self.task_id, self.map_index)


@dataclass(frozen=True, slots=True)
class StoredCallback:
    """A request as stored, and the file that has the callback."""

    key: CallbackKey
    request: CallbackRequest
    file: FileName
    attempts: int
    """How often somebody has begun to answer it, this time included."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AnsweredCallback:
    """A request that was answered."""

    stored: StoredCallback
    links: tuple[tuple[str, JsonValue], ...] = ()
    """The addresses of the links that the operator of the task offers, as XComs by their keys."""
