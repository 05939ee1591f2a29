"""Many runs at a glance (D4, D5)."""

from datetime import UTC, datetime

import pytest

from tests.conformance.storage.worlds import NOW, World, minutes, new_task
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.operations.show_grid import place_of
from tradewind.storage.database import Database
from tradewind.storage.interface import RunEnd
from tradewind.storage.interface.overview_store import Place, RunFilter


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


def test_earlier_runs_are_those_before_a_place(store: Database, world: World) -> None:
    for number in range(4):
        world.run(f"r{number}", run_after=NOW + minutes(number))

    with store.begin() as tx:
        newest = tx.overview.runs_until("sales", 2)
        before = tx.overview.runs_until("sales", 10, place_of(newest[0]))
        after = tx.overview.runs_from("sales", 10, place_of(newest[0]))

    assert [run.run_id for run in newest] == ["r2", "r3"]
    assert [run.run_id for run in before] == ["r0", "r1"]
    assert after == newest
    assert {run.state for run in newest} == {RunState.QUEUED}


def test_runs_of_the_same_instant_are_on_one_side_of_a_place_each(store: Database, world: World) -> None:
    """Partitions make dozens of them at once: none may be passed over from page to page (A8)."""
    for number in range(4):
        world.run(f"r{number}", run_after=NOW)

    with store.begin() as tx:
        newest = tx.overview.runs_until("sales", 2)
        before = tx.overview.runs_until("sales", 2, place_of(newest[0]))
        after = tx.overview.runs_from("sales", 1, place_of(newest[0]))

    assert [[run.run_id for run in runs] for runs in (before, newest, after)] == [["r0", "r1"], ["r2", "r3"], ["r2"]]


@pytest.mark.parametrize(
    ("only", "found"),
    [
        (RunFilter(), ["failed", "by_hand", "planned"]),
        (RunFilter(state=RunState.FAILED), ["failed"]),
        (RunFilter(run_type="scheduled"), ["planned"]),
        (RunFilter(triggered_by="VER"), ["by_hand"]),
        (RunFilter(triggered_by="v%a"), []),
        (RunFilter(run_after_gte=NOW + minutes(1)), ["by_hand", "planned"]),
        (RunFilter(run_after_gte=NOW + minutes(1), run_after_lt=NOW + minutes(2)), ["by_hand"]),
        (RunFilter(state=RunState.QUEUED, run_type="scheduled", triggered_by="vera"), []),
    ],
)
def test_runs_are_chosen_by_all_that_is_asked_of_them(
    only: RunFilter, found: list[str], store: Database, world: World
) -> None:
    """State, type, who asked for it, and when it was to begin (A8)."""
    world.ended("failed", RunState.FAILED)
    world.run("by_hand", run_after=NOW + minutes(1), triggering_user_name="Vera")
    world.run("planned", run_after=NOW + minutes(2), run_type=RunType.SCHEDULED)

    with store.begin() as tx:
        runs = tx.overview.runs_until("sales", 10, only=only)
        since = tx.overview.runs_from("sales", 10, Place(NOW, 0), only)

    assert [run.run_id for run in runs] == found
    assert since == runs


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


def test_ended_runs_are_counted_by_span_and_state(store: Database, world: World) -> None:
    """(A8) Spans begin with the hour, whenever one looks."""
    noon = datetime(2026, 3, 4, 12, tzinfo=UTC)
    ended = {
        "sales": {1: RunState.SUCCESS, 59: RunState.FAILED, 60: RunState.SUCCESS, 61: RunState.SUCCESS},
        "stock": {0: RunState.SUCCESS, -1: RunState.SUCCESS},
    }
    for dag_id, ends in ended.items():
        for at, state in ends.items():
            key = world.running(f"{dag_id} {at}", dag_id)
            with store.begin() as tx:
                tx.runs.finish([RunEnd(key, state)], noon + minutes(at))
    world.running("goes on")

    with store.begin() as tx:
        found = tx.overview.ended_since(noon, 3600)
        of_one = tx.overview.ended_since(noon, 3600, {"stock"})

    assert sorted(found) == [
        (noon, RunState.FAILED, 1),
        (noon, RunState.SUCCESS, 2),
        (noon + minutes(60), RunState.SUCCESS, 2),
    ]
    assert of_one == [(noon, RunState.SUCCESS, 1)]


def test_active_runs_and_tasks_of_what_was_or_is_active_are_counted(store: Database, world: World) -> None:
    """(A8)"""
    old, new, active = (world.running(name) for name in ("old", "new", "active"))
    world.run("waits", "stock")
    for number, (run_key, state) in enumerate(
        [
            (old, TaskState.FAILED),
            (new, TaskState.SUCCESS),
            (new, TaskState.SKIPPED),
            (active, TaskState.SUCCESS),
            (active, TaskState.RUNNING),
        ]
    ):
        world.task(state, run_key, f"t{number}")
    for run_key, at in ((old, -1), (new, 1)):
        with store.begin() as tx:
            tx.runs.finish([RunEnd(run_key, RunState.SUCCESS)], NOW + minutes(at))

    with store.begin() as tx:
        assert tx.overview.active_dags(RunState.RUNNING) == ["sales"]
        assert tx.overview.active_dags(RunState.QUEUED) == ["stock"]
        runs, runs_of_stock = tx.overview.active_runs(), tx.overview.active_runs({"stock"})
        tasks, tasks_of_stock = tx.overview.task_counts(NOW), tx.overview.task_counts(NOW, {"stock"})

    assert runs == {RunState.QUEUED: 1, RunState.RUNNING: 1}
    assert runs_of_stock == {RunState.QUEUED: 1}
    assert tasks == {TaskState.SUCCESS: 2, TaskState.SKIPPED: 1, TaskState.RUNNING: 1}
    assert tasks_of_stock == {}
