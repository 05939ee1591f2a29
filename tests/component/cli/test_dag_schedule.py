"""`tradewind dags next-execution | simulate | explain`: what is to come, and what holds it back (B2, B6)."""

from datetime import UTC, datetime

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import CronTrigger

HOURLY = Dag(
    "sales",
    tasks=(Task("a"), Task("b", upstream=("a",))),
    timetable=CronTrigger("0 * * * *"),
    start_at=datetime(2025, 1, 1, tzinfo=UTC),
)
BY_HAND = Dag("stock", tasks=(Task("a"),))


def test_the_next_runs_are_told(deployment: CliDeployment) -> None:
    deployment.publish(HOURLY, BY_HAND)

    assert deployment.run("dags", "next-execution", "sales") == "2026-01-01T00:00:00+00:00\n"
    assert len(deployment.run("dags", "next-execution", "sales", "-n", "3").splitlines()) == 3
    assert deployment.run("dags", "next-execution", "sales", "--field", "run_after").startswith("2026-01-01T00:00")
    assert "data_interval.start" in deployment.run("dags", "next-execution", "sales", "--table")
    assert deployment.run("dags", "next-execution", "stock") == "None\n"
    assert "there is no DAG 'x'" in deployment.run("dags", "next-execution", "x", code=1)


def test_a_time_is_simulated_with_the_limits_that_hold_runs_back(deployment: CliDeployment) -> None:
    deployment.publish(HOURLY)
    window = ("--from", "2030-01-01", "--to", "2030-01-01T03:00")

    rows = deployment.rows("dags", "simulate", "sales", *window, "--max-active-runs", "1", "--duration", "5400")

    assert [
        (row["run_after"][11:16], row["starts_at"] and row["starts_at"][11:16], row["held_by"]) for row in rows
    ] == [
        ("00:00", "00:00", None),
        ("01:00", "01:30", "max_active_runs"),
        ("02:00", "03:00", "max_active_runs"),
        ("03:00", None, "max_active_runs"),
    ]
    assert rows[1]["delay_s"] == 1800


def test_a_simulation_writes_nothing(deployment: CliDeployment) -> None:
    deployment.publish(HOURLY)

    deployment.run("dags", "simulate", "sales", "--from", "2030-01-01", "--to", "2030-01-02")

    assert deployment.rows("dags", "list-runs", "sales") == []


def test_a_simulation_can_be_cut_short(deployment: CliDeployment) -> None:
    deployment.publish(HOURLY)
    window = ("--from", "2030-01-01", "--to", "2040-01-01")

    assert len(deployment.rows("dags", "simulate", "sales", *window, "--limit", "5")) == 5


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        (["x", "--to", "2030-01-01"], 1, "there is no DAG 'x'"),
        (["sales"], 2, "--to"),
        (["sales", "--to", "soon"], 1, "'soon' is no date"),
        (["sales", "--from", "2030-01-02", "--to", "2030-01-01"], 1, "the time ends before it begins"),
        (["sales", "--to", "2030-01-01", "--max-active-runs", "0"], 2, "--max-active-runs"),
    ],
)
def test_a_simulation_that_makes_no_sense_is_refused(
    deployment: CliDeployment, words: list[str], code: int, reason: str
) -> None:
    deployment.publish(HOURLY)

    assert reason in deployment.run("dags", "simulate", *words, code=code)


def test_a_dag_without_a_schedule_says_so(deployment: CliDeployment) -> None:
    deployment.publish(BY_HAND)

    assert deployment.rows("dags", "simulate", "stock", "--to", "2030-01-01") == []
    assert "it runs only when somebody asks for it" in deployment.run("dags", "explain", "stock")


def test_why_something_does_not_run_is_explained(deployment: CliDeployment) -> None:
    deployment.publish(HOURLY, BY_HAND, is_paused=True)
    assert "the DAG is paused" in deployment.run("dags", "explain", "sales")
    deployment.run("dags", "trigger", "sales", "-r", "mine")

    assert "the DAG is paused" in deployment.run("dags", "explain", "sales", "mine")
    assert "the DAG is paused" in deployment.run("tasks", "explain", "sales", "b", "mine")
    (row,) = deployment.rows("tasks", "explain", "sales", "b", "mine")
    assert (row["what"], row["code"]) == ("b", "dag_paused")


def test_a_run_that_has_ended_is_explained(deployment: CliDeployment) -> None:
    deployment.publish(BY_HAND)
    deployment.run("dags", "trigger", "stock", "-r", "mine")
    deployment.schedule()

    assert "the run has ended: success" in deployment.run("dags", "explain", "stock", "mine")


def test_runs_are_cleared_by_their_ids(deployment: CliDeployment) -> None:
    deployment.publish(BY_HAND)
    deployment.run("dags", "trigger", "stock", "-r", "mine")
    deployment.schedule()

    assert "1 task instances cleared" in deployment.run("dags", "clear", "stock", "--run-id", "mine", "--yes")
    assert deployment.run("dags", "state", "stock", "mine") == "queued\n"
    assert "--run-id" in deployment.run("dags", "clear", "stock", code=2)
