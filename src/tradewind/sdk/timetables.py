"""Timetables as authors write them: plain data about when a DAG runs.

When its next run is, the scheduler decides on what `to_model` returns. A timetable with logic of its own is a
`Timetable` of `custom_timetable`; a class that adds `next_dagrun_info` to one of these is treated as such.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any, TypeVar

from tradewind.model import timetable as model
from tradewind.model.asset import AssetAliasRef
from tradewind.model.asset import AssetRef as AssetModel
from tradewind.model.clock_changes import AS_AIRFLOW, ClockChanges, RepeatedTime, SkippedTime
from tradewind.model.invalid_schedule import InvalidSchedule
from tradewind.model.partition import TIME_KEY_FORMAT
from tradewind.model.slot_policy import Match, OnDeadline
from tradewind.model.timetable_check import require_usable
from tradewind.sdk.assets import Asset, AssetAlias, AssetAll, AssetRef, BaseAsset
from tradewind.sdk.durations import delta_of, zone_name
from tradewind.sdk.exceptions import AirflowTimetableInvalid
from tradewind.sdk.json_values import as_json
from tradewind.sdk.mapper_choice import mapper_for, require_mappers, warn_of_idle
from tradewind.sdk.partition_mappers import IdentityMapper, PartitionMapper

NO_TIME = timedelta(0)
SAME_KEY = IdentityMapper()
_LOGIC = ("next_dagrun_info", "next_dagrun_info_v2")
_Words = TypeVar("_Words", Match, OnDeadline)


class BaseTimetable:
    """What every timetable has."""

    description: str = ""
    can_be_scheduled: bool = True
    """Whether it ever makes a run by itself, by time or by assets."""
    periodic: bool = True
    active_runs_limit: int | None = None
    run_ordering: Sequence[str] = ("data_interval_end", "logical_date")
    asset_condition: BaseAsset | None = None
    partitioned: bool = False
    partitioned_at_runtime: bool = False

    @property
    def summary(self) -> str:
        """What people see of the timetable."""
        return type(self).__name__

    @property
    def type_name(self) -> str:
        """What tells one kind of timetable from another: its class, with the path for classes of the author's."""
        cls = type(self)
        return cls.__name__ if cls.__module__ == __name__ else f"{cls.__module__}.{cls.__qualname__}"

    def validate(self) -> None:
        """Raise `AirflowTimetableInvalid` if no run can come from this."""
        try:
            require_usable(self.to_model())
        except InvalidSchedule as problem:
            raise AirflowTimetableInvalid(str(problem)) from None

    def to_model(self) -> model.Timetable:
        """What is stored, and what the scheduler decides on."""
        if any(hasattr(self, name) for name in _LOGIC):
            return self._custom_model()
        return self._plain_model()

    def _plain_model(self) -> model.Timetable:
        raise NotImplementedError(
            f"the timetable {type(self).__name__} neither is one of Tradewind's nor has a next_dagrun_info"
        )

    def _custom_model(self) -> model.Custom:
        cls = type(self)
        data = self.serialize() if hasattr(self, "serialize") else {}
        return model.Custom(
            path=f"{cls.__module__}.{cls.__qualname__}",
            data=as_json(data, f"what {cls.__name__}.serialize() returns") or None,
            summary=self.summary,
            description=self.description,
            periodic=self.periodic,
            partitioned=self.partitioned,
        )

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if value is not AS_AIRFLOW)
        return f"{type(self).__name__}({arguments})"


class NullTimetable(BaseTimetable):
    """`schedule=None`: runs only when somebody asks."""

    description = "Only when asked for"
    can_be_scheduled = False
    periodic = False
    run_ordering = ("logical_date",)

    @property
    def summary(self) -> str:
        """As in `schedule=`."""
        return "None"

    def _plain_model(self) -> model.Timetable:
        return model.Never()


