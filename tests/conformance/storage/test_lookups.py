"""Questions of tasks about runs and other tasks (D2), on every database."""

import pytest

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.ids import UNMAPPED, TaskKey
from tradewind.model.states import RunState, TaskState
from tradewind.storage.database import Database
from tradewind.storage.interface.lookup_store import FoundTask, RunFilter, TaskFilter


@pytest.fixture
def runs(world: World) -> World:
    """Three runs of one DAG and one of another, whose tasks ended in several ways."""
    first = world.ended("first", RunState.SUCCESS, logical_date=NOW)
    second = world.ended("second", RunState.FAILED, logical_date=NOW + minutes(1))
    third = world.running("third", logical_date=NOW + minutes(2))
    world.running("first", "other", logical_date=NOW)
    world.task(TaskState.SUCCESS, first, "load")
    world.task(TaskState.FAILED, first, "check")
    world.task(TaskState.FAILED, second, "load")
    for index in range(3):
        world.task(TaskState.SUCCESS if index else TaskState.SKIPPED, second, "copy", map_index=index)
    world.task(TaskState.NONE, third, "load")
    return world


@pytest.mark.parametrize(
    ("which", "count"),
    [
        (RunFilter(dag_id="sales"), 3),
        (RunFilter(dag_id="other"), 1),
        (RunFilter(dag_id="none"), 0),
        (RunFilter(dag_id="sales", run_ids=["first", "third", "Third"]), 2),
        (RunFilter(dag_id="sales", run_ids=[]), 0),
        (RunFilter(dag_id="sales", logical_dates=[NOW, NOW + minutes(1), NOW + minutes(1.5)]), 2),
        (RunFilter(dag_id="sales", states=["success", "running"]), 2),
        (RunFilter(dag_id="sales", states=["success"], run_ids=["second"]), 0),
    ],
)
def test_runs_are_counted(runs: World, store: Database, which: RunFilter, count: int) -> None:
    with store.begin() as tx:
        assert tx.lookups.count_runs(which) == count


@pytest.mark.parametrize(
    ("after", "state", "run_id"),
    [(0, None, None), (1, None, "first"), (9, None, "third"), (9, "success", "first"), (9, "queued", None)],
)
def test_the_last_run_before_a_date_is_found(
    runs: World, store: Database, after: int, state: str | None, run_id: str | None
) -> None:
    with store.begin() as tx:
        run = tx.lookups.run_before("sales", NOW + minutes(after), state)

    assert (run and run.run_id) == run_id


_SALES = RunFilter(dag_id="sales")


@pytest.mark.parametrize(
    ("which", "count"),
    [
        (TaskFilter(runs=_SALES), 7),
        (TaskFilter(runs=RunFilter(dag_id="other")), 0),
        (TaskFilter(runs=_SALES, task_ids=["load", "check"]), 4),
        (TaskFilter(runs=_SALES, task_ids=[]), 0),
        (TaskFilter(runs=_SALES, map_index=1), 1),
        (TaskFilter(runs=_SALES, map_index=UNMAPPED, states=["failed"]), 2),
        (TaskFilter(runs=_SALES, states=["success", "none"]), 4),
        (TaskFilter(runs=RunFilter(dag_id="sales", run_ids=["second"]), task_ids=["copy"], states=["success"]), 2),
        (TaskFilter(runs=RunFilter(dag_id="sales", logical_dates=[NOW + minutes(2)])), 1),
    ],
)
def test_task_instances_are_counted(runs: World, store: Database, which: TaskFilter, count: int) -> None:
    with store.begin() as tx:
        assert tx.lookups.count_tasks(which) == count
        assert len(tx.lookups.task_states(which)) == count


def test_the_states_of_task_instances_come_run_by_run(runs: World, store: Database) -> None:
    which = TaskFilter(runs=RunFilter(dag_id="sales", run_ids=["second", "third"]))
    with store.begin() as tx:
        assert tx.lookups.task_states(which) == [
            FoundTask("second", "copy", 0, TaskState.SKIPPED),
            FoundTask("second", "copy", 1, TaskState.SUCCESS),
            FoundTask("second", "copy", 2, TaskState.SUCCESS),
            FoundTask("second", "load", UNMAPPED, TaskState.FAILED),
            FoundTask("third", "load", UNMAPPED, TaskState.NONE),
        ]


def test_a_task_instance_of_an_earlier_run_is_found(runs: World, store: Database) -> None:
    with store.begin() as tx:
        found = [
            tx.lookups.task_before("sales", "load", UNMAPPED),
            tx.lookups.task_before("sales", "load", UNMAPPED, before=NOW + minutes(2)),
            tx.lookups.task_before("sales", "load", UNMAPPED, before=NOW + minutes(2), state="success"),
            tx.lookups.task_before("sales", "copy", 2),
        ]
        assert tx.lookups.task_before("sales", "load", UNMAPPED, before=NOW) is None
        assert tx.lookups.task_before("sales", "copy", 3) is None

    assert [(task.run_id, date) for each in found if each is not None for task, date in [each]] == [
        ("third", NOW + minutes(2)),
        ("second", NOW + minutes(1)),
        ("first", NOW),
        ("second", NOW + minutes(1)),
    ]


def test_one_task_instance_is_found_by_its_key(runs: World, store: Database) -> None:
    run_key = runs.find("second").key
    with store.begin() as tx:
        task = tx.lookups.task(TaskKey(run_key, "copy", 1))
        assert tx.lookups.task(TaskKey(run_key, "copy", 7)) is None

    assert task == runs.instance(TaskKey(run_key, "copy", 1))
