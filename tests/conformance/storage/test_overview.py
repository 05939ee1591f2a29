"""Many runs at a glance (D4, D5)."""

from tests.conformance.storage.worlds import NOW, World, minutes, new_task
from tradewind.model.states import RunState, TaskState
from tradewind.storage.database import Database
from tradewind.storage.interface import RunEnd


def test_latest_runs_are_the_newest_of_each_dag(store: Database, world: World) -> None:
    for number in range(4):
        world.run(f"r{number}", run_after=NOW + minutes(number))
    world.run("only", "stock")

    with store.begin() as tx:
        latest = tx.overview.latest_runs(["sales", "stock", "none"], 3)

    assert {dag_id: [run.run_id for run in runs] for dag_id, runs in latest.items()} == {
        "sales": ["r1", "r2", "r3"],
        "stock": ["only"],
        "none": [],
    }


def test_runs_of_the_same_instant_are_no_more_than_wanted(store: Database, world: World) -> None:
    for number in range(3):
        world.run(f"r{number}", run_after=NOW)

    with store.begin() as tx:
        assert [run.run_id for run in tx.overview.latest_runs(["sales"], 2)["sales"]] == ["r1", "r2"]


def test_earlier_runs_are_those_before_an_instant(store: Database, world: World) -> None:
    for number in range(4):
        world.run(f"r{number}", run_after=NOW + minutes(number))

    with store.begin() as tx:
        newest = tx.overview.runs_until("sales", 2)
        before = tx.overview.runs_until("sales", 10, newest[0].ordering_at)

    assert [run.run_id for run in newest] == ["r2", "r3"]
    assert [run.run_id for run in before] == ["r0", "r1"]
    assert {run.state for run in newest} == {RunState.QUEUED}


def test_each_copy_of_a_task_has_its_state(store: Database, world: World) -> None:
    run_key, other = world.running(), world.running("r2")
    world.tasks([new_task(run_key, "load", index) for index in range(3)])
    world.task(TaskState.SUCCESS, run_key, "load", map_index=3)
    world.task(TaskState.RUNNING, other, "load")

    with store.begin() as tx:
        found = tx.overview.task_states([run_key])

    assert list(found) == [run_key]
    assert found[run_key].task_ids == ["load"] * 4
    assert sorted(found[run_key].states) == [*[TaskState.SCHEDULED] * 3, TaskState.SUCCESS]


def test_failures_are_counted_by_dag_since_an_instant(store: Database, world: World) -> None:
    failed = {("sales", "r1"): 1, ("sales", "r2"): 5, ("stock", "s1"): 3, ("stock", "old"): -1}
    for (dag_id, run_id), at in failed.items():
        key = world.running(run_id, dag_id)
        with store.begin() as tx:
            tx.runs.finish([RunEnd(key, RunState.FAILED)], NOW + minutes(at))
    world.ended("fine", RunState.SUCCESS)

    with store.begin() as tx:
        found = tx.overview.failed_since(NOW)
        of_one = tx.overview.failed_since(NOW, {"stock"})

    assert [(each.dag_id, each.number, each.last_run_id, each.last_at) for each in found] == [
        ("sales", 2, "r2", NOW + minutes(5)),
        ("stock", 1, "s1", NOW + minutes(3)),
    ]
    assert [each.dag_id for each in of_one] == ["stock"]
