"""Writes `airflow_timetables.json.gz`: which runs Airflow's own timetables name, for two thousand schedules.

    <python of an environment with apache-airflow-core> tests/compat/ask_timetables.py            write the file
    <the same>                                          tests/compat/ask_timetables.py show 17    the runs of case 17

Needs nothing but Airflow, and no database. The cases follow from a seed, and stand in the file beside a hash of what
Airflow answers, so that `test_timetables_as_airflow.py` needs no Airflow. Takes some minutes.
"""

import gzip
import hashlib
import json
import random
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pendulum
from airflow import __version__  # type: ignore[import-not-found]
from airflow._shared.timezones import timezone as airflow_timezone  # type: ignore[import-not-found]
from airflow.timetables import base, events, interval, simple, trigger  # type: ignore[import-not-found]
from dateutil.relativedelta import relativedelta

FILE = Path(__file__).with_name("airflow_timetables.json.gz")
CASES = 2_000
RUNS = 200
SEED = 20_261_116
ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Casablanca",
    "Asia/Kathmandu", "Pacific/Apia", "America/St_Johns", "Europe/Dublin", "Antarctica/Troll", "Asia/Tokyo",
)  # fmt: skip
# Days around which clocks are moved somewhere, and some on which nothing happens.
DAYS = (
    "2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25", "2026-03-07", "2026-11-01", "2026-04-04", "2026-10-03",
    "2018-11-03", "2018-02-17", "2026-02-14", "2026-03-22", "2011-12-29", "2024-02-28", "2025-12-31", "2026-06-10",
)  # fmt: skip
PRESETS = ("@hourly", "@daily", "@weekly", "@monthly", "@quarterly", "@yearly")
Case = dict[str, Any]


def main() -> None:
    """Ask for all cases, or show one."""
    cases = list(generated())
    if sys.argv[1:2] == ["show"]:
        number = int(sys.argv[2])
        sys.stdout.write(json.dumps(cases[number]) + "\n" + "\n".join(runs_of(cases[number])) + "\n")
        return
    rows = []
    for case in cases:
        lines = list(runs_of(case))
        rows.append({**case, "count": len(lines), "answer": digest(lines)})
    content = ",\n".join(json.dumps(row) for row in rows)
    text = f'{{"airflow": "{__version__}", "runs": {RUNS}, "cases": [\n{content}\n]}}\n'
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))


