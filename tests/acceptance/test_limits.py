"""How many at a time, in which order, and after which other runs (B4, B5)."""

from datetime import datetime, timedelta

import pytest

from tests.acceptance.conftest import WIDEST, Runs
from tests.acceptance.deployment import Deployment, most_at_once
from tests.acceptance.examples import LOGICAL_DATE

both = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)
on_sqlite = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

FIRST = datetime.fromisoformat(LOGICAL_DATE)


@both
def test_a_pool_never_has_more_than_its_slots(runs: Runs) -> None:
    """B4: while some forty other DAGs run."""
    pooled = runs["pooled"]

    assert pooled.most_at_once("weight_") == 1
    assert pooled.most_at_once("narrow_") <= 2
    wide = pooled.tasks["wide"]
    assert [name for name in pooled.order("narrow_") if most_at_once([wide, pooled.tasks[name]]) > 1] == []


@both
def test_tasks_of_a_full_pool_start_by_priority(runs: Runs) -> None:
    """B5: strictly, whatever else runs."""
    assert runs["pooled"].order("weight_") == [f"weight_{number}" for number in reversed(range(10))]


@both
def test_no_more_tasks_run_than_a_dag_and_a_task_allow(runs: Runs) -> None:
    """B4: max_active_tasks, max_active_tis_per_dag, max_active_tis_per_dagrun."""
    assert runs["two_at_a_time"].most_at_once("task_") <= 2
    assert runs["one_of_the_task"].most_at_once("of_all_runs") == 1
    assert runs["one_of_the_task"].most_at_once("of_this_run") <= 2


@both
def test_runs_wait_for_their_turn(deployment: Deployment) -> None:
    """B4, C5: max_active_runs, in the order of their dates."""
    keys = [
        deployment.trigger("one_run_at_a_time", f"turn_{number}", logical_date=FIRST + timedelta(days=1 + number))
        for number in range(3)
    ]

    runs = [deployment.ended(key) for key in keys]

    assert {run.state for run in runs} == {"success"}
    tasks = [run.tasks["only"] for run in runs]
    assert most_at_once(tasks) == 1
    assert [task.run_id for task in sorted(tasks, key=lambda task: str(task.started_at))] == [
        "turn_0",
        "turn_1",
        "turn_2",
    ]


@both
def test_a_run_waits_for_the_one_before_until_it_is_put_right(deployment: Deployment) -> None:
    """B3, D4: depends_on_past and wait_for_downstream; the failed task of the run between is marked as a success."""
    first, second, third = (
        deployment.trigger("after_the_past", f"past_{number}", logical_date=FIRST + timedelta(days=number))
        for number in range(3)
    )
    assert deployment.ended(first).state == "success"
    assert deployment.ended(second).states == {
        "steady": "success",
        "patient": "success",
        "fails_in_the_second": "failed",
    }
    deployment.until(lambda: deployment.seen(third).states["steady"] == "success", "what may run of the third")
    waiting = deployment.seen(third)
    assert (waiting.state, waiting.states["patient"], waiting.states["fails_in_the_second"]) == (
        "running",
        "none",
        "none",
    )

    deployment.mark_success(second, "fails_in_the_second")

    assert deployment.ended(third).states == dict.fromkeys(waiting.states, "success")


@on_sqlite
def test_thousands_of_mapped_tasks_run(deployment: Deployment) -> None:
    """D3: and the one that follows gets all that they left. `make bench` runs ten thousand."""
    wide = deployment.run("mapped_widely", within_s=300)

    assert wide.state == "success"
    assert sum(name.startswith("double[") for name in wide.tasks) == WIDEST
    assert wide.value("total") == WIDEST * (WIDEST - 1)