class OnceTimetable(BaseTimetable):
    """`schedule="@once"`: one run, at the start date or at once."""

    description = "Once, as soon as possible"
    periodic = False
    run_ordering = ("logical_date",)

    @property
    def summary(self) -> str:
        """As in `schedule=`."""
        return "@once"

    def _plain_model(self) -> model.Timetable:
        return model.Once()


class ContinuousTimetable(BaseTimetable):
    """`schedule="@continuous"`: the next run as soon as the one before is over."""

    description = "One run after the other"
    periodic = False
    run_ordering = ("logical_date",)
    active_runs_limit = 1

    @property
    def summary(self) -> str:
        """As in `schedule=`."""
        return "@continuous"

    def _plain_model(self) -> model.Timetable:
        return model.Continuous()


class CronMixin:
    """What timetables of one cron expression share.

    `dst_skipped` says when a tick comes whose time the clock leaves out (`later`, `at_change` or `omit`), and
    `dst_repeated` when one whose time it shows twice (`usual`, `first`, `second` or `both`). By default as in Airflow.
    """

    def __init__(
        self,
        expression: str,
        timezone: str | tzinfo,
        dst_skipped: str = SkippedTime.LATER,
        dst_repeated: str = RepeatedTime.USUAL,
    ) -> None:
        if not isinstance(expression, str):
            raise AirflowTimetableInvalid(f"a cron expression must be a string, not {expression!r}")
        self.expression = model.CRON_PRESETS.get(expression.strip().lower(), expression)
        self.timezone = timezone
        self.clock_changes = _clock_changes(dst_skipped, dst_repeated)

    @property
    def summary(self) -> str:
        """The cron expression."""
        return self.expression

    def _cron(self) -> tuple[str, str]:
        return self.expression, zone_name(self.timezone)


class CronTriggerTimetable(CronMixin, BaseTimetable):
    """A run at each tick of a cron expression, about the `interval` that ends there.

    Without a start date and without a run so far, `run_immediately` says whether the tick just missed still counts:
    `True` that it does, a timedelta how long it does.
    """

    def __init__(
        self,
        expression: str,
        timezone: str | tzinfo,
        *,
        interval: timedelta | Any = NO_TIME,
        run_immediately: bool | timedelta | None = False,
        dst_skipped: str = SkippedTime.LATER,
        dst_repeated: str = RepeatedTime.USUAL,
    ) -> None:
        super().__init__(expression, timezone, dst_skipped, dst_repeated)
        self.interval = interval
        self.run_immediately = run_immediately

    def _plain_model(self) -> model.Timetable:
        expression, timezone = self._cron()
        return model.CronTrigger(
            expression,
            timezone,
            delta_of(self.interval, "interval"),
            _run_immediately(self.run_immediately),
            self.clock_changes,
        )


class MultipleCronTriggerTimetable(BaseTimetable):
    """A run at each tick of any of several cron expressions."""

    def __init__(
        self,
        *crons: str,
        timezone: str | tzinfo,
        interval: timedelta | Any = NO_TIME,
        run_immediately: bool | timedelta | None = False,
        dst_skipped: str = SkippedTime.LATER,
        dst_repeated: str = RepeatedTime.USUAL,
    ) -> None:
        if not crons:
            raise ValueError("MultipleCronTriggerTimetable needs at least one cron expression")
        self.timetables = [
            CronTriggerTimetable(
                cron,
                timezone,
                interval=interval,
                run_immediately=run_immediately,
                dst_skipped=dst_skipped,
                dst_repeated=dst_repeated,
            )
            for cron in crons
        ]

    @property
    def summary(self) -> str:
        """The cron expressions."""
        return ", ".join(timetable.summary for timetable in self.timetables)

    def _plain_model(self) -> model.Timetable:
        first = self.timetables[0]
        return model.MultipleCronTrigger(
            tuple(timetable._cron()[0] for timetable in self.timetables),  # noqa: SLF001 - a part of this one
            zone_name(first.timezone),
            delta_of(first.interval, "interval"),
            _run_immediately(first.run_immediately),
            first.clock_changes,
        )


