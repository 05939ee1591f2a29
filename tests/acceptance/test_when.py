"""Deadlines with callbacks, and timetables that authors wrote, in a whole deployment (C1, C5, D4)."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.acceptance.deployment import Deployment, deployed
from tradewind.model.deadline import Deadline, DeadlineState
from tradewind.model.ids import RunKey
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType
from tradewind.model.timetable import DataInterval

DAGS: Final = Path(__file__).with_name("when_dags")
PLUGIN: Final = """
from datetime import timedelta

from airflow.plugins_manager import AirflowPlugin
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable


class OpenDays(Timetable):
    def __init__(self, closed):
        self.closed = closed

    def serialize(self):
        return {"closed": self.closed}

    @classmethod
    def deserialize(cls, data):
        return cls(data["closed"])

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        last = last_automated_data_interval
        first = restriction.earliest if restriction.catchup else restriction.latest
        day = first if last is None else last.end
        if day.weekday() == self.closed:
            day += timedelta(days=1)
        return None if day > restriction.latest else DagRunInfo.interval(day, day + timedelta(days=1))

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval(run_after - timedelta(days=1), run_after)


class Shop(AirflowPlugin):
    name = "shop"
    timetables = [OpenDays]
"""
DONE: Final = (DeadlineState.SUCCESS, DeadlineState.FAILED)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """With callbacks looked for each second."""
    home = tmp_path_factory.mktemp("shop")
    plugins = home / "plugins"
    plugins.mkdir()
    (plugins / "shop_calendar.py").write_text(PLUGIN)
    variables = {
        "TRADEWIND__CORE__PLUGINS_FOLDER": str(plugins),
        "TRADEWIND__DAG_PROCESSOR__BUNDLE_REFRESH_CHECK_INTERVAL": "1",
        "AIRFLOW_VAR_PATIENCE": "-5",
        "AIRFLOW_VAR_WHOM": "Ann",
    }
    url = f"sqlite:///{home}/state.db"
    with deployed(home / "home", url, dags_folder=DAGS, variables=variables) as deployment:
        deployment.start("triggerer")
        deployment.wait_for_files(DAGS)
        yield deployment


def deadlines_of(shop: Deployment, run: RunKey) -> dict[str | None, Deadline]:
    """By name."""
    with shop.wiring.database.begin() as tx:
        return {each.name: each for each in tx.deadlines.of_run(run)}


def told(shop: Deployment, run_id: str) -> list[str]:
    """What the callbacks of a run wrote down."""
    lines = [json.loads(line) for line in (shop.notes / "told").read_text().splitlines()]
    assert {whom for _, _, whom in lines} == {"Ann"}
    return sorted(name for name, of_run, _ in lines if of_run == run_id)


def test_whatever_a_deadline_is_counted_from_its_callback_is_called_once(shop: Deployment) -> None:
    """D4: with a variable that the callback asks for; the average is known from the second run on."""
    at = datetime(2026, 1, 7, tzinfo=UTC)
    expected = ["fixed", "in a variable", "logical date", "of the author", "queued", "queued, later"]
    for run_id, more in (("first", []), ("second", ["average"])):
        run = shop.trigger("late", run_id, logical_date=at.replace(hour=len(more)))
        called = [*more, *expected, "broken"]
        shop.until(
            lambda run=run, called=called: all(deadlines_of(shop, run)[name].state in DONE for name in called),  # type: ignore[misc]
            f"the callbacks of the {run_id} run",
        )

        assert shop.ended(run).state == "success"
        found = deadlines_of(shop, run)
        assert sorted(name for name, each in found.items() if each.missed_at and name) == sorted(called)
        assert "in time" not in found
        assert "nobody is at home" in str(found["broken"].message)
        assert {found[name].message for name in called if name != "broken"} == {None}
        assert told(shop, run_id) == sorted([*more, *expected])


def test_a_timetable_in_the_dag_file_makes_its_runs(shop: Deployment) -> None:
    """C1: each once, and none of them by code that a scheduler has imported."""
    shop.until(lambda: len(ended_runs(shop, "third_days")) == 4, "four runs of third_days")

    assert days(shop.runs_of("third_days")) == [1, 4, 7, 10]


def test_a_timetable_of_a_plugin_is_backfilled_and_run_by_hand(shop: Deployment) -> None:
    """C1, C5: the dry run lists exactly what is made then; a run by hand is about what the timetable says."""
    shop.until(lambda: days(ended_runs(shop, "open_days")) == [12], "the newest run of open_days")
    words = ("backfill", "create", "--dag-id", "open_days", "--from-date", "2026-01-02", "--to-date", "2026-01-12")

    listed = json.loads(shop.command(*words, "--dry-run", "--output", "json"))
    shop.command(*words, "--run-backwards")
    shop.until(lambda: len(ended_runs(shop, "open_days", RunType.BACKFILL)) == len(listed), "all backfill runs")
    by_hand = shop.ended(shop.trigger("open_days", logical_date=datetime(2026, 1, 4, tzinfo=UTC)))

    runs = ended_runs(shop, "open_days", RunType.BACKFILL)
    # The 4th and the 11th are Sundays, and the 12th has its run.
    assert days(runs) == [2, 3, 5, 6, 7, 8, 9, 10]
    assert sorted(datetime.fromisoformat(row["logical_date"]).day for row in listed) == days(runs)
    assert {run.state for run in runs} == {RunState.SUCCESS}
    assert by_hand.state == "success"
    (manual,) = ended_runs(shop, "open_days", RunType.MANUAL)
    assert manual.data_interval == DataInterval(datetime(2026, 1, 3, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC))


def ended_runs(shop: Deployment, dag_id: str, run_type: RunType = RunType.SCHEDULED) -> list[Run]:
    """The runs of a type that are over."""
    with shop.wiring.database.begin() as tx:
        runs = tx.runs.of_dag(dag_id)
    return [run for run in runs if run.run_type is run_type and run.finished_at is not None]


def days(runs: list[Run]) -> list[int]:
    """Of January."""
    return sorted(run.logical_date.day for run in runs if run.logical_date is not None)
