"""Many runs at a glance."""

from collections.abc import Collection
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from tradewind.model.ids import RunKey
from tradewind.model.states import RunState, TaskState


class RunAtAGlance(NamedTuple):
    """A run as a bar or the head of a column."""

    run_key: RunKey
    dag_id: str
    run_id: str
    run_type: str
    state: RunState
    version_key: int
    run_after: datetime
    ordering_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class Place(NamedTuple):
    """Where a run is in the order of those of its DAG. Several may be of the same instant: the key tells them apart."""

    ordering_at: datetime
    run_key: int


class RunFilter(NamedTuple):
    """Which runs are wanted: those to which all of this applies. None: whichever."""

    state: RunState | None = None
    run_type: str | None = None
    triggered_by: str | None = None
    """A part of the name of who asked for it, whatever its case."""
    run_after_gte: datetime | None = None
    run_after_lt: datetime | None = None


ANY_RUN: Final = RunFilter()


class TaskStates(NamedTuple):
    """The tasks of a run, each as often as it has copies, and the state of each.

    Two lists rather than one of pairs: there are tens of thousands, and each pair would be an object to keep track of.
    """

    task_ids: list[str]
    states: list[TaskState]


class FailedRuns(NamedTuple):
    """How many runs of a DAG have failed, and which of them last."""

    dag_id: str
    number: int
    last_run_id: str
    last_at: datetime


class EndedRuns(NamedTuple):
    """How many runs of a span of time ended how."""

    at: datetime
    """When the span began."""
    state: RunState
    number: int


class OverviewStore(Protocol):
    """Reads what pages show of many runs at once."""

    def latest_runs(self, dag_ids: Collection[str], most: int) -> dict[str, list[RunAtAGlance]]:
        """By DAG: its newest runs, the newest last."""

    def runs_until(
        self, dag_id: str, most: int, before: Place | None = None, only: RunFilter = ANY_RUN
    ) -> list[RunAtAGlance]:
        """The newest runs of a DAG, or those before a place in their order; the newest last."""

    def runs_from(self, dag_id: str, most: int, first: Place, only: RunFilter = ANY_RUN) -> list[RunAtAGlance]:
        """The oldest of the runs that are at a place in their order or behind it; the newest last."""

    def task_states(self, run_keys: Collection[RunKey]) -> dict[RunKey, TaskStates]:
        """By run, of those that have tasks."""

    def failed_since(self, instant: datetime, dag_ids: Collection[str] | None = None) -> list[FailedRuns]:
        """By DAG: runs that ended since then and failed; the DAG with the latest failure first. None: of all DAGs."""

    def ended_since(self, instant: datetime, span_s: int, dag_ids: Collection[str] | None = None) -> list[EndedRuns]:
        """Runs that ended since then, by spans of so many seconds (since 1970, in UTC) and state. None: of all DAGs."""

    def active_runs(self, dag_ids: Collection[str] | None = None) -> dict[RunState, int]:
        """How many wait and run now. None: of all DAGs."""

    def active_dags(self, state: RunState) -> list[str]:
        """Those of which a run is in this state, one in which it goes on."""

    def task_counts(self, since: datetime, dag_ids: Collection[str] | None = None) -> dict[TaskState, int]:
        """Task instances of the runs that ended since then or are active, by their state. None: of all DAGs."""