class CronPartitionTimetable(CronTriggerTimetable):
    """A run for a partition at each tick of a cron expression.

    The date of the partition is the tick `run_offset` ticks further on (or back); its key is that date, in the zone of
    the timetable, written as `key_format`.
    """

    partitioned = True

    def __init__(
        self,
        cron: str,
        *,
        timezone: str | tzinfo,
        run_offset: int | timedelta | Any | None = None,
        run_immediately: bool | timedelta | None = False,
        key_format: str = TIME_KEY_FORMAT,
        dst_skipped: str = SkippedTime.LATER,
        dst_repeated: str = RepeatedTime.USUAL,
    ) -> None:
        if run_offset is not None and not isinstance(run_offset, int):
            raise ValueError(f"run_offset must be a number of ticks, not {run_offset!r}")
        super().__init__(
            cron, timezone, run_immediately=run_immediately, dst_skipped=dst_skipped, dst_repeated=dst_repeated
        )
        self.run_offset = run_offset
        self.key_format = key_format

    def _plain_model(self) -> model.Timetable:
        expression, timezone = self._cron()
        return model.CronPartition(
            expression,
            timezone,
            self.run_offset or 0,
            _run_immediately(self.run_immediately),
            self.key_format,
            self.clock_changes,
        )


class CronDataIntervalTimetable(CronMixin, BaseTimetable):
    """A run about each span between two ticks of a cron expression, at the end of that span."""

    def __init__(
        self,
        expression: str,
        timezone: str | tzinfo,
        *,
        dst_skipped: str = SkippedTime.LATER,
        dst_repeated: str = RepeatedTime.USUAL,
    ) -> None:
        super().__init__(expression, timezone, dst_skipped, dst_repeated)

    def _plain_model(self) -> model.Timetable:
        return model.CronDataInterval(*self._cron(), self.clock_changes)


class DeltaMixin:
    """What timetables of one distance share."""

    def __init__(self, delta: timedelta | Any) -> None:
        self.delta = delta

    @property
    def summary(self) -> str:
        """The distance."""
        return str(self.delta)


class DeltaTriggerTimetable(DeltaMixin, BaseTimetable):
    """A run every `delta`, about the `interval` that ends there."""

    def __init__(self, delta: timedelta | Any, *, interval: timedelta | Any = NO_TIME) -> None:
        super().__init__(delta)
        self.interval = interval

    def _plain_model(self) -> model.Timetable:
        return model.DeltaTrigger(delta_of(self.delta, "delta"), delta_of(self.interval, "interval"))


class DeltaDataIntervalTimetable(DeltaMixin, BaseTimetable):
    """A run about each span of length `delta`, at the end of that span."""

    def __init__(self, delta: timedelta | Any) -> None:
        super().__init__(delta)

    def _plain_model(self) -> model.Timetable:
        return model.DeltaDataInterval(delta_of(self.delta, "delta"))


class EventsTimetable(BaseTimetable):
    """A run at each of the listed times.

    With `restrict_to_events`, a run by hand is about the newest event rather than about the moment it was asked for.
    """

    def __init__(
        self,
        event_dates: Iterable[datetime],
        *,
        restrict_to_events: bool = False,
        presorted: bool = False,
        description: str | None = None,
    ) -> None:
        self.event_dates = _events(event_dates, presorted=presorted)
        self.restrict_to_events = restrict_to_events
        self._description = description
        self.description = description or self._span()

    @property
    def summary(self) -> str:
        """The description of the author, or how many events there are."""
        return self._description or f"{len(self.event_dates)} events"

    def _span(self) -> str:
        if not self.event_dates:
            return "No events"
        first, last = self.event_dates[0], self.event_dates[-1]
        return f"{len(self.event_dates)} events from {first.isoformat()} to {last.isoformat()}"

    def _plain_model(self) -> model.Timetable:
        naive = _first_naive(self.event_dates)
        if naive is not None:
            raise AirflowTimetableInvalid(f"the event {naive.isoformat()} has no time zone")
        return model.Events(tuple(sorted(set(self.event_dates))), self.restrict_to_events, self._description)


