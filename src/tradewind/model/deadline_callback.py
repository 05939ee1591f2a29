"""The callback of a deadline that was missed, on its way to who calls it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from tradewind.model.dag_file import FileName
from tradewind.model.deadline import DeadlineKey
from tradewind.model.task_answers import DagRunResult

LONGEST_OUTPUT: Final = 10_000
"""Of what a callback prints and logs, the last so many characters are kept."""


class CallbackItem(NamedTuple):
    """What an executor hands to a worker."""

    key: DeadlineKey
    attempt: int
    """Whoever has another one is too late."""
    token: str = ""
    """With which a worker that has no database may begin and end it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackOrder:
    """A callback that is to be called now, by who has this."""

    key: DeadlineKey
    attempt: int
    file: FileName
    bundle_version: str | None
    number: int
    """Which of the deadlines of the DAG it belongs to."""
    due_at: datetime | None
    dag_run: DagRunResult

    @property
    def item(self) -> CallbackItem:
        """By what it is known."""
        return CallbackItem(self.key, self.attempt)


class CallbackEnd(NamedTuple):
    """What came of it."""

    key: DeadlineKey
    attempt: int
    error: str | None
    """Why it failed."""
    output: str = ""
