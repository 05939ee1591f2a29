"""What a schedule tells about trouble to come (A5, C1)."""

import pytest

from tradewind.dag_processor.parse_child.schedule_check import check_schedule
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import (
    AssetOrTime,
    CronDataInterval,
    CronTrigger,
    Delta,
    DeltaTrigger,
    MultipleCronTrigger,
    Timetable,
)


def warned_of(timetable: Timetable) -> list[str]:
    return [notice.message for notice in check_schedule(Dag("sales", tasks=(Task("a"),), timetable=timetable))]


def test_seconds_that_seem_to_stand_first_are_warned_of() -> None:
    """C1: croniter, and so Airflow and we, read them in the last of six fields."""
    (message,) = warned_of(CronTrigger("0 0 12 * * *"))

    assert message == (
        "the cron expression '0 0 12 * * *' has six fields, of which the first is the minute and the last the second,"
        " as in Airflow; if the first was meant to be the second, write '0 12 * * * 0'"
    )


@pytest.mark.parametrize(
    "timetable",
    [
        CronDataInterval("*/10 * * * * *"),
        CronTrigger("0 0 9 * * 1-5"),
        CronTrigger("0 0 9 ? * MON"),
        AssetOrTime(CronTrigger("30 0 12 * * *")),
        MultipleCronTrigger(("0 0 * * *", "0 0 12 * * *")),
    ],
)
def test_it_does_not_matter_where_the_expression_stands(timetable: Timetable) -> None:
    assert len(warned_of(timetable)) == 1


@pytest.mark.parametrize(
    "timetable",
    [
        CronTrigger("0 12 * * *"),
        CronTrigger("@daily"),
        CronTrigger("* * * * * *"),
        CronTrigger("* * * * * */15"),
        CronTrigger("0 12 * * * 30"),
        CronTrigger("0 0 1 * * 0 2030"),
        DeltaTrigger(Delta(days=1)),
    ],
)
def test_seconds_where_they_belong_are_not_warned_of(timetable: Timetable) -> None:
    assert warned_of(timetable) == []
