"""What `schedule=` means, row by row (C1, C2)."""

from datetime import timedelta
from typing import Any

import pytest
from dateutil.relativedelta import relativedelta

from tradewind.sdk.assets import Asset, AssetAlias, AssetAll
from tradewind.sdk.exceptions import AirflowTimetableInvalid
from tradewind.sdk.schedule import timetable_for
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

ZONE = "Europe/Berlin"
DAY = timedelta(days=1)
A, B = Asset("a"), Asset("b")
TIMETABLE = CronDataIntervalTimetable("@daily", "UTC")


@pytest.mark.parametrize(
    ("schedule", "timetable"),
    [
        (None, NullTimetable()),
        ("@once", OnceTimetable()),
        ("@continuous", ContinuousTimetable()),
        ("@daily", CronTriggerTimetable("0 0 * * *", ZONE)),
        ("@quarterly", CronTriggerTimetable("0 0 1 */3 *", ZONE)),
        ("5 4 * * sun", CronTriggerTimetable("5 4 * * sun", ZONE)),
        (DAY, DeltaTriggerTimetable(DAY)),
        (relativedelta(months=1), DeltaTriggerTimetable(relativedelta(months=1))),
        (A, AssetTriggeredTimetable(A)),
        (AssetAlias("x"), AssetTriggeredTimetable(AssetAlias("x"))),
        (Asset.ref(name="a"), AssetTriggeredTimetable(Asset.ref(name="a"))),
        (A & B, AssetTriggeredTimetable(A & B)),
        (A | B, AssetTriggeredTimetable(A | B)),
        ([A, B], AssetTriggeredTimetable(AssetAll(A, B))),
        ((A, AssetAlias("x")), AssetTriggeredTimetable(AssetAll(A, AssetAlias("x")))),
        ({A}, AssetTriggeredTimetable(AssetAll(A))),
    ],
)
def test_a_schedule_is_short_for_a_timetable(schedule: Any, timetable: BaseTimetable) -> None:
    assert timetable_for(schedule, ZONE) == timetable


def test_a_timetable_stands_for_itself() -> None:
    assert timetable_for(TIMETABLE, ZONE) is TIMETABLE


def test_one_option_turns_cron_and_delta_into_data_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """B2: runs at the end of their interval."""
    monkeypatch.setenv("AIRFLOW__SCHEDULER__CREATE_CRON_DATA_INTERVALS", "True")

    assert timetable_for("@daily", ZONE) == CronDataIntervalTimetable("0 0 * * *", ZONE)
    assert timetable_for(DAY, ZONE) == DeltaDataIntervalTimetable(DAY)
    assert timetable_for("@once", ZONE) == OnceTimetable()


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("@dialy", "cron expression '@dialy': no such preset; there are @hourly, @daily"),
        ("0 0 * *", r"cron expression '0 0 \* \*': 4 fields"),
        ("", "the schedule is an empty text"),
        (timedelta(0), "must be positive"),
        (timedelta(hours=-1), "must be positive, not -1:00:00"),
        (relativedelta(day=1), "names a date"),
    ],
)
def test_a_schedule_that_cannot_be_kept_is_refused_at_once(schedule: Any, problem: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=problem):
        timetable_for(schedule, ZONE)


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        (5, "5 is no schedule; use None, a cron expression, @once"),
        ({"a": 1}, "is no schedule"),
        (b"@daily", "is no schedule"),
        ([A, "b"], "consists of assets, but it has 'b'"),
        ([], "an empty list of assets"),
    ],
)
def test_what_is_no_schedule_is_refused(schedule: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        timetable_for(schedule, ZONE)


def test_an_unknown_time_zone_is_refused() -> None:
    with pytest.raises(AirflowTimetableInvalid, match="unknown time zone 'Nowhere'"):
        timetable_for("@daily", "Nowhere")
