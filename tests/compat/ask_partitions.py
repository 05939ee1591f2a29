"""Writes `airflow_partitions.json.gz`: what Airflow's own mappers and its timetable of partitions say.

    <python of an environment with apache-airflow-core> tests/compat/ask_partitions.py

Needs nothing but Airflow, and no database. The cases follow from a seed, and stand in the file with the answers, so
that `test_partitions_as_airflow.py` needs no Airflow.
"""

import gzip
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pendulum
from airflow import __version__  # type: ignore[import-not-found]
from airflow.partition_mappers import base, temporal, window  # type: ignore[import-not-found]
from airflow.timetables.base import TimeRestriction  # type: ignore[import-not-found]
from airflow.timetables.trigger import CronPartitionTimetable  # type: ignore[import-not-found]

FILE = Path(__file__).with_name("airflow_partitions.json.gz")
SEED = 20_261_117
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe")
PERIODS = ("hour", "day", "week", "month", "quarter", "year")
CRONS = ("0 * * * *", "0 0 * * *", "30 2 * * *", "*/15 * * * *", "0 0 1 * *", "0 6 * * 1")
DAYS = ("2026-03-29", "2026-10-25", "2024-02-28", "2025-12-31")
Case = dict[str, Any]


def main() -> None:
    """Ask for all cases."""
    dice = random.Random(SEED)
    cases = [_mapped(dice) for _ in range(600)] + [_ticked(dice) for _ in range(120)]
    text = json.dumps({"airflow": __version__, "cases": cases}, indent=0)
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))


def _moment(dice: random.Random) -> datetime:
    day = datetime.fromisoformat(dice.choice(DAYS))
    return day + timedelta(minutes=dice.randrange(-3000, 3000))


def _mapped(dice: random.Random) -> Case:
    period, zone = dice.choice(PERIODS), dice.choice(ZONES)
    direction = dice.choice(("forward", "backward"))
    key = _moment(dice).strftime("%Y-%m-%dT%H:%M:%S")
    mapper = getattr(temporal, f"StartOf{period.title()}Mapper")(timezone=zone)
    target = mapper.to_downstream(key)
    spanned = getattr(window, f"{period.title()}Window")(direction=direction)
    expected = base.RollupMapper(upstream_mapper=mapper, window=spanned).to_upstream(target)
    date = mapper.to_partition_date(target).astimezone(UTC)
    made: Case = {"period": period, "zone": zone, "direction": direction, "key": key}
    return {**made, "target": target, "date": date.isoformat(), "expected": sorted(expected)}


def _ticked(dice: random.Random) -> Case:
    cron, zone, offset = dice.choice(CRONS), dice.choice(ZONES), dice.randrange(-2, 3)
    start = _moment(dice).replace(tzinfo=UTC)
    timetable = CronPartitionTimetable(cron, timezone=zone, run_offset=offset)
    restriction = TimeRestriction(pendulum.instance(start), None, True)
    made, last = [], None
    for _ in range(20):
        last = timetable.next_dagrun_info_v2(last_dagrun_info=last, restriction=restriction)
        dates = (last.run_after, last.partition_date)
        made.append([*(date.astimezone(UTC).isoformat() for date in dates), last.partition_key])
    return {"cron": cron, "zone": zone, "offset": offset, "start": start.isoformat(), "runs": made}


if __name__ == "__main__":
    main()
