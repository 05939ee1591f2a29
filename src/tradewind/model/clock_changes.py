"""What a schedule makes of readings of the clock that are shown twice, or never, because clocks were moved."""

from dataclasses import dataclass
from enum import StrEnum


class SkippedTime(StrEnum):
    """When a tick comes whose reading the clock leaves out: 2:30 on the night when 3:00 follows 1:59."""

    LATER = "later"
    """When the clock, had it not been put forward, would have shown it: at 3:30. So it is in Airflow."""
    AT_CHANGE = "at_change"
    """When the clock is put forward: at 3:00."""
    OMIT = "omit"
    """Not at all, on that day."""


class RepeatedTime(StrEnum):
    """When a tick comes whose reading the clock shows twice: 2:30 on the night when 2:00 follows 2:59."""

    USUAL = "usual"
    """The second time; both times for an expression that names every hour. So it is in Airflow."""
    FIRST = "first"
    SECOND = "second"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class ClockChanges:
    """What holds for one timetable."""

    skipped: SkippedTime = SkippedTime.LATER
    repeated: RepeatedTime = RepeatedTime.USUAL


AS_AIRFLOW = ClockChanges()
