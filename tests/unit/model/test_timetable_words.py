"""Timetables and cron expressions in words."""

from datetime import UTC, datetime

import pytest

from tradewind.model.cron_words import cron_words
from tradewind.model.invalid_schedule import BadCron
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
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    Never,
    Once,
    PartitionedAssets,
    PartitionedAtRuntime,
    Timetable,
)
from tradewind.model.timetable_words import is_partitioned, timetable_words


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 0 * * *", "At 00:00"),
        ("@daily", "At 00:00"),
        ("0 1 * * 1", "At 01:00, only on Monday"),
        ("30 9 * * 1-5", "At 09:30, only on Monday through Friday"),
        ("0 0 * * 0,6", "At 00:00, only on Saturday and Sunday"),
        ("*/20 2 * * *", "At 02:00, 02:20 and 02:40"),
        ("* * * * *", "Every minute"),
        ("*/5 * * * *", "Every 5 minutes"),
        ("0 * * * *", "Every hour"),
        ("15 * * * *", "At minute 15 of each hour"),
        ("0 9-17 * * *", "Every hour, in hours 9 through 17"),
        ("1,7,9 */2 * * *", "In minutes 1, 7 and 9, every 2 hours"),
        ("0 0 1 */3 *", "At 00:00, on day 1 of the month, only in January, April, July and October"),
        ("0 0 1,15 * 1", "At 00:00, on day 1 and 15 of the month or only on Monday"),
        ("0 0 L * *", "At 00:00, on the last day of the month"),
        ("0 0 15W * *", "At 00:00, on the working day nearest to day 15 of the month"),
        ("0 0 * * 5#3", "At 00:00, on the third Friday of the month"),
        ("0 0 * * L5", "At 00:00, on the last Friday of the month"),
        ("* * * * * 0,30", "Every 30 seconds"),
        ("0 0 * * * 0 2027", "At 00:00, only in 2027"),
    ],
)
def test_a_cron_expression_is_said_in_words(expression: str, words: str) -> None:
    assert cron_words(expression) == words


def test_what_is_no_cron_expression_has_no_words() -> None:
    with pytest.raises(BadCron):
        cron_words("61 * * * *")
    assert timetable_words(CronTrigger("61 * * * *")).description == ""


EVENTS = (datetime(2027, 1, 1, tzinfo=UTC), datetime(2028, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("timetable", "type_name", "summary", "description"),
    [
        (CronTrigger("0 1 * * *"), "CronTriggerTimetable", "0 1 * * *", "At 01:00"),
        (CronDataInterval("0 1 * * *"), "CronDataIntervalTimetable", "0 1 * * *", "At 01:00"),
        (
            MultipleCronTrigger(("0 1 * * *", "0 2 * * *")),
            "MultipleCronTriggerTimetable",
            "0 1 * * *, 0 2 * * *",
            "At 01:00, At 02:00",
        ),
        (DeltaTrigger(Delta(days=2, seconds=300)), "DeltaTriggerTimetable", "2 days, 0:05:00", ""),
        (DeltaTrigger(Delta(months=1)), "DeltaTriggerTimetable", "1 month", ""),
        (Events(EVENTS, description="mine"), "EventsTimetable", "mine", "mine"),
        (
            Events(EVENTS),
            "EventsTimetable",
            "2 events",
            "2 events from 2027-01-01T00:00:00+00:00 to 2028-01-01T00:00:00+00:00",
        ),
        (Events(), "EventsTimetable", "0 events", "No events"),
        (Once(), "OnceTimetable", "@once", "Once, as soon as possible"),
        (Continuous(), "ContinuousTimetable", "@continuous", "One run after the other"),
        (Never(), "NullTimetable", None, "Only when asked for"),
        (AssetTriggered(), "AssetTriggeredTimetable", "Asset", "Triggered by assets"),
        (
            AssetOrTime(CronTrigger("0 1 * * *")),
            "AssetOrTimeSchedule",
            "Asset or 0 1 * * *",
            "Triggered by assets or At 01:00",
        ),
        (
            AssetAndTime(CronTrigger("0 1 * * *")),
            "AssetAndTimeSchedule",
            "Asset and 0 1 * * *",
            "At 01:00, once its assets were updated",
        ),
        (Custom("my.Table", summary="odd days", description="d"), "my.Table", "odd days", "d"),
    ],
)
def test_a_timetable_is_said_in_words(
    timetable: Timetable, type_name: str, summary: str | None, description: str
) -> None:
    words = timetable_words(timetable)

    assert (words.type_name, words.summary, words.description) == (type_name, summary, description)


def test_which_timetables_are_about_partitions() -> None:
    assert is_partitioned(CronPartition("0 0 * * *"))
    assert is_partitioned(PartitionedAssets())
    assert not is_partitioned(PartitionedAtRuntime())
    assert timetable_words(PartitionedAtRuntime()).summary is not None
