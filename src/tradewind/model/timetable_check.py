"""Whether a timetable can be used at all: what authors are told when their DAG is read, not when it should run."""

from datetime import timedelta
from typing import assert_never

from tradewind.model.cron_calendar import cron_calendar
from tradewind.model.delta_steps import require_forward
from tradewind.model.invalid_schedule import UnusableGate
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


def require_usable(timetable: Timetable) -> None:
    """Raise an `InvalidSchedule` that says what is wrong, if anything is."""
    match timetable:
        case (
            CronTrigger(expression=expression, timezone=timezone)
            | CronDataInterval(expression=expression, timezone=timezone)
            | CronPartition(expression=expression, timezone=timezone)
        ):
            cron_calendar(expression)
            time_zone(timezone)
        case MultipleCronTrigger(expressions=expressions, timezone=timezone):
            for expression in expressions:
                cron_calendar(expression)
            time_zone(timezone)
        case DeltaTrigger(delta) | DeltaDataInterval(delta):
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


def _require_usable_gate(timetable: AssetAndTime) -> None:
    require_usable(timetable.timetable)
    for what, distance in (("fresh_within", timetable.fresh_within), ("deadline", timetable.deadline)):
        if distance is not None and (distance.months or distance.rest <= timedelta(0)):
            raise UnusableGate(f"{what} must be a positive timedelta without months or years")
    if timetable.deadline is None and timetable.on_deadline is not OnDeadline.RUN:
        raise UnusableGate(f'on_deadline="{timetable.on_deadline}" needs a deadline: how long after the tick that is')
    if isinstance(timetable.timetable, Never | PartitionedAtRuntime):
        raise UnusableGate("the time that it waits for never comes: its timetable has no ticks")
    if timetable.match is Match.IN_INTERVAL and not _has_intervals(timetable.timetable):
        raise UnusableGate(
            'match="in_interval" needs a timetable whose runs have data intervals with a length,'
            " such as CronDataIntervalTimetable, or CronTriggerTimetable with an interval"
        )


def _has_intervals(timetable: TimeTimetable) -> bool:
    match timetable:
        case CronDataInterval() | DeltaDataInterval() | Custom() | Continuous():
            return True
        case CronTrigger(interval=interval) | MultipleCronTrigger(interval=interval) | DeltaTrigger(interval=interval):
            return interval != NO_TIME
        case _:
            return False
