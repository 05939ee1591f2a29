"""The store of task instances as parts of their run (A2, D7)."""

from datetime import datetime
from typing import Any

import pytest

from tests.conformance.storage.worlds import JOB, NOW, World, instance, minutes, new_task, scheduled
from tradewind.model.ids import UNMAPPED, RunKey, TaskKey
from tradewind.model.listing import Listed, Query
from tradewind.model.states import FINISHED_STATES, HeldBy, TaskState
from tradewind.model.task import TaskInstance, TaskSnapshot
from tradewind.storage.database import Database
from tradewind.storage.interface import TaskAdvance


def _move(task_id: str, run_key: RunKey, **changes: Any) -> TaskAdvance:
    move = TaskAdvance(run_key, task_id, UNMAPPED, 0, "none", "scheduled", 1, None, 0)
    return move._replace(**changes)


def test_a_new_instance_is_undecided_and_keeps_all_that_was_given(world: World, store: Database) -> None:
    run_key = world.running()
    task = new_task(
        run_key,
        "load",
        3,
        max_tries=2,
        pool="small",
        pool_slots=4,
        priority_weight=-(2**31),
        max_active_per_dag=5,
        queue="gpu",
        executor="CeleryExecutor",
        operator="BashOperator",
    )
    with store.begin() as tx:
        tx.tasks.create([task])

    assert world.instance(TaskKey(run_key, "load", 3)) == TaskInstance(
        run_key=run_key,
        dag_id="sales",
        run_id="r1",
        task_id="load",
        map_index=3,
        state=TaskState.NONE,
        attempt=0,
        try_number=0,
        max_tries=2,
        pool="small",
        pool_slots=4,
        priority_weight=-(2**31),
        max_active_per_dag=5,
        queue="gpu",
        executor="CeleryExecutor",
        operator="BashOperator",
    )


def test_creating_nothing_is_allowed(store: Database) -> None:
    with store.begin() as tx:
        tx.tasks.create([])


def test_drop_unexpanded_deletes_only_undecided_ones(world: World, store: Database) -> None:
    run_key = world.running()
    undecided = world.task(TaskState.NONE, run_key, "a").task
    decided = world.task(TaskState.SCHEDULED, run_key, "b").task
    other = world.task(TaskState.NONE, run_key, "c").task

    with store.begin() as tx:
        tx.tasks.drop_unexpanded([undecided, decided, TaskKey(run_key, "nothing")])
        tx.tasks.drop_unexpanded([])

        assert {task.key for task in tx.tasks.of_runs([run_key])} == {decided, other}


def test_of_runs_gives_all_instances_of_these_runs_only(world: World, store: Database) -> None:
    first, second, third = (world.running(name) for name in ("r1", "r2", "r3"))
    for run_key in (first, second, third):
        world.task(TaskState.NONE, run_key, "a")
        world.task(TaskState.NONE, run_key, "b", map_index=0)

    with store.begin() as tx:
        found = {task.key for task in tx.tasks.of_runs([first, third])}
        assert tx.tasks.of_runs([]) == []

    assert found == {
        TaskKey(first, "a"),
        TaskKey(first, "b", 0),
        TaskKey(third, "a"),
        TaskKey(third, "b", 0),
    }


def test_snapshots_give_what_exists_with_all_that_decisions_need(world: World, store: Database) -> None:
    run_key = world.running()
    attempt = world.task(TaskState.UP_FOR_RETRY, run_key, wake_at=NOW + minutes(5))

    with store.begin() as tx:
        found = tx.tasks.snapshots([attempt.task, TaskKey(run_key, "nothing")])
        assert tx.tasks.snapshots([]) == []

    expected = TaskSnapshot(run_key, "load", UNMAPPED, TaskState.UP_FOR_RETRY, 1, 1, None, NOW + minutes(5), None, ())
    assert found == [expected]


def test_instances_come_by_task_and_map_index_and_may_be_chosen_by_task(world: World, store: Database) -> None:
    run_key = world.running()
    for task_id, map_index in (("b", 1), ("a", UNMAPPED), ("b", 0), ("c", 10), ("c", 9)):
        world.task(TaskState.NONE, run_key, task_id, map_index=map_index)

    with store.begin() as tx:
        found = [(task.task_id, task.map_index) for task in tx.tasks.instances(run_key)]
        chosen = [(task.task_id, task.map_index) for task in tx.tasks.instances(run_key, ["c", "a"])]
        assert tx.tasks.instances(run_key, []) == []
        assert tx.tasks.instances(RunKey(10**12)) == []

    assert found == [("a", -1), ("b", 0), ("b", 1), ("c", 9), ("c", 10)]
    assert chosen == [("a", -1), ("c", 9), ("c", 10)]