class AssetTriggeredTimetable(BaseTimetable):
    """A run when assets were updated: what `schedule=[asset, ...]` becomes."""

    description = "Triggered by assets"
    periodic = False
    run_ordering = ("logical_date",)
    asset_condition: BaseAsset

    def __init__(self, assets: Collection[Asset] | BaseAsset) -> None:
        self.asset_condition = condition_over(assets)

    @property
    def summary(self) -> str:
        """As people see it."""
        return "Asset"

    def _plain_model(self) -> model.Timetable:
        return model.AssetTriggered()


class _AssetsBesideTime(AssetTriggeredTimetable):
    """What has a timetable beside its assets."""

    def __init__(self, assets: Collection[Asset] | BaseAsset, timetable: BaseTimetable) -> None:
        super().__init__(assets)
        if not isinstance(timetable, BaseTimetable):
            raise AirflowTimetableInvalid(f"{type(self).__name__} needs a timetable object, not {timetable!r}")
        self.timetable = timetable
        self.periodic = timetable.periodic
        self.can_be_scheduled = timetable.can_be_scheduled
        self.active_runs_limit = timetable.active_runs_limit

    def _model_of_time(self) -> model.TimeTimetable:
        inner = self.timetable.to_model()
        if not isinstance(inner, model.TimeTimetable):
            raise AirflowTimetableInvalid(
                f"{type(self).__name__} needs a timetable of times beside its assets, not {self.timetable!r}"
            )
        return inner


class AssetOrTimeSchedule(_AssetsBesideTime):
    """Runs by time, and runs when assets were updated."""

    def __init__(self, *, assets: Collection[Asset] | BaseAsset, timetable: BaseTimetable) -> None:
        super().__init__(assets, timetable)
        self.description = f"Triggered by assets or {timetable.description or timetable.summary}"

    @property
    def summary(self) -> str:
        """Both halves."""
        return f"Asset or {self.timetable.summary}"

    def _plain_model(self) -> model.Timetable:
        return model.AssetOrTime(self._model_of_time())


class AssetAndTimeSchedule(_AssetsBesideTime):
    """A run for each tick of a timetable, once its assets were updated.

    Which updates count for a tick: `match="any"` (all that no run has consumed), `"since_last_run"`, `"in_interval"`
    (those within its data interval) or `"partition"` (those of the partition that its logical date, written as
    `key_format`, names); with `fresh_within`, none that happened longer before the tick. `deadline` after the tick, one
    that still waits gets its run all the same (`on_deadline="run"`), none (`"skip"`), a failed one (`"fail"`), or goes
    on waiting and is told of (`"alert"`). With `gate_backfill`, a backfill leaves out dates without updates.
    """

    def __init__(
        self,
        *,
        timetable: BaseTimetable,
        assets: Collection[Asset] | BaseAsset,
        match: str = "any",
        fresh_within: timedelta | None = None,
        deadline: timedelta | None = None,
        on_deadline: str = "run",
        key_format: str = TIME_KEY_FORMAT,
        gate_backfill: bool = False,
    ) -> None:
        super().__init__(assets, timetable)
        self.match = _word(Match, match, "match")
        self.fresh_within = fresh_within
        self.deadline = deadline
        self.on_deadline = _word(OnDeadline, on_deadline, "on_deadline")
        self.key_format = key_format
        self.gate_backfill = gate_backfill
        self.description = f"{timetable.description or timetable.summary}, once its assets were updated"

    @property
    def summary(self) -> str:
        """Both halves."""
        return f"Asset and {self.timetable.summary}"

    def _plain_model(self) -> model.Timetable:
        if not any(self.asset_condition.iter_leaves()):
            raise AirflowTimetableInvalid("AssetAndTimeSchedule waits for no asset; for times alone use its timetable")
        return model.AssetAndTime(
            self._model_of_time(),
            self.match,
            None if self.fresh_within is None else delta_of(self.fresh_within, "fresh_within"),
            None if self.deadline is None else delta_of(self.deadline, "deadline"),
            self.on_deadline,
            self.key_format,
            self.gate_backfill,
        )


