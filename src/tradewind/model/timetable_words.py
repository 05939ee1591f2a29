"""What people see of a timetable, and what tells one kind from another: Airflow's names for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tradewind.model.cron_words import cron_words
from tradewind.model.invalid_schedule import InvalidSchedule
from tradewind.model.timetable import (
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
    by_time,
)

_NAMES: Final[Mapping[str, str]] = {
    CronTrigger.kind: "CronTriggerTimetable",
    MultipleCronTrigger.kind: "MultipleCronTriggerTimetable",
    CronPartition.kind: "CronPartitionTimetable",
    CronDataInterval.kind: "CronDataIntervalTimetable",
    DeltaTrigger.kind: "DeltaTriggerTimetable",
    DeltaDataInterval.kind: "DeltaDataIntervalTimetable",
    Events.kind: "EventsTimetable",
    Once.kind: "OnceTimetable",
    Continuous.kind: "ContinuousTimetable",
    Never.kind: "NullTimetable",
    AssetTriggered.kind: "AssetTriggeredTimetable",
    AssetOrTime.kind: "AssetOrTimeSchedule",
    AssetAndTime.kind: "AssetAndTimeSchedule",
    PartitionedAssets.kind: "PartitionedAssetTimetable",
    PartitionedAtRuntime.kind: "PartitionedAtRuntime",
}


@dataclass(frozen=True, slots=True)
class TimetableWords:
    """A timetable in words."""

    type_name: str
    summary: str | None
    description: str


def timetable_words(timetable: Timetable) -> TimetableWords:
    """The words for it."""
    name = timetable.path if isinstance(timetable, Custom) else _NAMES[timetable.kind]
    return TimetableWords(name, *_summary_and_description(timetable))


def knows_partitions(timetable: Timetable) -> bool:
    """Whether a run of it may be one of a partition, by its timetable or because somebody says so."""
    return is_partitioned(timetable) or isinstance(by_time(timetable), PartitionedAtRuntime)


def is_partitioned(timetable: Timetable) -> bool:
    """Whether its runs are about partitions: those by time, where it has others for updates of assets."""
    timetable = by_time(timetable)
    return isinstance(timetable, CronPartition | PartitionedAssets) or (
        isinstance(timetable, Custom) and timetable.partitioned
    )


def _summary_and_description(timetable: Timetable) -> tuple[str | None, str]:
    match timetable:
        case CronTrigger() | CronPartition() | CronDataInterval():
            return timetable.expression, _cron(timetable.expression)
        case MultipleCronTrigger(expressions):
            return ", ".join(expressions), ", ".join(_cron(expression) for expression in expressions)
        case DeltaTrigger(delta) | DeltaDataInterval(delta):
            return delta_words(delta), ""
        case Events():
            return _events(timetable)
        case AssetOrTime(inner):
            summary, description = _summary_and_description(inner)
            return f"Asset or {summary}", f"Triggered by assets or {description or summary}"
        case AssetAndTime(inner):
            summary, description = _summary_and_description(inner)
            return f"Asset and {summary}", f"{description or summary}, once its assets were updated"
        case Custom(summary=summary, description=description):
            return summary, description
        case _:
            return _OTHERS[timetable.kind]


_OTHERS: Final[Mapping[str, tuple[str | None, str]]] = {
    Once.kind: ("@once", "Once, as soon as possible"),
    Continuous.kind: ("@continuous", "One run after the other"),
    Never.kind: (None, "Only when asked for"),
    AssetTriggered.kind: ("Asset", "Triggered by assets"),
    PartitionedAssets.kind: ("Partitioned Asset", "Triggered by assets"),
    PartitionedAtRuntime.kind: ("Partitioned at runtime", "Only when asked for, with a partition"),
}


def delta_words(delta: Delta) -> str:
    """Such as `1 day, 2:30:00`."""
    months = [f"{delta.months} month{'s' if abs(delta.months) != 1 else ''}"] if delta.months else []
    rest = [str(delta.rest)] if delta.rest or not months else []
    return ", ".join(months + rest)


def _cron(expression: str) -> str:
    try:
        return cron_words(expression)
    except InvalidSchedule:  # what it means is then said by whoever refuses it
        return ""


def _events(timetable: Events) -> tuple[str, str]:
    number = f"{len(timetable.instants)} events"
    if timetable.description:
        return timetable.description, timetable.description
    if not timetable.instants:
        return number, "No events"
    first, last = timetable.instants[0], timetable.instants[-1]
    return number, f"{number} from {first.isoformat()} to {last.isoformat()}"
