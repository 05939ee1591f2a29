"""Runs over a range of past dates that somebody asked for."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tradewind.model.ids import BackfillKey, VersionKey
from tradewind.model.json_value import JsonValue
from tradewind.model.timetable import DataInterval

DEFAULT_MAX_ACTIVE_RUNS = 10


class ReprocessBehavior(StrEnum):
    """What becomes of dates that have a run already. One that has not ended is left alone, whatever is said here."""

    FAILED = "failed"
    """Runs that failed start over."""
    COMPLETED = "completed"
    """Runs that ended start over, however they did."""
    NONE = "none"
    """No run does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillPlan:
    """What was asked for, and which dates that means. Never changes once it is stored."""

    dag_id: str
    version_key: VersionKey
    """The version of the DAG whose timetable names the dates: a new schedule does not change what was asked for."""
    from_date: datetime
    to_date: datetime
    until: datetime
    """Only what lies before is backfilled: when it was asked for."""
    is_backward: bool = False
    reprocess: ReprocessBehavior = ReprocessBehavior.NONE
    max_active_runs: int = DEFAULT_MAX_ACTIVE_RUNS
    conf: JsonValue = None
    uses_latest_version: bool = True
    """Whether runs are of the DAG as it is when they are made. Else they are of `version_key`; those that start over
    keep theirs."""
    total: int
    """How many dates there are."""
    marks: tuple[DataInterval, ...] = ()
    """The interval before each further block of dates, from the earliest on: where to begin without counting through
    all that come before. See `decide.backfill`."""
    partition_keys: tuple[str, ...] = ()
    """Of each mark, where only the author's own timetable could name them."""
    run_ids: tuple[str, ...] = ()
    """Of each mark, where the author's own timetable wants a word in that."""
    triggering_user_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfill:
    """A backfill as stored."""

    key: BackfillKey
    plan: BackfillPlan
    is_paused: bool
    looked_at: int
    """How many of the dates were dealt with: in the direction of the backfill, the first ones."""
    passed_over: int
    """How many of these had a run that was left alone."""
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None = None

    @property
    def dag_id(self) -> str:
        """Whose runs they are."""
        return self.plan.dag_id

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do, or nothing shall be done."""
        return self.completed_at is not None


@dataclass(frozen=True, slots=True)
class BackfillRuns:
    """The runs that a backfill has, by what became of them."""

    queued: int = 0
    running: int = 0
    succeeded: int = 0
    failed: int = 0
    mean_duration_s: float | None = None
    """Of those that ended."""

    @property
    def active(self) -> int:
        """Those that have not ended."""
        return self.queued + self.running