class PartitionedAssetTimetable(AssetTriggeredTimetable):
    """A run for each partition that the assets have together; mappers say which of their partitions that is."""

    partitioned = True

    def __init__(
        self,
        assets: BaseAsset,
        partition_mapper_config: Mapping[BaseAsset, PartitionMapper] | None = None,
        default_partition_mapper: PartitionMapper = SAME_KEY,
    ) -> None:
        super().__init__(assets)
        self.partition_mapper_config = dict(partition_mapper_config or {})
        require_mappers(self.partition_mapper_config, default_partition_mapper)
        warn_of_idle(self.asset_condition, self.partition_mapper_config)
        self.default_partition_mapper = default_partition_mapper

    @property
    def summary(self) -> str:
        """As people see it."""
        return "Partitioned Asset"

    def get_partition_mapper(self, *, name: str = "", uri: str = "") -> PartitionMapper:
        """The mapper for the partitions of an asset, by its name or its URI."""
        return mapper_for(self.partition_mapper_config, name, uri) or self.default_partition_mapper

    def _plain_model(self) -> model.Timetable:
        mappers = [
            model.AssetMapper(_leaf_model(leaf), mapper.to_model())
            for asset, mapper in self.partition_mapper_config.items()
            for leaf in asset.iter_leaves()
        ]
        return model.PartitionedAssets(tuple(mappers), self.default_partition_mapper.to_model())


class PartitionedAtRuntime(BaseTimetable):
    """No run by itself; whoever asks for one, or its tasks, names the partition."""

    description = "Only when asked for, with a partition"
    can_be_scheduled = False
    periodic = False
    run_ordering = ("logical_date",)
    partitioned_at_runtime = True

    def _plain_model(self) -> model.Timetable:
        return model.PartitionedAtRuntime()


def condition_over(assets: Collection[Asset] | BaseAsset) -> BaseAsset:
    """One condition; several assets are all waited for."""
    return assets if isinstance(assets, BaseAsset) else AssetAll(*assets)


def _word(words: type[_Words], value: str, what: str) -> _Words:
    try:
        return words(value)
    except ValueError:
        known = ", ".join(repr(word.value) for word in words)
        raise AirflowTimetableInvalid(f"{what} is {value!r}, but must be one of {known}") from None


def _leaf_model(leaf: Asset | AssetAlias | AssetRef) -> AssetModel | AssetAliasRef:
    stored = leaf.to_model()
    assert isinstance(stored, AssetModel | AssetAliasRef)
    # Which asset it is, not all that its author says about it.
    return stored if isinstance(stored, AssetAliasRef) else AssetModel(stored.name, stored.uri)


def _events(given: Iterable[object], *, presorted: bool) -> list[datetime]:
    dates: list[datetime] = []
    for each in given:
        if not isinstance(each, datetime):
            raise AirflowTimetableInvalid(f"the events of an EventsTimetable are datetimes, not {each!r}")
        dates.append(each)
    # Some with a zone and some without have no order, and are refused in words later.
    return dates if presorted or _first_naive(dates) is not None else sorted(dates)


def _first_naive(dates: Iterable[datetime]) -> datetime | None:
    return next((date for date in dates if date.tzinfo is None), None)


def _clock_changes(skipped: str, repeated: str) -> ClockChanges:
    for name, value, words in (("dst_skipped", skipped, SkippedTime), ("dst_repeated", repeated, RepeatedTime)):
        if value not in set(words):
            raise AirflowTimetableInvalid(f"{name} is one of {', '.join(words)}, not {value!r}")
    changes = ClockChanges(SkippedTime(skipped), RepeatedTime(repeated))
    return AS_AIRFLOW if changes == AS_AIRFLOW else changes


def _run_immediately(value: bool | timedelta | None) -> bool | model.Delta | None:
    return value if value is None or isinstance(value, bool) else delta_of(value, "run_immediately")
