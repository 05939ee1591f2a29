"""Triggers of waiting tasks, and who runs them (E5, E6, E7)."""

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World
from tradewind.model.ids import AttemptKey, TriggerKey
from tradewind.model.states import TaskState
from tradewind.model.trigger import NewTrigger
from tradewind.model.trouble import Trouble
from tradewind.storage.database import Database
from tradewind.storage.interface.trigger_store import PreparedTrigger, SealedKwargs, UnknownTrigger
from tradewind.storage.schema import task_trigger


def trigger(attempt: AttemptKey, **values: Any) -> NewTrigger:
    """A trigger of a deferred task."""
    plain = {"class_path": "package.Clock", "kwargs": '{"a":1}', "is_encrypted": False, "created_at": NOW}
    return NewTrigger(attempt=attempt, **{**plain, **values})


def waiting(world: World, *names: str, **values: Any) -> dict[str, AttemptKey]:
    """Deferred tasks of these names, each with a trigger."""
    run_key = world.running()
    attempts = {name: world.task(TaskState.DEFERRED, run_key, name, **values) for name in names}
    with world.store.begin() as tx:
        tx.triggers.add([trigger(attempt) for attempt in attempts.values()])
    return attempts


def test_a_trigger_is_claimed_once_with_all_that_it_takes_to_run_it(world: World, store: Database) -> None:
    attempts = waiting(world, "a")

    with store.begin() as tx:
        (claimed,) = tx.triggers.claim(JOB, 10, NOW)
        assert tx.triggers.claim(OTHER_JOB, 10, NOW) == []

    assert (claimed.attempt, claimed.class_path, claimed.kwargs) == (attempts["a"], "package.Clock", '{"a":1}')
    assert (claimed.dag_id, claimed.run_id, claimed.try_number, claimed.is_encrypted) == ("sales", "r1", 1, False)


def test_who_claims_at_the_same_time_gets_others_and_waits_for_nobody(world: World, store: Database) -> None:
    """E6."""
    if store.dialect_name == "sqlite":
        return  # it has one writer at a time
    waiting(world, "a", "b", "c")

    with store.begin() as first:
        some = first.triggers.claim(JOB, 2, NOW)
        with store.begin() as second:
            others = second.triggers.claim(OTHER_JOB, 3, NOW)
    with store.begin() as later:
        rest = later.triggers.claim(OTHER_JOB, 3, NOW)

    keys = [each.key for each in (*some, *others, *rest)]
    assert len(some) == 2
    assert len(keys) == len(set(keys)) == 3


def test_what_a_trigger_gets_may_be_known_later(world: World, store: Database) -> None:
    waiting(world, "a")
    with store.begin() as tx:
        (claimed,) = tx.triggers.claim(JOB, 10, NOW)
        tx.triggers.prepare([PreparedTrigger(claimed.key, "package.Bell", "sealed", is_encrypted=True)])
        tx.triggers.release(JOB)
        (again,) = tx.triggers.claim(OTHER_JOB, 10, NOW)

    assert (again.class_path, again.kwargs, again.is_encrypted) == ("package.Bell", "sealed", True)
    assert again.is_prepared


def test_whose_triggers_are_can_be_asked_and_kept_so(world: World, store: Database) -> None:
    """E6: whoever is asked for those of another gets nothing."""
    waiting(world, "a", "b", "c")
    with store.begin() as tx:
        mine = {each.key for each in tx.triggers.claim(JOB, 2, NOW)}
        (theirs,) = (each.key for each in tx.triggers.claim(OTHER_JOB, 2, NOW))

        for locks in (False, True):
            assert tx.triggers.held([*mine, theirs], JOB, locks=locks) == mine
            assert tx.triggers.held([theirs], JOB, locks=locks) == set()
            assert tx.triggers.held([], JOB, locks=locks) == set()
        tx.triggers.release(JOB)
        assert tx.triggers.held(mine, JOB) == set()


