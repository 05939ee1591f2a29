"""When a DAG runs, as plain data.

One value class per kind of timetable, told apart by `kind` in the stored DAG. What the next run is, is
decided in `decide.timetables`; nothing here knows a calendar. Every instant is an aware datetime; a naive one
is refused at once, because it would otherwise be read in the zone of whichever machine happens to look at it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import ClassVar

CRON_PRESETS: Mapping[str, str] = MappingProxyType(
    {
        "@hourly": "0 * * * *",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *",
        "@quarterly": "0 0 1 */3 *",
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
    }
)


def _refuse_naive(what: str, instant: datetime | None) -> None:
    if instant is not None and instant.tzinfo is None:
        raise ValueError(f"{what} {instant.isoformat()} has no time zone")


@dataclass(frozen=True, slots=True)
class DataInterval:
    """The span of data that a run is about. A single moment has `start == end`."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        _refuse_naive("data interval start", self.start)
        _refuse_naive("data interval end", self.end)


@dataclass(frozen=True, slots=True)
class RunInfo:
    """One run that a timetable asks for."""

    run_after: datetime
    data_interval: DataInterval | None

    def __post_init__(self) -> None:
        _refuse_naive("run_after", self.run_after)

    @property
    def logical_date(self) -> datetime | None:
        """The start of the data interval; a run without an interval has no logical date."""
        return None if self.data_interval is None else self.data_interval.start


@dataclass(frozen=True, slots=True)
class TimeRestriction:
    """Between which dates a DAG may run, and whether it makes up for what it missed."""

    earliest: datetime | None
    """The smallest start date of the DAG and its tasks."""
    latest: datetime | None
    catchup: bool

    def __post_init__(self) -> None:
        _refuse_naive("start date", self.earliest)
        _refuse_naive("end date", self.latest)


@dataclass(frozen=True, slots=True)
class Delta:
    """A distance in time: calendar months, then a fixed rest. A day is 24 hours, since instants are UTC."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    microseconds: int = 0

    @property
    def rest(self) -> timedelta:
        """All that is left once the months are gone."""
        return timedelta(days=self.days, seconds=self.seconds, microseconds=self.microseconds)

    @classmethod
    def of(cls, fixed: timedelta, *, months: int = 0) -> "Delta":
        """The same distance as `fixed`, plus calendar months (twelve for each year)."""
        return cls(months, fixed.days, fixed.seconds, fixed.microseconds)


NO_TIME = Delta()


@dataclass(frozen=True, slots=True)
class CronTrigger:
    """A run at each tick of a cron expression, about the `interval` that ends there."""

    kind: ClassVar[str] = "cron_trigger"
    periodic: ClassVar[bool] = True
    expression: str
    timezone: str = "UTC"
    interval: Delta = NO_TIME
    run_immediately: bool | Delta | None = False
    """Only for a DAG without a start date and without a run: whether the tick just missed still counts."""


@dataclass(frozen=True, slots=True)
class CronDataInterval:
    """A run about each span between two ticks of a cron expression, at the end of that span."""

    kind: ClassVar[str] = "cron_data_interval"
    periodic: ClassVar[bool] = True
    expression: str
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class DeltaTrigger:
    """A run every `delta`, about the `interval` that ends there."""

    kind: ClassVar[str] = "delta_trigger"
    periodic: ClassVar[bool] = True
    delta: Delta
    interval: Delta = NO_TIME


@dataclass(frozen=True, slots=True)
class DeltaDataInterval:
    """A run about each span of length `delta`, at the end of that span."""

    kind: ClassVar[str] = "delta_data_interval"
    periodic: ClassVar[bool] = True
    delta: Delta


@dataclass(frozen=True, slots=True)
class Once:
    """One run, at the start date."""

    kind: ClassVar[str] = "once"
    periodic: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Continuous:
    """The next run as soon as the previous one is over; never two at a time."""

    kind: ClassVar[str] = "continuous"
    periodic: ClassVar[bool] = False
    active_runs_limit: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Never:
    """No run by itself: only by hand or by another DAG."""

    kind: ClassVar[str] = "never"
    periodic: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class AssetTriggered:
    """No run by time. The assets waited for are a field of the DAG."""

    kind: ClassVar[str] = "asset_triggered"
    periodic: ClassVar[bool] = False


Timetable = (
    CronTrigger | CronDataInterval | DeltaTrigger | DeltaDataInterval | Once | Continuous | Never | AssetTriggered
)