def digest(lines: list[str]) -> str:
    """What two lists of runs have in common only if they are equal."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def generated() -> Any:
    """The cases, the same each time."""
    dice = random.Random(SEED)
    for _ in range(CASES):
        yield one_case(dice)


def one_case(dice: random.Random) -> Case:
    """A schedule, its dates, and the moment from which one looks."""
    near = datetime.fromisoformat(dice.choice(DAYS)).replace(tzinfo=UTC)

    def moment(days: float) -> str:
        distance = timedelta(minutes=dice.randint(int(-days * 1440), int(days * 1440)))
        seconds = dice.choice((0, 0, 0, 17, 17.25))
        return (near + distance + timedelta(seconds=seconds)).isoformat()

    case: Case = {"timetable": a_timetable(dice, near), "catchup": dice.random() < 0.5, "now": moment(3)}
    if dice.random() < 0.8:
        case["start"] = moment(dice.choice((1, 3, 40, 400)))
    if dice.random() < 0.1:
        case["end"] = moment(60)
    if dice.random() < 0.25:
        end = datetime.fromisoformat(moment(5))
        case["last"] = [(end - timedelta(minutes=dice.choice((0, 0, 60, 1440)))).isoformat(), end.isoformat()]
    # How late a scheduler makes each run, in seconds; without, the clock stands still.
    if dice.random() < 0.5:
        case["late"] = dice.choice((0, 1, 59, 3600, 10_000, 100_000))
    return case


def a_timetable(dice: random.Random, near: datetime) -> Case:
    """Any kind, cron more often than others."""
    zone = dice.choice(ZONES)
    kind = dice.choices(
        ("cron_trigger", "cron_data_interval", "multiple_cron_trigger", "delta_trigger", "delta_data_interval",
         "events", "once", "continuous"), (34, 34, 10, 8, 8, 3, 1, 2))[0]  # fmt: skip
    if kind == "cron_data_interval":
        return {"kind": kind, "cron": [a_cron(dice)], "zone": zone}
    if kind in ("cron_trigger", "multiple_cron_trigger"):
        count = 1 if kind == "cron_trigger" else dice.randint(2, 3)
        made: Case = {"kind": kind, "cron": [a_cron(dice) for _ in range(count)], "zone": zone}
        if dice.random() < 0.3:
            made["interval"] = dice.choice(([0, 600], [0, 86_400], [0, 90_000], [1, 0]))
        if dice.random() < 0.4:
            made["run_immediately"] = dice.choice((True, False, 600, 100_000))
        return made
    if kind.startswith("delta"):
        made = {"kind": kind, "delta": dice.choice(
            ([0, 60], [0, 900], [0, 5400], [0, 86_400], [0, 604_800], [0, 90_061], [1, 0], [3, 0], [12, 0], [1, 3600])
        )}  # fmt: skip
        if kind == "delta_trigger" and dice.random() < 0.3:
            made["interval"] = [0, 3600]
        return made
    if kind == "events":
        minutes = sorted({dice.randint(-20_000, 40_000) for _ in range(dice.randint(0, 40))})
        return {"kind": kind, "events": [(near + timedelta(minutes=each)).isoformat() for each in minutes]}
    return {"kind": kind}


def a_cron(dice: random.Random) -> str:
    """What people write, and some that they do not."""
    if dice.random() < 0.08:
        return dice.choice(PRESETS)
    minute = dice.choice(("0", "30", "*", "*/15", "*/20", "*/7", "5,35", "10-14", str(dice.randint(0, 59))))
    hour = dice.choice(("*", "*", "0", "1", "2", "3", "*/2", "*/6", "1-3", "2,3", "9-17", str(dice.randint(0, 23))))
    day, weekday = "*", "*"
    which = dice.random()
    if which < 0.2:
        weekday = dice.choice(("0", "1-5", "mon", "6,0", "fri", "7", "5#3", "L5"))
    elif which < 0.4:
        day = dice.choice(("1", "15", "31", "1,15", "*/10", "L", "28-31", str(dice.randint(1, 31))))
    elif which < 0.45:
        day, weekday = dice.choice(("1", "13")), dice.choice(("1", "fri"))
    month = "*" if dice.random() < 0.85 else dice.choice(("3", "*/3", "mar,oct", "2", "10-12"))
    text = f"{minute} {hour} {day} {month} {weekday}"
    if dice.random() < 0.06 and weekday != "7":
        text += dice.choice((" 0", " 30", " */20", " 15 2026-2030", " 0 *"))
    return text


def runs_of(case: Case) -> Any:
    """What Airflow names one after the other, as a scheduler asks for it: a line for each."""
    timetable = airflow_timetable(case["timetable"])
    restriction = base.TimeRestriction(instant(case.get("start")), instant(case.get("end")), case["catchup"])
    last = None if "last" not in case else base.DataInterval(*(instant(each) for each in case["last"]))
    now = instant(case["now"])
    for _ in range(RUNS):
        set_clock(now)
        try:
            info = timetable.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)
        except Exception as error:  # its scheduler would fail so, too
            yield f"error {type(error).__name__}"
            return
        if info is None:
            return
        last = info.data_interval
        yield " ".join(text(each) for each in (*last, info.run_after))
        if "late" in case:
            now = max(now, info.run_after) + timedelta(seconds=case["late"])


def text(moment: datetime) -> str:
    """The same for equal instants."""
    return moment.astimezone(UTC).isoformat()


def instant(written: str | None) -> Any:
    """As Airflow has it."""
    return None if written is None else pendulum.instance(datetime.fromisoformat(written))


def airflow_timetable(spec: Case) -> Any:
    """The timetable as a file that names Airflow's classes would have it."""
    kind = spec["kind"]
    immediately = spec.get("run_immediately", False)
    if immediately not in (True, False):
        immediately = timedelta(seconds=immediately)
    cron = {"timezone": spec.get("zone", "UTC")}
    more = {"interval": distance(spec.get("interval", [0, 0]))}
    if kind == "cron_data_interval":
        return interval.CronDataIntervalTimetable(*spec["cron"], **cron)
    if kind == "cron_trigger":
        return trigger.CronTriggerTimetable(*spec["cron"], **cron, **more, run_immediately=immediately)
    if kind == "multiple_cron_trigger":
        return trigger.MultipleCronTriggerTimetable(*spec["cron"], **cron, **more, run_immediately=immediately)
    if kind == "delta_trigger":
        return trigger.DeltaTriggerTimetable(distance(spec["delta"]), **more)
    if kind == "delta_data_interval":
        return interval.DeltaDataIntervalTimetable(distance(spec["delta"]))
    if kind == "events":
        return events.EventsTimetable([instant(each) for each in spec["events"]])
    return simple.OnceTimetable() if kind == "once" else simple.ContinuousTimetable()


def distance(months_and_seconds: list[int]) -> Any:
    """A timedelta, or with months what Airflow takes for them."""
    months, seconds = months_and_seconds
    return relativedelta(months=months, seconds=seconds) if months else timedelta(seconds=seconds)


def set_clock(now: datetime) -> None:
    """Airflow's timetables read the clock themselves."""

    def utcnow() -> datetime:
        return now

    trigger.utcnow = interval.utcnow = airflow_timezone.utcnow = utcnow
    trigger.time = SimpleNamespace(time=now.timestamp)


if __name__ == "__main__":
    main()