def test_triggers_that_somebody_ran_and_nobody_described_are_told_by_dag(world: World, store: Database) -> None:
    """E6: also those that are free again; not those that no triggerer ever had, nor those of which is stored what."""
    run_key = waiting(world, "described")["described"].run_key
    of_sales = [world.task(TaskState.DEFERRED, run_key, name) for name in ("a", "b")]
    of_stock = world.task(TaskState.DEFERRED, world.running("r1", "stock"), "a", dag_id="stock")
    with store.begin() as tx:
        tx.triggers.add([trigger(attempt, is_prepared=False) for attempt in (*of_sales, of_stock)])
        assert tx.triggers.unknown_of_dag("sales") == []
        claimed = {each.attempt: each.key for each in tx.triggers.claim(JOB, 9, NOW)}
        tx.triggers.add([trigger(attempt._replace(attempt=2), is_prepared=False) for attempt in of_sales])
    version_key = world.find("r1").version_key

    with store.begin() as tx:
        first, second = (UnknownTrigger(claimed[each], each.task_id, version_key) for each in of_sales)
        assert tx.triggers.unknown_of_dag("sales") == [first, second]
        assert [each.key for each in tx.triggers.unknown_of_dag("stock")] == [claimed[of_stock]]
        tx.triggers.release(JOB)
        tx.triggers.prepare([PreparedTrigger(first.key, "package.Bell", "{}", is_encrypted=False)])
        assert tx.triggers.unknown_of_dag("sales") == [second]
        assert tx.triggers.unknown_of_dag("nobody") == []


def test_higher_priorities_are_claimed_first(world: World, store: Database) -> None:
    run_key = world.running()
    weights = {"low": 1, "high": 9, "middle": 5}
    for name, weight in weights.items():
        attempt = world.task(TaskState.DEFERRED, run_key, name, priority_weight=weight)
        with store.begin() as tx:
            tx.triggers.add([trigger(attempt)])

    with store.begin() as tx:
        assert [each.attempt.task_id for each in tx.triggers.claim(JOB, 2, NOW)] == ["high", "middle"]


def test_queues_are_served_by_those_who_name_them(world: World, store: Database) -> None:
    run_key = world.running()
    for name, queue in (("plain", None), ("gpu", "gpu"), ("slow", "slow")):
        attempt = world.task(TaskState.DEFERRED, run_key, name)
        with store.begin() as tx:
            tx.triggers.add([trigger(attempt, queue=queue)])

    def claimed(tx: Any, queues: list[str] | None) -> list[str]:
        return [each.attempt.task_id for each in tx.triggers.claim(JOB, 9, NOW, queues)]

    with store.begin() as tx:
        assert [claimed(tx, ["gpu", "other"]), claimed(tx, None)] == [["gpu"], ["plain"]]


def test_only_what_a_task_waits_for_is_wanted(world: World, store: Database) -> None:
    """E7: neither a task that went on, nor one that is at another attempt, can be reached."""
    attempts = waiting(world, "waits", "went on", "other")
    with store.begin() as tx:
        tx.attempts.resume([attempts["went on"]], NOW)
        tx.triggers.add([trigger(attempts["other"]._replace(attempt=2))])

    with store.begin() as tx:
        claimed = tx.triggers.claim(JOB, 9, NOW)
        assert {each.attempt for each in claimed} == {attempts["waits"], attempts["other"]}
        tx.attempts.resume([attempts["waits"]], NOW)
        assert tx.triggers.wanted(JOB) == {each.key for each in claimed if each.attempt.task_id == "other"}
        assert (tx.triggers.delete_unwanted(OTHER_JOB), tx.triggers.delete_unwanted(JOB)) == (2, 1)
        assert len(tx.triggers.sealed()) == 1


