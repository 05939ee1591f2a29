"""What lets a tick that waits for assets become a run."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SlotState(StrEnum):
    """Where a tick is."""

    WAITING = "waiting"
    """It is due; updates of assets are missing."""
    OPEN = "open"
    """It has its run."""
    SUPERSEDED = "superseded"
    """The next tick came first, and the DAG does not catch up; or its schedule is another kind now."""
    EXPIRED = "expired"
    """Its deadline passed first."""


class Match(StrEnum):
    """Which updates count for a tick."""

    ANY = "any"
    """All that no run has consumed yet."""
    SINCE_LAST_RUN = "since_last_run"
    """Those since the timetable's last run was made."""
    IN_INTERVAL = "in_interval"
    """Those within the data interval of the tick."""
    PARTITION = "partition"
    """Those of the partition that the tick's logical date names."""


class OnDeadline(StrEnum):
    """What becomes of a tick whose deadline passes while it waits."""

    RUN = "run"
    """It gets its run without the assets."""
    SKIP = "skip"
    """It gets none."""
    FAIL = "fail"
    """It gets a run that failed, for everybody to see."""
    ALERT = "alert"
    """It is told, and the tick goes on waiting."""


@dataclass(frozen=True, slots=True)
class EventWindow:
    """Which updates count: between two instants (both included), of one partition; `None`: without a bound."""

    after: datetime | None = None
    before: datetime | None = None
    partition_key: str | None = None
    """Of the asset."""
    target_key: str | None = None
    """The partition of the DAG that they count for."""


EVERYTHING = EventWindow()
