"""`tradewind dags next-execution | simulate | explain`: what is to come, and what holds it back (B2, B6)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import SECRET, shared_app
from tests.component.cli.deployment import CliDeployment
from tradewind.api.auth.access import Level, Principal
from tradewind.api.auth.tokens import Tokens
from tradewind.api.services import Services
from tradewind.bootstrap import wired
from tradewind.model.asset import AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import AssetAndTime, CronDataInterval, CronPartition, CronTrigger
from tradewind.secrets.encryption import Encryption
from tradewind.settings import load_settings
from tradewind.task_logs.reader import LogReader

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


def test_days_on_which_clocks_are_moved_are_told_of(deployment: CliDeployment) -> None:
    """C1."""
    autumn = CronTrigger("0 12 27-29 10 *", "Europe/Berlin")
    deployment.publish(Dag("autumn", tasks=(Task("a"),), timetable=autumn, start_at=datetime(2029, 10, 1, tzinfo=UTC)))

    lines = deployment.run("dags", "next-execution", "autumn", "-n", "3", "--table").splitlines()

    assert "clocks" in lines[0]
    assert [line.split(" | ")[0].strip()[:10] for line in lines if "back by 1:00:00" in line] == ["2029-10-28"]


def test_partitions_are_told_simulated_and_backfilled(deployment: CliDeployment) -> None:
    """C1, C6."""
    timetable = CronPartition("0 0 * * *", key_format="%d.%m.", run_offset=-1)
    deployment.publish(Dag("daily", tasks=(Task("a"),), timetable=timetable, start_at=datetime(2025, 1, 1, tzinfo=UTC)))

    assert deployment.run("dags", "next-execution", "daily", "--field", "partition_key") == "31.12.\n"
    (run,) = deployment.rows("dags", "simulate", "daily", "--from", "2030-01-01", "--to", "2030-01-01")
    assert (run["partition_key"], run["partition_date"]) == ("31.12.", "2029-12-31T00:00:00+00:00")
    asked = ("--dag-id", "daily", "--from-date", "2025-03-30", "--to-date", "2025-03-31")
    assert deployment.rows("backfill", "create", *asked, "--dry-run") == [
        {"logical_date": None, "partition_key": f"{day}.03.", "partition_date": f"2025-03-{day}T00:00:00+00:00"}
        for day in (30, 31)
    ]


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


def test_limits_of_tasks_make_runs_longer_and_are_named(deployment: CliDeployment) -> None:
    """B4: `a` and `b` in a pool of one slot, then in one of two."""
    deployment.publish(replace(HOURLY, tasks=(Task("a", pool="etl"), Task("b", pool="etl"))))
    window = ("--from", "2030-01-01", "--to", "2030-01-01T01:00")
    times = ("--task-duration", "a=2400", "--task-duration", "b=2400")

    narrow = deployment.rows("dags", "simulate", "sales", *window, *times, "--pool", "etl=1", "--catchup")
    wide = deployment.rows("dags", "simulate", "sales", *window, *times, "--pool", "etl=2")
    missing = deployment.rows("dags", "simulate", "sales", *window, *times)

    assert [(row["ends_at"][11:16], row["tasks_held_by"]) for row in narrow] == [
        ("01:20", "pool etl (0:40:00)"),
        ("02:40", "pool etl (1:20:00)"),
    ]
    assert [(row["ends_at"][11:16], row["tasks_held_by"]) for row in wide] == [("00:40", None), ("01:40", None)]
    assert [(row["ends_at"], row["tasks_held_by"]) for row in missing] == [(None, "pool etl (for ever)")] * 2


def test_tasks_take_as_long_as_in_the_last_runs(deployment: CliDeployment) -> None:
    deployment.publish(HOURLY)
    window = ("--from", "2030-01-01", "--to", "2030-01-01")
    assert "runs are assumed to take no time" in deployment.remarks("dags", "simulate", "sales", *window)
    deployment.run("dags", "trigger", "sales", "-r", "mine")
    deployment.schedule()

    assert "as long as in the last runs" in deployment.remarks("dags", "simulate", "sales", *window)


def test_a_simulation_that_becomes_too_much_says_so(deployment: CliDeployment) -> None:
    deployment.publish(replace(HOURLY, tasks=tuple(Task(f"t{number}") for number in range(2_000))))
    window = ("--from", "2030-01-01", "--to", "2030-02-01", "--task-duration", "t1=1")

    told = deployment.remarks("dags", "simulate", "sales", *window)

    assert "50,000 task instances were simulated" in told
    assert "there are more" in told


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
        (["sales", "--to", "soon"], 2, "'soon' is no date"),
        (["sales", "--from", "2030-01-02", "--to", "2030-01-01"], 2, "the time ends before it begins"),
        (["sales", "--to", "2030-01-01", "--max-active-runs", "0"], 2, "--max-active-runs"),
        (["sales", "--to", "2030-01-01", "--task-duration", "a"], 2, "a name and a number are wanted"),
        (["sales", "--to", "2030-01-01", "--task-duration", "a=long"], 2, "not 'long'"),
        (["sales", "--to", "2030-01-01", "--task-duration", "a=-1"], 2, "from 0 seconds to a year"),
        (["sales", "--to", "2030-01-01", "--task-duration", "a=1e99"], 2, "a task takes seconds"),
        (["sales", "--to", "2030-01-01", "--task-duration", "a=nan"], 2, "a task takes seconds"),
        (["sales", "--to", "2030-01-01", "--task-duration", "z=1"], 2, "has no task 'z'"),
        (["sales", "--to", "2030-01-01", "--pool", "etl=-2"], 2, "not '-2'"),
        (["sales", "--to", "2030-01-01", "--pool", "etl=1.5"], 2, "not '1.5'"),
        (["sales", "--to", "2030-01-01", "--duration", "9", "--pool", "etl=1"], 2, "leave it out"),
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


def test_another_schedule_is_tried_out_without_changing_the_dag(deployment: CliDeployment) -> None:
    """C1: with days on which clocks are moved marked as such."""
    deployment.publish(HOURLY)
    window = ("--from", "2030-03-30", "--to", "2030-04-01")
    changed = ("--schedule", "30 2 * * *", "--timezone", "Europe/Berlin", "--no-catchup")

    rows = deployment.rows("dags", "simulate", "sales", *window, *changed)

    assert [(row["run_after"][:16], row["clocks"]) for row in rows] == [
        ("2030-03-30T01:30", None),
        ("2030-03-31T01:30", "forward by 1:00:00"),
    ]
    refused = deployment.run("dags", "simulate", "sales", *window, "--schedule", "0 0 30 2 *", code=2)
    assert "a date that does not exist" in refused


def test_a_time_to_come_begins_with_what_is_due_then(deployment: CliDeployment) -> None:
    """C1: until then each run is made in its time, so there is nothing to catch up with."""
    deployment.publish(replace(HOURLY, catchup=True))

    rows = deployment.rows("dags", "simulate", "sales", "--from", "2030-01-01T00:30", "--to", "2030-01-01T02:00")

    assert [row["run_after"][11:16] for row in rows] == ["01:00", "02:00"]


def test_another_cron_expression_is_read_as_that_of_the_dag_is(deployment: CliDeployment) -> None:
    """C1, C4: in the zone of its timetable, with the same intervals, and for ticks that wait for assets too."""
    timetable = AssetAndTime(CronDataInterval("0 0 * * *", "Europe/Berlin"))
    deployment.publish(replace(HOURLY, timetable=timetable, assets=AssetRef("orders", "orders")))
    window = ("--from", "2030-01-01", "--to", "2030-01-01T09:00")

    rows = deployment.rows("dags", "simulate", "sales", *window, "--schedule", "0 8 * * *")

    assert [(row["data_interval.start"][:13], row["data_interval.end"][:13]) for row in rows] == [
        ("2029-12-31T07", "2030-01-01T07")
    ]


def test_the_web_server_simulates_the_same(deployment: CliDeployment) -> None:
    """C1: the same question has the same answer, also on days on which clocks are moved."""
    deployment.publish(HOURLY)
    options = {
        "schedule": "30 */8 * * *",
        "timezone": "Europe/Berlin",
        "task-duration": "a=40000",
        "max-active-runs": "1",
        "max-active-tasks": "1",
        "parallelism": "1",
        "pool": "default_pool=1",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]

    told = deployment.rows("dags", "simulate", "sales", "--from", "2030-03-30", "--to", "2030-04-01", *words)
    with wired(load_settings()) as wiring:
        services = Services(
            settings=load_settings(),
            store=wiring.database,
            clock=wiring.clock,
            tokens=Tokens(SECRET),
            cipher=Encryption([]),
            logs=LogReader(deployment.home / "logs"),
            find_principal=lambda claim: Principal(claim.subject, Level.VIEWER),
        )
        app = shared_app()
        app.state.services = services
        with TestClient(app) as client:
            headers = {"Authorization": f"Bearer {services.tokens.make('ann', wiring.clock.now())}"}
            asked = {name.replace("-", "_"): value for name, value in options.items()}
            asked |= {"since": "2030-03-30T00:00:00", "until": "2030-04-01T00:00:00", "limit": "100"}
            answered = client.get("/api/v2/dags/sales/upcoming", params=asked, headers=headers).json()
            far = {"since": "9999-12-31T00:00:00Z"}
            refused = client.get("/api/v2/dags/sales/upcoming", params=far, headers=headers)

    assert any(row["clocks"] for row in told)
    assert {row["held_by"] for row in told} >= {"max_active_runs"}
    assert [
        (row["run_after"], row["starts_at"], row["ends_at"], row["held_by"], bool(row["clocks"])) for row in told
    ] == [
        (
            *(_text(run[name]) for name in ("run_after", "starts_at", "ends_at")),
            run["held_by"],
            bool(run["clock_change_s"]),
        )
        for run in answered["runs"]
    ]
    assert refused.status_code == 400


def _text(moment: str | None) -> str | None:
    """As the command line writes it."""
    return None if moment is None else moment.replace("Z", "+00:00")
