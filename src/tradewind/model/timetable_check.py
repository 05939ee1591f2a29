"""Whether a timetable can be used at all: what authors are told when their DAG is read, not when it should run."""

from typing import assert_never

from tradewind.model.cron_calendar import cron_calendar
from tradewind.model.delta_steps import require_forward
from tradewind.model.local_time import time_zone
from tradewind.model.timetable import (
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
        case Events() | Once() | Continuous() | Never() | PartitionedAtRuntime() | Custom():
            pass
        case AssetTriggered() | PartitionedAssets():
            pass
        case _:
            assert_never(timetable)
