"""What `schedule=` means: the timetable for each of the values that it may have."""

from collections.abc import Collection
from datetime import timedelta, tzinfo
from typing import Any

from tradewind.model.timetable import CRON_PRESETS
from tradewind.sdk.assets import BaseAsset
from tradewind.sdk.configuration import conf
from tradewind.sdk.durations import is_relativedelta
from tradewind.sdk.exceptions import AirflowTimetableInvalid
from tradewind.sdk.timetables import (
    AssetTriggeredTimetable,
    BaseTimetable,
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    NullTimetable,
    OnceTimetable,
)


def timetable_for(schedule: Any, timezone: str | tzinfo) -> BaseTimetable:
    """The timetable of a DAG whose dates are in `timezone`. An error says what is wrong with a bad schedule."""
    if schedule is None:
        return NullTimetable()
    if isinstance(schedule, BaseTimetable):
        return schedule
    if isinstance(schedule, BaseAsset):
        return AssetTriggeredTimetable(schedule)
    if isinstance(schedule, str):
        return _of_text(schedule, timezone)
    if isinstance(schedule, timedelta) or is_relativedelta(schedule):
        delta = DeltaDataIntervalTimetable(schedule) if _has_data_intervals() else DeltaTriggerTimetable(schedule)
        delta.validate()
        return delta
    if isinstance(schedule, Collection) and not isinstance(schedule, bytes | dict):
        return _of_assets(schedule)
    raise _refused(schedule)


def _of_text(schedule: str, timezone: str | tzinfo) -> BaseTimetable:
    text = schedule.strip().lower()
    if text == "@once":
        return OnceTimetable()
    if text == "@continuous":
        return ContinuousTimetable()
    if not text:
        raise AirflowTimetableInvalid("the schedule is an empty text; for a DAG without a schedule use None")
    cron: BaseTimetable = (
        CronDataIntervalTimetable(schedule, timezone)
        if _has_data_intervals()
        else CronTriggerTimetable(schedule, timezone)
    )
    cron.validate()
    return cron


def _of_assets(schedule: Collection[Any]) -> BaseTimetable:
    for thing in schedule:
        if not isinstance(thing, BaseAsset):
            raise ValueError(  # noqa: TRY004 - a ValueError, as in Airflow
                f"a schedule that is a list consists of assets, but it has {thing!r}"
            )
    if not schedule:
        raise ValueError("the schedule is an empty list of assets; for a DAG without one use None")
    return AssetTriggeredTimetable(schedule)


def _has_data_intervals() -> bool:
    # One option for both kinds, as in Airflow: nothing reads its `create_delta_data_intervals`.
    return conf.getboolean("scheduler", "create_cron_data_intervals", fallback=False)


def _refused(schedule: object) -> ValueError:
    presets = ", ".join(("@once", "@continuous", *CRON_PRESETS))
    return ValueError(
        f"{schedule!r} is no schedule; use None, a cron expression, {presets}, a timedelta, assets or a timetable"
    )
