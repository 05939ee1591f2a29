"""When a DAG runs, as plain data.

One value class per kind of timetable, told apart by `kind` in the stored DAG. What the next run is, is
decided in `decide.timetables`; nothing here knows a calendar. Every instant is an aware datetime; a naive one
is refused at once, because it would otherwise be read in the zone of whichever machine happens to look at it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar

from tradewind.model.asset import AssetAliasRef, AssetRef
from tradewind.model.clock_changes import AS_AIRFLOW, ClockChanges
from tradewind.model.json_value import JsonValue
from tradewind.model.partition import SAME_KEY, TIME_KEY_FORMAT, Mapper
from tradewind.model.slot_policy import Match, OnDeadline

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
    partition_key: str | None = None
    """Of a partition that only code of the author's own can name. Those of other timetables follow from the date."""
    partition_date: datetime | None = None
    run_id: str | None = None
    """What a timetable of the author's own wants it to be called."""

    def __post_init__(self) -> None:
        _refuse_naive("run_after", self.run_after)
        _refuse_naive("partition_date", self.partition_date)

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
    clock_changes: ClockChanges = AS_AIRFLOW


@dataclass(frozen=True, slots=True)
class MultipleCronTrigger:
    """A run at each tick of any of several cron expressions; one run where ticks fall together."""

    kind: ClassVar[str] = "multiple_cron_trigger"
    periodic: ClassVar[bool] = True
    expressions: tuple[str, ...]
    timezone: str = "UTC"
    interval: Delta = NO_TIME
    run_immediately: bool | Delta | None = False
    clock_changes: ClockChanges = AS_AIRFLOW

    def __post_init__(self) -> None:
        if not self.expressions:
            raise ValueError("a timetable of several cron expressions needs at least one")


@dataclass(frozen=True, slots=True)
class CronPartition:
    """A run for a partition at each tick of a cron expression, without a data interval."""

    kind: ClassVar[str] = "cron_partition"
    periodic: ClassVar[bool] = True
    expression: str
    timezone: str = "UTC"
    run_offset: int = 0
    """How many ticks after its run the date of the partition lies; negative for before."""
    run_immediately: bool | Delta | None = False
    key_format: str = TIME_KEY_FORMAT
    clock_changes: ClockChanges = AS_AIRFLOW


@dataclass(frozen=True, slots=True)
class CronDataInterval:
    """A run about each span between two ticks of a cron expression, at the end of that span."""

    kind: ClassVar[str] = "cron_data_interval"
    periodic: ClassVar[bool] = True
    expression: str
    timezone: str = "UTC"
    clock_changes: ClockChanges = AS_AIRFLOW


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
class Events:
    """A run at each of the listed instants."""

    kind: ClassVar[str] = "events"
    periodic: ClassVar[bool] = True
    instants: tuple[datetime, ...] = ()
    """Ascending, each only once."""
    restrict_to_events: bool = False
    """Whether a run by hand is about the newest event rather than about the moment it was asked for."""
    description: str | None = None

    def __post_init__(self) -> None:
        for instant in self.instants:
            _refuse_naive("event", instant)
        if any(later <= earlier for earlier, later in pairwise(self.instants)):
            raise ValueError("the events of a timetable are listed in ascending order, each only once")


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


@dataclass(frozen=True, slots=True)
class PartitionedAtRuntime:
    """No run by itself; whoever starts one, or its tasks, names the partition."""

    kind: ClassVar[str] = "partitioned_at_runtime"
    periodic: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Custom:
    """A timetable that the author wrote: where its class is, and what that class needs to build it again.

    Nothing of it is ever imported by a scheduler.
    """

    kind: ClassVar[str] = "custom"
    path: str
    data: JsonValue = None
    summary: str = ""
    description: str = ""
    periodic: bool = True
    partitioned: bool = False
    """Whether its runs are about partitions, which it names itself."""


TimeTimetable = (
    CronTrigger
    | MultipleCronTrigger
    | CronPartition
    | CronDataInterval
    | DeltaTrigger
    | DeltaDataInterval
    | Events
    | Once
    | Continuous
    | Never
    | PartitionedAtRuntime
    | Custom
)


@dataclass(frozen=True, slots=True)
class AssetOrTime:
    """Runs by time, and runs by assets. The assets waited for are a field of the DAG."""

    kind: ClassVar[str] = "asset_or_time"
    timetable: TimeTimetable

    @property
    def periodic(self) -> bool:
        """Whether its runs by time come again and again."""
        return self.timetable.periodic


@dataclass(frozen=True, slots=True)
class AssetMapper:
    """How the partitions of one asset become partitions of the DAG."""

    asset: AssetRef | AssetAliasRef
    mapper: Mapper


@dataclass(frozen=True, slots=True)
class PartitionedAssets:
    """A run for each partition that the assets have together. The assets waited for are a field of the DAG."""

    kind: ClassVar[str] = "partitioned_assets"
    periodic: ClassVar[bool] = False
    mappers: tuple[AssetMapper, ...] = ()
    default: Mapper = SAME_KEY


@dataclass(frozen=True, slots=True)
class AssetAndTime:
    """A run for each tick of a timetable, as soon as the assets are there that it needs; they are a field of the DAG.

    Which updates count, and how long a tick waits, is measured from the tick. See `decide.slots`.
    """

    kind: ClassVar[str] = "asset_and_time"
    timetable: TimeTimetable
    match: Match = Match.ANY
    fresh_within: Delta | None = None
    """How long before the tick an update may have happened."""
    deadline: Delta | None = None
    """How long after the tick something is done about one that still waits."""
    on_deadline: OnDeadline = OnDeadline.RUN
    key_format: str = TIME_KEY_FORMAT
    """How the logical date of a tick is written as the key of a partition."""
    gates_backfill: bool = False
    """Whether a backfill leaves out dates for which no updates are found."""

    @property
    def periodic(self) -> bool:
        """Whether its ticks come again and again."""
        return self.timetable.periodic


Timetable = TimeTimetable | AssetTriggered | AssetOrTime | AssetAndTime | PartitionedAssets


def by_time(timetable: Timetable) -> Timetable:
    """What names its times, where assets stand beside that."""
    return timetable.timetable if isinstance(timetable, AssetOrTime | AssetAndTime) else timetable
