"""`tradewind tasks list | state | states-for-dag-run | failed-deps | clear` (A5)."""

from collections.abc import Sequence
from datetime import datetime

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.executors.instant import succeed
from tradewind.model.dag import Dag, Task
from tradewind.model.mapping import FixedLength
from tradewind.model.task import Failed, Started, TaskReport, WorkItem

FLOW = Dag(
    "flow",
    tasks=(
        Task("extract"),
        Task("load", upstream=("extract",), mapping=FixedLength(2)),
        Task("report", upstream=("load",)),
    ),
)


def load_fails(work: WorkItem, now: datetime) -> Sequence[TaskReport]:
    if work.attempt.task_id == "load" and work.attempt.map_index == 1:
        return (Started(work.attempt, now), Failed(work.attempt, now, reason="no space"))
    return succeed(work, now)


@pytest.fixture
def failed(deployment: CliDeployment) -> CliDeployment:
    """A run of which one instance of a mapped task failed."""
    deployment.publish(FLOW)
    deployment.run("dags", "trigger", "flow", "-r", "mine", "-l", "2026-01-01")
    deployment.schedule(load_fails)
    return deployment


def states(deployment: CliDeployment, run_id: str = "mine") -> dict[str, str]:
    rows = deployment.rows("tasks", "states-for-dag-run", "flow", run_id)
    return {f"{row['task_id']} {row['map_index']}": row["state"] for row in rows}


def test_tasks_of_a_dag_are_listed(failed: CliDeployment) -> None:
    assert failed.run("tasks", "list", "flow") == "extract\nload\nreport\n"
    assert "no DAG 'none'" in failed.run("tasks", "list", "none", code=1)


def test_states_of_a_run_are_listed_with_reason_and_use(failed: CliDeployment) -> None:
    rows = failed.rows("tasks", "states-for-dag-run", "flow", "2026-01-01")

    assert [(row["task_id"], row["map_index"], row["state"], row["reason"]) for row in rows] == [
        ("extract", -1, "success", None),
        ("load", 0, "success", None),
        ("load", 1, "failed", "no space"),
        ("report", -1, "upstream_failed", None),
    ]
    assert rows[0]["logical_date"] == "2026-01-01T00:00:00+00:00"
    assert rows[0]["try_number"] == 1
    assert rows[0]["start_date"] <= rows[0]["end_date"]
    assert {"cpu_s", "peak_memory_mb"} <= rows[0].keys()


def test_the_state_of_one_instance_is_told(failed: CliDeployment) -> None:
    assert failed.run("tasks", "state", "flow", "extract", "mine") == "success\n"
    assert failed.run("tasks", "state", "flow", "load", "mine", "--map-index", "1") == "failed\n"
    assert "no task 'load' with map index -1" in failed.run("tasks", "state", "flow", "load", "mine", code=1)
    assert "has no task 'none'" in failed.run("tasks", "state", "flow", "none", "mine", code=1)


def test_it_is_told_why_a_task_does_not_run(deployment: CliDeployment) -> None:
    deployment.publish(FLOW)
    deployment.run("dags", "pause", "flow")
    deployment.run("dags", "trigger", "flow", "-r", "mine")

    assert "paused" in deployment.run("tasks", "failed-deps", "flow", "extract", "mine")


def test_failed_tasks_run_again_with_those_after_them(failed: CliDeployment) -> None:
    assert failed.run("tasks", "clear", "flow", "-t", "^load", "-f", "-d", "-y") == "2 task instances cleared\n"
    assert failed.run("dags", "state", "flow", "mine") == "queued\n"

    failed.schedule()

    assert set(states(failed).values()) == {"success"}
    assert failed.run("dags", "state", "flow", "mine") == "success\n"


def test_what_is_cleared_is_shown_before_the_question(failed: CliDeployment) -> None:
    before = states(failed)

    assert "aborted" in failed.run("tasks", "clear", "flow", "--only-failed", code=1, answer="n\n")
    assert failed.run("tasks", "clear", "flow", "--only-running") == "nothing to clear\n"
    assert states(failed) == before

    shown = failed.run("tasks", "clear", "flow", "--only-failed", answer="y\n")
    assert shown.startswith("flow mine load[1]\nflow mine report\nClear these 2 task instances?")
    assert shown.endswith("2 task instances cleared\n")


def test_only_runs_that_are_meant_are_cleared(failed: CliDeployment) -> None:
    failed.run("dags", "trigger", "flow", "-r", "later", "-l", "2026-02-01")
    failed.schedule(load_fails)

    assert failed.run("tasks", "clear", "flow", "-s", "2026-01-15", "-y") == "4 task instances cleared\n"
    assert set(states(failed, "later").values()) == {"none"}
    assert failed.run("tasks", "clear", "fl.w", "-R", "--run-id", "mine", "-t", "report", "-y") == (
        "1 task instances cleared\n"
    )
    assert states(failed)["report -1"] == "none"
    assert "'(' is no regular expression" in failed.run("tasks", "clear", "flow", "-t", "(", "-y", code=2)