def test_a_person_calls_triggers_off_and_someone_ends_what_they_wait_for(world: World, store: Database) -> None:
    """E1: whoever dies meanwhile, and also where nobody runs them."""
    attempts = waiting(world, "a")
    with store.begin() as tx:
        (running,) = tx.triggers.claim(JOB, 1, NOW)
    run_key = attempts["a"].run_key
    free = world.task(TaskState.DEFERRED, run_key, "free")
    other = world.task(TaskState.DEFERRED, run_key, "other")
    with store.begin() as tx:
        tx.triggers.add([trigger(free), trigger(other)])
        tx.triggers.call_off([attempts["a"].task, free.task], kills=True)
        tx.triggers.call_off([], kills=True)
        tx.attempts.resume([attempts["a"], free], NOW)

    with store.begin() as tx:
        assert (tx.triggers.called_off(JOB), tx.triggers.called_off(OTHER_JOB)) == ({running.key: True}, {})
        assert (tx.triggers.delete_unwanted(JOB), tx.triggers.delete_unwanted(OTHER_JOB)) == (0, 0)
        claimed = {each.attempt: each for each in tx.triggers.claim(JOB, 9, NOW)}
        assert {attempt: each.is_called_off for attempt, each in claimed.items()} == {free: True, other: False}
        tx.triggers.delete([running.key], OTHER_JOB)
        assert tx.triggers.called_off(JOB) == {running.key: True, claimed[free].key: True}
        tx.triggers.delete([running.key], JOB)
        tx.triggers.delete([])
        assert tx.triggers.called_off(JOB) == {claimed[free].key: True}
        tx.triggers.release(JOB)
        assert [each.attempt for each in tx.triggers.claim(OTHER_JOB, 9, NOW) if each.is_called_off] == [free]


def test_what_nobody_waits_for_any_more_is_stopped_where_it_runs_and_else_goes(world: World, store: Database) -> None:
    attempts = waiting(world, "runs")
    with store.begin() as tx:
        (running,) = tx.triggers.claim(JOB, 1, NOW)
    free = world.task(TaskState.DEFERRED, attempts["runs"].run_key, "free")
    with store.begin() as tx:
        tx.triggers.add([trigger(free)])
        tx.triggers.call_off([attempts["runs"].task, free.task], kills=False)

    with store.begin() as tx:
        assert tx.triggers.called_off(JOB) == {running.key: False}
        assert [each.key for each in tx.triggers.sealed()] == [running.key]


def test_what_triggers_did_to_others_is_known_to_who_takes_them_over(world: World, store: Database) -> None:
    """E8."""
    waiting(world, "a", "b")
    with store.begin() as tx:
        (first,) = tx.triggers.claim(JOB, 1, NOW)
        blocked = Trouble(blocks=2, blocked_at=NOW, stack="line 1", is_quarantined=False)
        tx.triggers.note_troubles({first.key: blocked}, OTHER_JOB)
        tx.triggers.note_troubles({first.key: blocked}, JOB)
        apart = Trouble(blocks=3, blocked_at=None, stack=None, is_quarantined=True)
        tx.triggers.note_troubles({first.key: apart}, JOB)
        tx.triggers.note_troubles({}, JOB)
        tx.triggers.release(JOB)

    with store.begin() as tx:
        claimed = {each.key: (each.blocks, each.is_quarantined) for each in tx.triggers.claim(OTHER_JOB, 9, NOW)}
        assert claimed == {first.key: (3, True), first.key + 1: (0, False)}
        kept = sa.select(task_trigger.c.blocked_at, task_trigger.c.blocked_stack, task_trigger.c.claimed_at)
        row = tx.connection.execute(kept.where(task_trigger.c.trigger_key == first.key)).one()
        assert tuple(row) == (NOW, "line 1", NOW)


def test_triggers_of_who_stopped_or_died_are_free(world: World, store: Database) -> None:
    """E6."""
    waiting(world, "a", "b")
    with store.begin() as tx:
        tx.triggers.claim(JOB, 1, NOW)
        tx.triggers.claim(OTHER_JOB, 1, NOW)
        assert tx.triggers.claim(JOB, 9, NOW) == []

        tx.triggers.release(JOB)
        assert len(tx.triggers.claim(JOB, 9, NOW)) == 1
        assert tx.triggers.release_all_but([JOB]) == 1
        assert tx.triggers.release_all_but([JOB]) == 0
        assert len(tx.triggers.claim(JOB, 9, NOW)) == 1


def test_a_task_shows_its_newest_trigger(world: World, store: Database) -> None:
    attempts = waiting(world, "a", "b")
    with store.begin() as tx:
        tx.triggers.add([trigger(attempts["a"], class_path="package.Newer", queue="q")])
        tx.triggers.claim(JOB, 9, NOW)

        found = tx.triggers.of_tasks([attempts["a"].task])

    (shown,) = found.values()
    assert (shown.class_path, shown.queue, shown.created_at) == ("package.Newer", "q", NOW)


