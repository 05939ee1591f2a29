"""What a scheduler may ask of an executor."""

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from tradewind.model.connection_test import ConnectionTestItem
from tradewind.model.deadline_callback import CallbackItem
from tradewind.model.ids import AttemptKey
from tradewind.model.task import TaskReport, WorkItem


class Executor(Protocol):
    """Runs attempts somewhere.

    All methods are called from the scheduler's one thread and must not block for long. An executor may lose work or
    report it late or twice: every report is fenced by its attempt, and what stays silent is rescued.
    """

    @property
    def name(self) -> str:
        """What tasks call it in `executor=`."""

    def free_slots(self) -> int:
        """How many more attempts it would take now."""

    def submit(self, work: Sequence[WorkItem]) -> None:
        """Run these. Work that it already has is ignored: submitting twice is allowed."""

    def reports(self) -> Sequence[TaskReport]:
        """What happened since the last call, in order. Empty for executors whose workers report by themselves.

        That a process died is reported only of one that was allowed to begin: with a message delivered twice, the
        other copy may be running. What never began is rescued as stuck.
        """

    def holds(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """Which of these it knows and will bring to an end."""

    def adopt(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """Take over attempts that another scheduler's executor of this kind was given. Returns those it found."""

    def revoke(self, attempts: Collection[AttemptKey]) -> None:
        """Do not run these any more, if they have not begun; stop them, if they have."""

    def close(self) -> None:
        """Called once, when the scheduler ends. What was begun goes on."""


@runtime_checkable
class TestsConnections(Executor, Protocol):
    """An executor whose workers try connections out."""

    def test_connections(self, tests: Sequence[ConnectionTestItem]) -> None:
        """Have these begun soon. Who loses one need not say so: it is given up in time."""


@runtime_checkable
class CallsBack(Executor, Protocol):
    """An executor whose workers call who shall hear of missed deadlines."""

    def call_back(self, items: Sequence[CallbackItem]) -> None:
        """Have these begun soon. Who loses one need not say so: it is handed out again in time."""
