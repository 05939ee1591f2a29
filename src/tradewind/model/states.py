"""Every state and type that a run or a task instance can have, in Airflow 3.3's words."""

from enum import StrEnum


class RunState(StrEnum):
    """Where a DAG run is in its life."""

    QUEUED = "queued"
    """Created; waits for `run_after`, an unpaused DAG and a place within `max_active_runs`."""
    RUNNING = "running"
    """Its tasks are being decided."""
    SUCCESS = "success"
    """Ended; no task that counts failed."""
    FAILED = "failed"
    """Ended; a task that counts failed, or it timed out, or it could not go on."""


class RunType(StrEnum):
    """Why a DAG run exists."""

    BACKFILL = "backfill"
    """Part of a backfill over past intervals."""
    SCHEDULED = "scheduled"
    """Its timetable said so."""
    MANUAL = "manual"
    """A person or a client asked for it."""
    OPERATOR_TRIGGERED = "operator_triggered"
    """A task of another run asked for it."""
    ASSET_TRIGGERED = "asset_triggered"
    """Assets that the DAG waits for were updated."""
    ASSET_MATERIALIZATION = "asset_materialization"
    """A person asked for an asset to be produced."""


DATED_RUN_TYPES = frozenset({RunType.SCHEDULED, RunType.BACKFILL})
"""Runs for dates that a timetable names: those that come before and after one another."""


class TriggeredBy(StrEnum):
    """By which way in a run came to be."""

    CLI = "cli"
    OPERATOR = "operator"
    """A task of another run."""
    REST_API = "rest_api"
    UI = "ui"
    TEST = "test"
    TIMETABLE = "timetable"
    ASSET = "asset"
    BACKFILL = "backfill"


class TaskState(StrEnum):
    """Where a task instance is in its life: Airflow's thirteen states and "no status"."""

    NONE = "none"
    """Exists, not yet decided on. Shown to clients as null."""
    SCHEDULED = "scheduled"
    """Its dependencies hold; waits for slots."""
    QUEUED = "queued"
    """Handed to an executor."""
    RUNNING = "running"
    """A worker has begun it."""
    RESTARTING = "restarting"
    """Cleared while running: its process is told to stop, then it starts over."""
    UP_FOR_RETRY = "up_for_retry"
    """Failed with tries left; waits for its retry delay."""
    UP_FOR_RESCHEDULE = "up_for_reschedule"
    """A sensor that freed its worker until the next poke."""
    DEFERRED = "deferred"
    """Waits for a trigger, without a worker."""
    AWAITING_INPUT = "awaiting_input"
    """Waits for a person."""
    SUCCESS = "success"
    """Did what it should."""
    FAILED = "failed"
    """Failed for good."""
    SKIPPED = "skipped"
    """Deliberately not run."""
    UPSTREAM_FAILED = "upstream_failed"
    """Not run because something before it failed."""
    REMOVED = "removed"
    """No longer part of the run (a mapping shrank, or the DAG lost the task)."""


FINISHED_STATES = frozenset(
    {
        TaskState.SUCCESS,
        TaskState.FAILED,
        TaskState.SKIPPED,
        TaskState.UPSTREAM_FAILED,
        TaskState.REMOVED,
    }
)
UNFINISHED_STATES = frozenset(TaskState) - FINISHED_STATES
FAILED_STATES = frozenset({TaskState.FAILED, TaskState.UPSTREAM_FAILED})
PASSED_STATES = frozenset({TaskState.SUCCESS, TaskState.SKIPPED})
"""What `depends_on_past` accepts of the run before."""

OCCUPYING_STATES = frozenset({TaskState.QUEUED, TaskState.RUNNING, TaskState.RESTARTING})
"""Holds a slot of its pool and counts against every limit. A restarting task's process still lives."""

HANDED_OVER_STATES = frozenset({TaskState.QUEUED, TaskState.RUNNING})
"""An attempt is with its executor. Its end may be reported in either: the word that it started can be lost."""

DECIDABLE_STATES = frozenset({TaskState.NONE, TaskState.UP_FOR_RETRY, TaskState.UP_FOR_RESCHEDULE})
"""From here the scheduler, and nobody else, moves a task on."""

FINISHED_RUN_STATES = frozenset({RunState.SUCCESS, RunState.FAILED})


class TriggerRule(StrEnum):
    """Which ends of the upstream tasks let a task run."""

    ALL_SUCCESS = "all_success"
    ALL_FAILED = "all_failed"
    ALL_DONE = "all_done"
    ALL_SKIPPED = "all_skipped"
    ONE_SUCCESS = "one_success"
    ONE_FAILED = "one_failed"
    ONE_DONE = "one_done"
    NONE_FAILED = "none_failed"
    NONE_FAILED_MIN_ONE_SUCCESS = "none_failed_min_one_success"
    NONE_SKIPPED = "none_skipped"
    ALL_DONE_MIN_ONE_SUCCESS = "all_done_min_one_success"
    ALL_DONE_SETUP_SUCCESS = "all_done_setup_success"
    ALWAYS = "always"


class WeightRule(StrEnum):
    """How a task's priority follows from the weights around it."""

    DOWNSTREAM = "downstream"
    """Its own weight and those of everything that waits for it."""
    UPSTREAM = "upstream"
    """Its own weight and those of everything that it waits for."""
    ABSOLUTE = "absolute"
    """Its own weight."""


class TaskRole(StrEnum):
    """Whether a task does the work or surrounds it."""

    WORK = "work"
    SETUP = "setup"
    TEARDOWN = "teardown"


class HeldBy(StrEnum):
    """What keeps a scheduled task from being considered for a slot and a worker: a limit of its own run or DAG, or that
    it needs none of both to begin."""

    MAX_ACTIVE_TASKS = "max_active_tasks"
    MAX_ACTIVE_PER_RUN = "max_active_tis_per_dagrun"
    DAG_PAUSED = "dag_paused"
    START_FROM_TRIGGER = "start_from_trigger"
