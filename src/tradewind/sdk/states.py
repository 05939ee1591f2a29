"""The words that authors compare with: states of tasks and runs, trigger rules, weight rules.

The values are those of `tradewind.model.states`; the names, and the odd helper on them, are Airflow's. A task without a
state has Python's `None` here, where the model says `none`.
"""

from enum import Enum, StrEnum
from typing import ClassVar


class TaskInstanceState(StrEnum):
    """Where a task instance is in its life; `None` stands for "no status"."""

    REMOVED = "removed"
    SCHEDULED = "scheduled"
    QUEUED = "queued"
    RUNNING = "running"
    SUCCESS = "success"
    RESTARTING = "restarting"
    FAILED = "failed"
    UP_FOR_RETRY = "up_for_retry"
    UP_FOR_RESCHEDULE = "up_for_reschedule"
    UPSTREAM_FAILED = "upstream_failed"
    SKIPPED = "skipped"
    DEFERRED = "deferred"
    AWAITING_INPUT = "awaiting_input"


class TerminalTIState(StrEnum):
    """The states in which a task instance stays."""

    SUCCESS = "success"
    FAILED = "failed"
    SKIPPED = "skipped"
    UPSTREAM_FAILED = "upstream_failed"
    REMOVED = "removed"


class IntermediateTIState(StrEnum):
    """The states in which a task instance neither runs nor has ended."""

    SCHEDULED = "scheduled"
    QUEUED = "queued"
    RESTARTING = "restarting"
    UP_FOR_RETRY = "up_for_retry"
    UP_FOR_RESCHEDULE = "up_for_reschedule"
    DEFERRED = "deferred"
    AWAITING_INPUT = "awaiting_input"


class DagRunState(StrEnum):
    """Where a DAG run is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"


class State:
    """The states as attributes of one class, and the sets that code asks for."""

    NONE: ClassVar[None] = None
    SUCCESS = TaskInstanceState.SUCCESS
    RUNNING = TaskInstanceState.RUNNING
    FAILED = TaskInstanceState.FAILED
    REMOVED = TaskInstanceState.REMOVED
    SCHEDULED = TaskInstanceState.SCHEDULED
    QUEUED = TaskInstanceState.QUEUED
    RESTARTING = TaskInstanceState.RESTARTING
    UP_FOR_RETRY = TaskInstanceState.UP_FOR_RETRY
    UP_FOR_RESCHEDULE = TaskInstanceState.UP_FOR_RESCHEDULE
    UPSTREAM_FAILED = TaskInstanceState.UPSTREAM_FAILED
    SKIPPED = TaskInstanceState.SKIPPED
    DEFERRED = TaskInstanceState.DEFERRED
    AWAITING_INPUT = TaskInstanceState.AWAITING_INPUT

    task_states: ClassVar[tuple[TaskInstanceState | None, ...]] = (None, *TaskInstanceState)
    dag_states: ClassVar[tuple[DagRunState, ...]] = tuple(DagRunState)
    finished: ClassVar[frozenset[TaskInstanceState]] = frozenset(map(TaskInstanceState, TerminalTIState))
    unfinished: ClassVar[frozenset[TaskInstanceState | None]] = frozenset(task_states) - finished
    failed_states: ClassVar[frozenset[TaskInstanceState]] = frozenset({FAILED, UPSTREAM_FAILED})
    success_states: ClassVar[frozenset[TaskInstanceState]] = frozenset({SUCCESS, SKIPPED})
    adoptable_states: ClassVar[frozenset[TaskInstanceState]] = frozenset({QUEUED, RUNNING, RESTARTING})
    finished_dr_states: ClassVar[frozenset[DagRunState]] = frozenset({DagRunState.SUCCESS, DagRunState.FAILED})
    unfinished_dr_states: ClassVar[frozenset[DagRunState]] = frozenset(DagRunState) - finished_dr_states

    state_color: ClassVar[dict[TaskInstanceState | None, str]] = {
        None: "lightblue",
        QUEUED: "gray",
        RUNNING: "lime",
        SUCCESS: "green",
        RESTARTING: "violet",
        FAILED: "red",
        UP_FOR_RETRY: "gold",
        UP_FOR_RESCHEDULE: "turquoise",
        UPSTREAM_FAILED: "orange",
        SKIPPED: "hotpink",
        REMOVED: "lightgrey",
        SCHEDULED: "tan",
        DEFERRED: "mediumpurple",
        AWAITING_INPUT: "darkorange",
    }

    @classmethod
    def color(cls, state: TaskInstanceState | None) -> str:
        """The colour that Airflow paints a state in."""
        return cls.state_color.get(state, "white")

    @classmethod
    def color_fg(cls, state: TaskInstanceState | None) -> str:
        """A colour for text on top of `color`."""
        return "white" if cls.color(state) in ("green", "red") else "black"


class TriggerRule(StrEnum):
    """Which ends of the upstream tasks let a task run."""

    ALL_SUCCESS = "all_success"
    ALL_FAILED = "all_failed"
    ALL_DONE = "all_done"
    ALL_DONE_MIN_ONE_SUCCESS = "all_done_min_one_success"
    ALL_DONE_SETUP_SUCCESS = "all_done_setup_success"
    ONE_SUCCESS = "one_success"
    ONE_FAILED = "one_failed"
    ONE_DONE = "one_done"
    NONE_FAILED = "none_failed"
    NONE_SKIPPED = "none_skipped"
    ALWAYS = "always"
    NONE_FAILED_MIN_ONE_SUCCESS = "none_failed_min_one_success"
    ALL_SKIPPED = "all_skipped"

    @classmethod
    def all_triggers(cls) -> set[str]:
        """Every rule."""
        return set(cls)

    @classmethod
    def is_valid(cls, trigger_rule: str) -> bool:
        """Whether there is such a rule."""
        return trigger_rule in cls.all_triggers()


class WeightRule(StrEnum):
    """How a task's priority follows from the weights around it."""

    DOWNSTREAM = "downstream"
    UPSTREAM = "upstream"
    ABSOLUTE = "absolute"

    @classmethod
    def all_weight_rules(cls) -> set[str]:
        """Every rule."""
        return set(cls)

    @classmethod
    def is_valid(cls, weight_rule: str) -> bool:
        """Whether there is such a rule."""
        return weight_rule in cls.all_weight_rules()


class DagRunType(StrEnum):
    """Why a DAG run exists."""

    BACKFILL_JOB = "backfill"
    SCHEDULED = "scheduled"
    MANUAL = "manual"
    OPERATOR_TRIGGERED = "operator_triggered"
    ASSET_TRIGGERED = "asset_triggered"
    ASSET_MATERIALIZATION = "asset_materialization"

    def generate_run_id(self, *, suffix: str) -> str:
        """The id of a run of this type."""
        return f"{self.value}__{suffix}"

    @staticmethod
    def from_run_id(run_id: str) -> "DagRunType":
        """The type that an id was made for; a name that somebody chose is a manual run's."""
        known = (run_type for run_type in DagRunType if run_id.startswith(f"{run_type.value}__"))
        return next(known, DagRunType.MANUAL)


class DagRunTriggeredByType(Enum):
    """Who asked for a DAG run."""

    CLI = "cli"
    OPERATOR = "operator"
    REST_API = "rest_api"
    UI = "ui"
    TEST = "test"
    TIMETABLE = "timetable"
    ASSET = "asset"
    BACKFILL = "backfill"