def test_arguments_are_stored_anew(world: World, store: Database) -> None:
    waiting(world, "a", "b")
    with store.begin() as tx:
        first, second = tx.triggers.sealed()
        tx.triggers.reseal([SealedKwargs(first.key, "gAAAA", True)])
        tx.triggers.reseal([])
        assert set(tx.triggers.sealed()) == {SealedKwargs(first.key, "gAAAA", True), second}


def test_triggers_go_with_their_run_and_numbers_are_not_used_again(world: World, store: Database) -> None:
    attempts = waiting(world, "a")
    with store.begin() as tx:
        (before,) = tx.triggers.sealed()
        tx.runs.delete(attempts["a"].run_key)
        assert tx.triggers.sealed() == []
    again = world.task(TaskState.DEFERRED, world.running("r2"))
    with store.begin() as tx:
        tx.triggers.add([trigger(again)])
        assert TriggerKey(tx.triggers.sealed()[0].key) > before.key


def test_news_wake_triggerers_with_the_commit(world: World, shared_database_url: str) -> None:
    """Polling is only the net below."""
    woken: list[str] = []
    database = Database(shared_database_url, wake_triggerers=lambda: woken.append("!"))
    attempt = world.task(TaskState.DEFERRED, world.running())
    with database.begin() as tx:
        tx.triggers.add([trigger(attempt)])
        assert woken == []
    with database.begin() as tx:
        tx.triggers.claim(JOB, 1, NOW)
    assert woken == ["!"]
    with database.begin() as tx:
        tx.triggers.release(JOB)
    assert woken == ["!", "!"]
    database.close()


@pytest.mark.parametrize("what", ["run", "dag", "tasks"])
def test_triggers_of_what_is_deleted_stay_until_they_are_ended(world: World, store: Database, what: str) -> None:
    """E6: one that a triggerer runs, one that nobody does; of one that nobody has asked what it is, nothing is left."""
    attempts = waiting(world, "a", "b")
    unknown = world.task(TaskState.DEFERRED, attempts["a"].run_key, "c")
    with store.begin() as tx:
        tx.triggers.add([trigger(unknown, is_prepared=False)])
        (first,) = tx.triggers.claim(JOB, 1, NOW)
        orphans = tx.triggers.orphans
        if what == "run":
            orphans.outlive_run(first.attempt.run_key)
            tx.runs.delete(first.attempt.run_key)
        elif what == "dag":
            orphans.outlive_dag("sales")
            tx.dags.delete("sales")
        else:
            keys = [attempt.task for attempt in (*attempts.values(), unknown)]
            orphans.outlive_tasks(keys)
            tx.tasks.delete(keys)
        assert tx.triggers.sealed() == []
        assert len(orphans.sealed()) == 2

        assert orphans.held(JOB) == {first.key}
        assert orphans.held_and_free(OTHER_JOB, ["a queue"]) == (set(), [])
        held, (second,) = orphans.held_and_free(OTHER_JOB)
        assert (held, orphans.held(OTHER_JOB)) == (set(), {second.key})
        assert orphans.held_and_free(JOB) == ({first.key}, [])
        # What only the row of its task says went with that.
        left = replace(first, task_queue=None, started_at=None, hostname=None)
        assert replace(second, is_called_off=False, attempt=first.attempt, key=first.key) == left

        orphans.release(JOB, [second.key])
        orphans.release_all_but([OTHER_JOB])
        assert {each.key for each in orphans.held_and_free(OTHER_JOB)[1]} == {first.key}
        orphans.reseal([SealedKwargs(first.key, "sealed", is_encrypted=True)])
        orphans.release(OTHER_JOB)
        found = {each.key: each for each in orphans.held_and_free(JOB)[1]}
        assert found.keys() == {first.key, second.key}
        assert (found[first.key].kwargs, found[first.key].is_encrypted) == ("sealed", True)
        orphans.delete(found)
        assert orphans.sealed() == []
