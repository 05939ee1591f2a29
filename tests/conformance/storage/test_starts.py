"""Tasks that begin with a trigger (E1, E2)."""

from tests.conformance.storage.worlds import NOW, World, minutes, new_task, scheduled
from tradewind.model.ids import AttemptKey, RunKey, TaskKey
from tradewind.model.states import HeldBy, TaskState
from tradewind.storage.database import Database
from tradewind.storage.interface.start_store import TriggerStart

MOST = 100


def starting(store: Database, run_key: RunKey, *task_ids: str, pool: str = "default_pool", slots: int = 1) -> None:
    tasks = [new_task(run_key, task_id, pool=pool, pool_slots=slots) for task_id in task_ids]
    moves = [scheduled(task)._replace(held_by=HeldBy.START_FROM_TRIGGER.value) for task in tasks]
    with store.begin() as tx:
        tx.tasks.create(tasks)
        assert len(tx.tasks.advance(moves, NOW)) == len(tasks)


def test_those_that_are_to_begin_are_found_by_pool(store: Database, world: World) -> None:
    run_key = world.running()
    starting(store, run_key, "wait")
    starting(store, run_key, "wide", pool="narrow", slots=5)
    world.task(TaskState.SCHEDULED, run_key, "work")

    with store.begin() as tx:
        assert tx.starts.pools() == {"default_pool", "narrow"}
        assert [task.task_id for task in tx.starts.ready("default_pool", MOST, MOST)] == ["wait"]
        assert tx.starts.ready("narrow", MOST, 4) == []


def test_those_of_paused_dags_are_left_out(store: Database, world: World) -> None:
    world.dag(is_paused=True)
    starting(store, world.running(), "wait")

    with store.begin() as tx:
        assert tx.starts.ready("default_pool", MOST, MOST) == []


def test_each_begins_once(store: Database, world: World) -> None:
    run_key = world.running()
    starting(store, run_key, "wait")
    start = TriggerStart(AttemptKey(run_key, "wait", -1, 0), NOW + minutes(5))
    key = TaskKey(run_key, "wait", -1)

    with store.begin() as tx:
        assert tx.starts.begin([start], NOW) == {key}
        assert tx.starts.begin([start], NOW) == set()
        (task,) = tx.starts.read([AttemptKey(*key, 1)])
        assert tx.starts.read([start.attempt]) == []

    assert (task.state, task.attempt, task.wake_at) == (TaskState.DEFERRED, 1, NOW + minutes(5))


def test_only_who_still_waits_gets_a_new_end(store: Database, world: World) -> None:
    run_key = world.running()
    starting(store, run_key, "wait")
    key = TaskKey(run_key, "wait", -1)
    with store.begin() as tx:
        tx.starts.begin([TriggerStart(AttemptKey(*key, 0), None)], NOW)

        assert tx.starts.limit([(AttemptKey(*key, 0), NOW)]) == set()
        assert tx.starts.limit([(AttemptKey(*key, 1), NOW + minutes(1))]) == {key}

    assert world.instance(key).wake_at == NOW + minutes(1)
