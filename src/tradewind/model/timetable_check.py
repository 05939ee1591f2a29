"""Whether a timetable can be used at all: what authors are told when their DAG is read, not when it should run."""

from datetime import timedelta
from typing import Final, assert_never

from tradewind.model.cron_calendar import cron_calendar
from tradewind.model.delta_steps import require_forward
from tradewind.model.invalid_schedule import FarOffset, UnusableGate
from tradewind.model.local_time import time_zone
from tradewind.model.partition_check import require_usable_mapper
from tradewind.model.slot_policy import Match, OnDeadline
from tradewind.model.timetable import (
    NO_TIME,
    AssetAndTime,
    AssetOrTime,
    AssetTriggered,
    Continuous,
    CronDataInterval,
    CronPartition,
    CronTrigger,
    Custom,
    Delta,
    DeltaDataInterval,
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    Never,
    Once,
    PartitionedAssets,
    PartitionedAtRuntime,
    Timetable,
    TimeTimetable,
)

_FARTHEST: Final = 2_000
"""Ticks from a run to its partition, which are counted one by one for each run: a day of minutes, and some."""


def require_usable(timetable: Timetable) -> None:
    """Raise an `InvalidSchedule` that says what is wrong, if anything is."""
    match timetable:
        case CronTrigger() | MultipleCronTrigger() | CronDataInterval() | CronPartition():
            _require_cron(timetable)
        case DeltaTrigger(delta, interval):
            require_forward(delta)
            _require_interval(interval)
        case DeltaDataInterval(delta):
            require_forward(delta)
        case AssetOrTime(inner):
            require_usable(inner)
        case AssetAndTime():
            _require_usable_gate(timetable)
        case Events() | Once() | Continuous() | Never() | PartitionedAtRuntime() | Custom():
            pass
        case PartitionedAssets(mappers, default):
            for mapper in (default, *(each.mapper for each in mappers)):
                require_usable_mapper(mapper)
        case AssetTriggered():
            pass
        case _:
            assert_never(timetable)


def _require_cron(timetable: CronTrigger | MultipleCronTrigger | CronDataInterval | CronPartition) -> None:
    for expression in timetable.expressions if isinstance(timetable, MultipleCronTrigger) else (timetable.expression,):
        cron_calendar(expression)
    time_zone(timetable.timezone)
    if isinstance(timetable, CronTrigger | MultipleCronTrigger):
        _require_interval(timetable.interval)
    if isinstance(timetable, CronPartition) and abs(timetable.run_offset) > _FARTHEST:
        raise FarOffset(timetable.run_offset, _FARTHEST)


def _require_interval(interval: Delta) -> None:
    if interval != NO_TIME:
        require_forward(interval, "the data interval of a run")


def _require_usable_gate(timetable: AssetAndTime) -> None:
    require_usable(timetable.timetable)
    for what, distance in (("fresh_within", timetable.fresh_within), ("deadline", timetable.deadline)):
        if distance is not None and (distance.months or distance.rest <= timedelta(0)):
            raise UnusableGate(f"{what} must be a positive timedelta without months or years")
    if timetable.deadline is None and timetable.on_deadline is not OnDeadline.RUN:
        raise UnusableGate(f'on_deadline="{timetable.on_deadline}" needs a deadline: how long after the tick that is')
    if isinstance(timetable.timetable, Never | PartitionedAtRuntime):
        raise UnusableGate("the time that it waits for never comes: its timetable has no ticks")
    if isinstance(timetable.timetable, Continuous):
        # What is due again at once is no tick: slots would be made without end while the assets are missing.
        raise UnusableGate("ContinuousTimetable is always due, so there is no tick to wait at: use the assets alone")
    if timetable.match is Match.IN_INTERVAL and not _has_intervals(timetable.timetable):
        raise UnusableGate(
            'match="in_interval" needs a timetable whose runs have data intervals with a length,'
            " such as CronDataIntervalTimetable, or CronTriggerTimetable with an interval"
        )


def _has_intervals(timetable: TimeTimetable) -> bool:
    match timetable:
        case CronDataInterval() | DeltaDataInterval() | Custom():
            return True
        case CronTrigger(interval=interval) | MultipleCronTrigger(interval=interval) | DeltaTrigger(interval=interval):
            return interval != NO_TIME
        case _:
            return False