def test_advance_moves_only_what_is_still_as_expected_and_says_which(world: World, store: Database) -> None:
    """Compare-and-swap on attempt and state: the guard of every decision (A2)."""
    run_key = world.running()
    for task_id in ("as expected", "other attempt", "not named"):
        world.task(TaskState.NONE, run_key, task_id)
    world.task(TaskState.SCHEDULED, run_key, "other state")

    with store.begin() as tx:
        moved = tx.tasks.advance(
            [
                _move("as expected", run_key, queue_turn=2**40),
                _move("other attempt", run_key, attempt=1),
                _move("other state", run_key, to_state="skipped"),
                _move("missing", run_key),
            ],
            NOW,
        )

        assert moved == {TaskKey(run_key, "as expected")}
        states = {task.task_id: task.state for task in tx.tasks.of_runs([run_key])}
        (waiting,) = (each for each in tx.queue.waiting("default_pool", 9) if each.task_id == "as expected")
    assert waiting.queue_turn == 2**40
    assert states == {
        "as expected": TaskState.SCHEDULED,
        "other attempt": TaskState.NONE,
        "not named": TaskState.NONE,
        "other state": TaskState.SCHEDULED,
    }


def test_advance_of_the_same_move_twice_changes_nothing_more(world: World, store: Database) -> None:
    run_key = world.running()
    world.task(TaskState.NONE, run_key, "a")
    move = _move("a", run_key)

    with store.begin() as tx:
        assert tx.tasks.advance([move], NOW) == {TaskKey(run_key, "a")}
        assert tx.tasks.advance([move], NOW + minutes(1)) == set()
        assert tx.tasks.advance([], NOW) == set()

    assert world.instance(TaskKey(run_key, "a")).scheduled_at == NOW


def test_one_batch_moves_each_row_its_own_way_with_nulls_among_the_values(world: World, store: Database) -> None:
    run_key = world.running()
    for task_id in ("free", "held", "skipped"):
        world.task(TaskState.NONE, run_key, task_id)

    with store.begin() as tx:
        tx.tasks.advance(
            [
                _move("free", run_key),
                _move("held", run_key, held_by=HeldBy.MAX_ACTIVE_PER_RUN.value, try_number=3),
                _move("skipped", run_key, to_state="skipped", try_number=0),
            ],
            NOW,
        )

    free, held, skipped = (world.instance(TaskKey(run_key, name)) for name in ("free", "held", "skipped"))
    assert (free.held_by, free.try_number, free.scheduled_at, free.finished_at) == (None, 1, NOW, None)
    assert (held.held_by, held.try_number) == (HeldBy.MAX_ACTIVE_PER_RUN, 3)
    assert (skipped.state, skipped.scheduled_at, skipped.finished_at) == (TaskState.SKIPPED, None, NOW)


@pytest.mark.parametrize(
    ("state", "expected"), [(TaskState.UP_FOR_RETRY, None), (TaskState.UP_FOR_RESCHEDULE, NOW)], ids=str
)
def test_a_new_try_starts_anew_but_a_rescheduled_one_goes_on(
    world: World, store: Database, state: TaskState, expected: datetime | None
) -> None:
    attempt = world.task(state, world.running(), "poke", wake_at=NOW + minutes(1))
    move = _move("poke", attempt.run_key, attempt=1, from_state=state.value, try_number=2)

    with store.begin() as tx:
        assert tx.tasks.advance([move], NOW + minutes(1)) == {attempt.task}

    task = world.instance(attempt)
    assert (task.started_at, task.scheduled_at, task.wake_at) == (expected, NOW + minutes(1), None)


def test_a_scheduled_instance_that_is_let_go_keeps_the_instant_it_was_scheduled(world: World, store: Database) -> None:
    run_key = world.running()
    world.task(TaskState.NONE, run_key, "a")
    with store.begin() as tx:
        tx.tasks.advance([_move("a", run_key, held_by=HeldBy.MAX_ACTIVE_TASKS.value)], NOW)
        freed = _move("a", run_key, from_state="scheduled")
        assert tx.tasks.advance([freed], NOW + minutes(3)) == {TaskKey(run_key, "a")}

    task = world.instance(TaskKey(run_key, "a"))
    assert (task.held_by, task.scheduled_at) == (None, NOW)


