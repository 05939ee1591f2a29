"""`tradewind backfill create | list | get | pause | unpause | cancel` (A5, B7)."""

from datetime import UTC, datetime

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import CronTrigger

SALES = Dag("sales", tasks=(Task("a"),), timetable=CronTrigger("0 0 * * *"), start_at=datetime(2999, 1, 1, tzinfo=UTC))
RANGE = ("--dag-id", "sales", "--from-date", "2025-12-01", "--to-date", "2025-12-03")


def test_a_dry_run_lists_the_runs_and_makes_none(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    rows = deployment.rows("backfill", "create", *RANGE, "--dry-run", "--run-backwards")

    assert [row["logical_date"] for row in rows] == [f"2025-12-0{day}T00:00:00+00:00" for day in (3, 2, 1)]
    assert deployment.rows("backfill", "list", "sales") == []
    assert deployment.audit_log() == []


def test_a_backfill_is_made_paused_and_done(deployment: CliDeployment) -> None:
    deployment.publish(SALES)

    (made,) = deployment.rows("backfill", "create", *RANGE, "--max-active-runs", "2", "--dag-run-conf", '{"n": 1}')
    assert (made["progress"], made["max_active_runs"], made["completed_at"]) == ("0/3", 2, None)
    key = str(made["id"])
    assert deployment.rows("backfill", "pause", key)[0]["is_paused"] is True
    deployment.schedule()
    assert deployment.rows("backfill", "get", key)[0]["progress"] == "0/3"
    assert deployment.rows("backfill", "unpause", key)[0]["is_paused"] is False
    deployment.schedule()
    (done,) = deployment.rows("backfill", "list", "sales")

    assert (done["progress"], done["remaining"]) == ("3/3", "0:00:00")
    runs = deployment.rows("dags", "list-runs", "sales")
    assert {(run["run_type"], run["state"]) for run in runs} == {("backfill", "success")}
    events = [entry["event"] for entry in deployment.audit_log()]
    assert events == ["cli_backfill_create", "cli_backfill_pause", "cli_backfill_unpause"]
    deployment.schedule()
    assert deployment.rows("backfill", "get", key)[0]["completed_at"] is not None
    again = deployment.rows("backfill", "create", *RANGE, "--dry-run", "--reprocess-behavior", "completed")
    assert len(again) == 3


def test_whoever_backfills_a_paused_dag_is_told_what_its_runs_wait_for(deployment: CliDeployment) -> None:
    deployment.publish(SALES, is_paused=True)

    assert "tradewind dags unpause sales" in deployment.remarks("backfill", "create", *RANGE)


def test_a_backfill_is_called_off(deployment: CliDeployment) -> None:
    deployment.publish(SALES)
    (made,) = deployment.rows("backfill", "create", *RANGE)

    (cancelled,) = deployment.rows("backfill", "cancel", str(made["id"]))

    assert (cancelled["failed"], cancelled["is_paused"]) == (3, True)
    assert cancelled["completed_at"] is not None


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (("create", *RANGE[:1], "nothing", *RANGE[2:]), 1, "there is no DAG 'nothing'"),
        (("create", *RANGE, "--max-active-runs", "0"), 2, "no run could start"),
        (("create", *RANGE[:3], "soon", *RANGE[4:]), 2, "'soon' is no date"),
        (("list", "nothing"), 1, "there is no DAG 'nothing'"),
        (("get", "7"), 1, "there is no backfill 7"),
        (("pause", "7"), 1, "there is no backfill 7"),
        (("cancel", "7"), 1, "there is no backfill 7"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(
    deployment: CliDeployment, words: tuple[str, ...], code: int, expected: str
) -> None:
    deployment.publish(SALES)

    error = deployment.run("backfill", *words, code=code)

    assert expected in error
    assert error.count("\n") == 1


def test_a_conf_that_is_no_json_is_not_understood(deployment: CliDeployment) -> None:
    """A8: one line, and the exit code of words that are wrong."""
    error = deployment.run("backfill", "create", *RANGE, "--dag-run-conf", "{", code=2)

    assert "--dag-run-conf" in error
    assert "is no JSON" in error
    assert error.count("\n") == 1
