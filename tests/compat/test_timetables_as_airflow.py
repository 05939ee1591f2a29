"""The next 200 runs of two thousand schedules, against those that Airflow's own timetables name (C1, B2).

`ask_timetables.py` asked Airflow; `airflow_timetables.json.gz` has the cases and a hash of each answer. What differs on
purpose is in `DEVIATIONS`, by its reason; the docstring of `tradewind.decide.timetables` has the reasons at length.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tradewind.decide.timetables import InvalidSchedule, next_run, require_usable
from tradewind.model.timetable import (
    CRON_PRESETS,
    Continuous,
    CronDataInterval,
    CronTrigger,
    DataInterval,
    Delta,
    DeltaDataInterval,
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    Once,
    TimeRestriction,
    Timetable,
)

FILE = Path(__file__).with_name("airflow_timetables.json.gz")
PARTS = 8
DEVIATIONS: dict[str, tuple[int, ...]] = {
    "a start date after the last run counts, with catchup too": (
        30,
        36,
        84,
        186,
        212,
        302,
        363,
        439,
        440,
        451,
        540,
        597,
        687,
        813,
        826,
        832,
        987,
        1012,
        1186,
        1227,
        1231,
        1235,
        1312,
        1327,
        1330,
        1337,
        1390,
        1430,
        1493,
        1514,
        1605,
        1655,
        1670,
        1672,
        1722,
        1758,
        1818,
        1903,
        1908,
    ),
    "of several expressions with an interval, the next run is the one that is due first, not that of the first date": (
        39,
        159,
        177,
        217,
        312,
        530,
        622,
        678,
        704,
        777,
        1033,
        1035,
        1123,
        1353,
        1470,
        1622,
        1693,
        1765,
        1842,
        1863,
        1892,
    ),
    "an expression of every hour keeps to the days that it names, where Airflow adds the time that has passed": (
        54,
        55,
        58,
        129,
        214,
        315,
        405,
        560,
        846,
        852,
        911,
        1048,
        1195,
        1208,
        1222,
        1370,
        1410,
        1443,
        1525,
        1553,
        1682,
        1702,
        1704,
        1715,
        1815,
        1881,
        1893,
        1894,
        1947,
        1997,
    ),
    "years that are still to come are waited for, where croniter finds no date before them and raises": (
        127,
        222,
        456,
        513,
        707,
        793,
        805,
        909,
        939,
        1106,
        1371,
        1394,
        1428,
        1949,
    ),
    "all readings that a moved clock skips come later, where Airflow loses those after the first": (
        7,
        240,
        242,
        278,
        325,
        342,
        438,
        596,
        663,
        1101,
        1238,
        1717,
        1731,
        1757,
        1846,
    ),
    "a date that never comes is refused when the file is read, where Airflow fails in each round": (15, 575, 644),
}


@lru_cache
def recorded() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(gzip.decompress(FILE.read_bytes()))
    return content


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def delta(months_and_seconds: list[int]) -> Delta:
    months, seconds = months_and_seconds
    return Delta.of(timedelta(seconds=seconds), months=months)


def timetable_of(spec: dict[str, Any]) -> Timetable:
    crons = tuple(CRON_PRESETS.get(cron, cron) for cron in spec.get("cron", ()))
    zone, interval = spec.get("zone", "UTC"), delta(spec.get("interval", [0, 0]))
    given = spec.get("run_immediately", False)
    immediately = given if isinstance(given, bool) else Delta.of(timedelta(seconds=given))
    kinds: dict[str, Any] = {
        "cron_trigger": lambda: CronTrigger(crons[0], zone, interval, immediately),
        "multiple_cron_trigger": lambda: MultipleCronTrigger(crons, zone, interval, immediately),
        "cron_data_interval": lambda: CronDataInterval(crons[0], zone),
        "delta_trigger": lambda: DeltaTrigger(delta(spec["delta"]), interval),
        "delta_data_interval": lambda: DeltaDataInterval(delta(spec["delta"])),
        "events": lambda: Events(tuple(instant(each) for each in spec["events"])),
        "once": Once,
        "continuous": Continuous,
    }
    made: Timetable = kinds[spec["kind"]]()
    return made


def runs_of(case: dict[str, Any], most: int) -> Iterator[str]:
    """As `ask_timetables.runs_of`."""
    timetable = timetable_of(case["timetable"])
    start, end = case.get("start"), case.get("end")
    restriction = TimeRestriction(start and instant(start), end and instant(end), case["catchup"])
    last = DataInterval(*(instant(each) for each in case["last"])) if "last" in case else None
    now = instant(case["now"])
    require_usable(timetable)
    for _ in range(most):
        info = next_run(timetable, last=last, restriction=restriction, now=now)
        if info is None:
            return
        last = info.data_interval
        assert last is not None
        yield " ".join(each.isoformat() for each in (last.start, last.end, info.run_after))
        if "late" in case:
            now = max(now, info.run_after) + timedelta(seconds=case["late"])


def answer_to(case: dict[str, Any], most: int) -> str:
    try:
        lines = list(runs_of(case, most))
    except InvalidSchedule:
        return "refused"
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@pytest.mark.parametrize("part", range(PARTS))
def test_the_runs_of_generated_schedules_are_those_of_airflow(part: int) -> None:
    """C1, B2: kinds, zones, clock changes, dates, catchup, late schedulers and changed schedules."""
    most, cases = recorded()["runs"], recorded()["cases"]
    different = {number for number in range(part, len(cases), PARTS)
                 if answer_to(cases[number], most) != cases[number]["answer"]}  # fmt: skip

    assert different == {number for number in chain(*DEVIATIONS.values()) if number % PARTS == part}, (
        "see `python tests/compat/ask_timetables.py show NUMBER` in an environment with Airflow"
    )


def test_enough_was_asked() -> None:
    """C1."""
    cases = recorded()["cases"]
    assert len(cases) >= 2_000
    assert recorded()["runs"] == 200
    assert sum(case["count"] for case in cases) > 300_000
    assert {case["timetable"]["kind"] for case in cases} >= {"cron_trigger", "cron_data_interval", "events", "once"}