def test_hold_puts_back_only_what_still_waits(world: World, store: Database) -> None:
    run_key = world.running()
    waiting = world.task(TaskState.SCHEDULED, run_key, "waiting").task
    queued = world.task(TaskState.QUEUED, run_key, "queued").task

    with store.begin() as tx:
        assert tx.tasks.hold([waiting, queued, TaskKey(run_key, "missing")]) == {waiting}
        assert tx.tasks.hold([waiting]) == set()
        assert tx.queue.waiting("default_pool", 10) == []

    assert world.instance(waiting).held_by is HeldBy.MAX_ACTIVE_TASKS


def test_pausing_keeps_the_scheduled_from_slots_and_unpausing_hands_them_to_their_limits(
    world: World, store: Database
) -> None:
    run_key = world.running()
    free = world.task(TaskState.SCHEDULED, run_key, "free").task
    queued = world.task(TaskState.QUEUED, run_key, "queued").task
    held = world.task(TaskState.SCHEDULED, run_key, "held").task
    other = world.task(TaskState.SCHEDULED, world.running("r1", "stock"), "free", dag_id="stock").task
    with store.begin() as tx:
        tx.tasks.advance([_move("held", run_key, from_state="scheduled", held_by=HeldBy.MAX_ACTIVE_PER_RUN.value)], NOW)

    with store.begin() as tx:
        tx.tasks.hold_paused("sales", is_paused=True)
        held_by = {key: instance(tx, key).held_by for key in (free, queued, held, other)}
    assert held_by == {free: HeldBy.DAG_PAUSED, queued: None, held: HeldBy.MAX_ACTIVE_PER_RUN, other: None}

    with store.begin() as tx:
        tx.tasks.hold_paused("sales", is_paused=False)
        held_by = {key: instance(tx, key).held_by for key in (free, queued, held, other)}
    assert held_by == {free: HeldBy.MAX_ACTIVE_TASKS, queued: None, held: HeldBy.MAX_ACTIVE_PER_RUN, other: None}


def test_set_state_changes_only_what_is_still_as_it_was_read(world: World, store: Database) -> None:
    run_key = world.running()
    keys = [world.task(TaskState.RUNNING, run_key, name).task for name in ("a", "b")]
    with store.begin() as tx:
        read = tx.tasks.instances(run_key)
        tx.attempts.lock([task.attempt_key for task in read])
        tx.tasks.set_state(read[:1], TaskState.FAILED, NOW, max_tries=[0], reason="by the first person")

    with store.begin() as tx:
        changed = tx.tasks.set_state(
            read, TaskState.SUCCESS, NOW + minutes(1), max_tries=[1, 2], reason="by the second"
        )

    assert changed == {keys[1]}
    first, second = (world.instance(key) for key in keys)
    assert (first.state, first.reason, first.max_tries, first.finished_at) == (
        TaskState.FAILED,
        "by the first person",
        0,
        NOW,
    )
    assert (second.state, second.reason, second.max_tries, second.finished_at) == (
        TaskState.SUCCESS,
        "by the second",
        2,
        NOW + minutes(1),
    )


def test_set_state_of_nothing_is_nothing(store: Database) -> None:
    with store.begin() as tx:
        assert tx.tasks.set_state([], TaskState.SUCCESS, NOW, max_tries=[], reason="") == set()


def test_clearing_forgets_the_result_but_not_the_attempt(world: World, store: Database) -> None:
    """The attempt only grows: a late message of the cleared one still changes nothing (A2)."""
    run_key = world.running()
    attempt = world.task(TaskState.UP_FOR_RETRY, run_key, wake_at=NOW)
    with store.begin() as tx:
        tx.tasks.set_state(tx.tasks.instances(run_key), TaskState.NONE, NOW, max_tries=[7], reason="")

    task = world.instance(attempt)
    assert (task.state, task.attempt, task.max_tries, task.reason) == (TaskState.NONE, 1, 7, None)
    assert (task.wake_at, task.finished_at, task.skips, task.map_length) == (None, None, (), None)


@pytest.mark.parametrize("fails_running", [True, False])
def test_stop_unfinished_ends_what_is_not_finished_or_spared(
    world: World, store: Database, fails_running: bool
) -> None:
    run_key, other_run = world.running(), world.running("r2")
    for state in TaskState:
        if state not in (TaskState.AWAITING_INPUT, TaskState.REMOVED):
            world.task(state, run_key, state.value, wake_at=NOW)
    world.task(TaskState.RUNNING, run_key, "teardown")
    elsewhere = world.task(TaskState.RUNNING, other_run, "running")

    with store.begin() as tx:
        stopped = tx.tasks.stop_unfinished(
            run_key, NOW + minutes(1), spare=["teardown"], reason="timed out", fails_running=fails_running
        )
        now = {task.task_id: task for task in tx.tasks.instances(run_key)}

    becomes = {task.task_id: task.state for task in stopped}
    with_process = TaskState.FAILED if fails_running else TaskState.SKIPPED
    assert becomes == {
        "none": TaskState.SKIPPED,
        "scheduled": TaskState.SKIPPED,
        "queued": TaskState.SKIPPED,
        "running": with_process,
        "restarting": with_process,
        "up_for_retry": TaskState.SKIPPED,
        "up_for_reschedule": TaskState.SKIPPED,
        "deferred": TaskState.SKIPPED,
    }
    assert all(now[name].state is state and now[name].reason == "timed out" for name, state in becomes.items())
    assert all(now[name].finished_at == NOW + minutes(1) and now[name].wake_at is None for name in becomes)
    assert now["teardown"].state is TaskState.RUNNING
    assert all(now[state.value].finished_at == NOW for state in FINISHED_STATES if state.value in now)
    assert world.state(elsewhere) is TaskState.RUNNING


