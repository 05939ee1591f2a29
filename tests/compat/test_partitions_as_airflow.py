"""Mappers, windows and the timetable of partitions say what Airflow's say (A8, C1, C3); see `ask_partitions.py`."""

import gzip
import json
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tradewind.decide.partitions import date_of, expected_keys, target_keys
from tradewind.decide.timetables import partition_of, upcoming
from tradewind.model.partition import Direction, Period, PeriodWindow, RollUp, StartOfPeriod
from tradewind.model.partition_time import DEFAULT_FORMATS
from tradewind.model.timetable import CronPartition, TimeRestriction

_FILE: Final = Path(__file__).with_name("airflow_partitions.json.gz")
_CASES: Final[list[dict[str, Any]]] = json.loads(gzip.decompress(_FILE.read_bytes()))["cases"]
# Airflow finds no way back over a time that the clock skips: two ticks before 29 March it says 29 March again, and so
# two runs are about one partition and none about the two days before.
_KNOWN: Final = ("30 2 * * *", "Europe/Berlin", -2, "2026-03-27T02:45:00+00:00")


def test_mappers_and_windows_say_what_airflows_say() -> None:
    """A8, C3."""
    different = [case for case in _CASES if "key" in case and _mapped(case) != _answer(case)]

    assert different == []


def test_the_timetable_names_the_partitions_that_airflows_names() -> None:
    """A8, C1."""
    different = [
        (case["cron"], case["zone"], case["offset"], case["start"])
        for case in _CASES
        if "cron" in case and _ticked(case) != case["runs"]
    ]

    assert different == [_KNOWN]


def _answer(case: dict[str, Any]) -> tuple[list[str], datetime, list[str]]:
    return [case["target"]], datetime.fromisoformat(case["date"]), case["expected"]


def _mapped(case: dict[str, Any]) -> tuple[list[str], datetime | None, list[str]]:
    period = Period(case["period"])
    mapper = RollUp(
        StartOfPeriod(period, DEFAULT_FORMATS[period], case["zone"]),
        PeriodWindow(period, Direction(case["direction"])),
    )
    targets = target_keys(mapper, case["key"], 1)
    return targets, date_of(mapper, targets[0]), sorted(expected_keys(mapper, targets[0]))


def _ticked(case: dict[str, Any]) -> list[list[str]]:
    timetable = CronPartition(case["cron"], case["zone"], run_offset=case["offset"])
    start = datetime.fromisoformat(case["start"])
    runs = upcoming(timetable, last=None, restriction=TimeRestriction(start, None, True), now=start, count=20)
    made = []
    for info in islice(runs, len(case["runs"])):
        partition = partition_of(timetable, info.run_after)
        assert partition is not None
        assert partition.date is not None
        made.append([info.run_after.isoformat(), partition.date.isoformat(), partition.key])
    return made