def test_a_note_is_kept_until_it_is_taken_away(world: World, store: Database) -> None:
    attempt = world.task(TaskState.NONE, world.running())

    with store.begin() as tx:
        assert tx.tasks.set_notes([attempt.task], "known problem") == {attempt.task}
        assert not tx.tasks.set_notes([TaskKey(attempt.run_key, "missing")], "x")
    assert world.instance(attempt).note == "known problem"

    with store.begin() as tx:
        assert tx.tasks.set_notes([attempt.task], None)
    assert world.instance(attempt).note is None


def test_undecided_instances_take_over_what_another_version_says(world: World, store: Database) -> None:
    run_key = world.running()
    undecided, begun = world.task(TaskState.NONE, run_key), world.task(TaskState.RUNNING, run_key, "begun")
    fitting = [
        new_task(run_key, key.task_id, pool="wide", pool_slots=3, operator="@task", max_tries=7)
        for key in (undecided, begun)
    ]

    with store.begin() as tx:
        tx.tasks.refit(fitting)

    changed, other = world.instance(undecided), world.instance(begun)
    assert (changed.pool, changed.pool_slots, changed.operator, changed.max_tries) == ("wide", 3, "@task", 0)
    assert (other.pool, other.pool_slots, other.operator) == ("default_pool", 1, "PythonOperator")


def test_a_deleted_instance_is_gone_with_its_history(world: World, store: Database) -> None:
    run_key = world.running()
    deleted, other = world.task(TaskState.RUNNING, run_key), world.task(TaskState.RUNNING, run_key, "other")
    with store.begin() as tx:
        tx.attempts.archive([deleted.task])

        tx.tasks.delete([deleted.task, TaskKey(run_key, "missing")])
        tx.tasks.delete([])

    with store.begin() as tx:
        assert [task.key for task in tx.tasks.instances(run_key)] == [other.task]
        assert not tx.listings.page(Listed.TASK_TRIES, Query()).rows


def test_states_are_counted_for_each_of_the_tasks_that_the_run_has(world: World, store: Database) -> None:
    run_key = world.running()
    for map_index, state in enumerate((TaskState.SUCCESS, TaskState.SUCCESS, TaskState.FAILED)):
        world.task(state, run_key, "mapped", map_index=map_index)
    world.task(TaskState.NONE, run_key, "single")
    world.task(TaskState.NONE, run_key, "not asked")
    world.task(TaskState.SUCCESS, world.running("other"), "single")

    with store.begin() as tx:
        assert tx.tasks.count_states(run_key, ["mapped", "single", "missing"]) == {
            "mapped": {TaskState.SUCCESS: 2, TaskState.FAILED: 1},
            "single": {TaskState.NONE: 1},
        }
        assert tx.tasks.count_states(run_key, []) == {}


def test_five_thousand_instances_go_through_one_statement_each(world: World, store: Database) -> None:
    """The size of a mapped task must not be a number of round trips (B9)."""
    run_key = world.running()
    tasks = [
        new_task(run_key, f"task {number % 7}", number, executor="x" if number % 3 else None) for number in range(5_000)
    ]

    with store.begin() as tx:
        tx.tasks.create(tasks)
        moved = tx.tasks.advance([scheduled(task, turn) for turn, task in enumerate(tasks)], NOW)
        waiting = tx.queue.waiting("default_pool", 10_000)
        admitted = tx.queue.admit(waiting[:4_000], JOB, NOW)

        assert len(moved) == len(waiting) == 5_000
        assert [task.map_index for task in waiting] == list(range(5_000))
        assert admitted == {task.key for task in waiting[:4_000]}
        assert len(tx.tasks.snapshots(admitted)) == 4_000
        tx.changes.record(admitted, NOW)
        assert tx.changes.take([run_key]).tasks == admitted
