"""Triggers of waiting tasks, and who runs them (E5, E6, E7)."""

from typing import Any

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World
from tradewind.model.ids import AttemptKey, TriggerKey
from tradewind.model.states import TaskState
from tradewind.model.trigger import NewTrigger
from tradewind.storage.database import Database
from tradewind.storage.interface.trigger_store import SealedKwargs


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
        (claimed,) = tx.triggers.claim(JOB, 10)
        assert tx.triggers.claim(OTHER_JOB, 10) == []

    assert (claimed.attempt, claimed.class_path, claimed.kwargs) == (attempts["a"], "package.Clock", '{"a":1}')
    assert (claimed.dag_id, claimed.run_id, claimed.try_number, claimed.is_encrypted) == ("sales", "r1", 1, False)


def test_who_claims_at_the_same_time_gets_others_and_waits_for_nobody(world: World, store: Database) -> None:
    """E6."""
    if store.dialect_name == "sqlite":
        return  # it has one writer at a time
    waiting(world, "a", "b", "c")

    with store.begin() as first:
        some = first.triggers.claim(JOB, 2)
        with store.begin() as second:
            others = second.triggers.claim(OTHER_JOB, 3)
    with store.begin() as later:
        rest = later.triggers.claim(OTHER_JOB, 3)

    keys = [each.key for each in (*some, *others, *rest)]
    assert len(some) == 2
    assert len(keys) == len(set(keys)) == 3


def test_higher_priorities_are_claimed_first(world: World, store: Database) -> None:
    run_key = world.running()
    weights = {"low": 1, "high": 9, "middle": 5}
    for name, weight in weights.items():
        attempt = world.task(TaskState.DEFERRED, run_key, name, priority_weight=weight)
        with store.begin() as tx:
            tx.triggers.add([trigger(attempt)])

    with store.begin() as tx:
        assert [each.attempt.task_id for each in tx.triggers.claim(JOB, 2)] == ["high", "middle"]


def test_queues_are_served_by_those_who_name_them(world: World, store: Database) -> None:
    run_key = world.running()
    for name, queue in (("plain", None), ("gpu", "gpu"), ("slow", "slow")):
        attempt = world.task(TaskState.DEFERRED, run_key, name)
        with store.begin() as tx:
            tx.triggers.add([trigger(attempt, queue=queue)])

    def claimed(tx: Any, queues: list[str] | None) -> list[str]:
        return [each.attempt.task_id for each in tx.triggers.claim(JOB, 9, queues)]

    with store.begin() as tx:
        assert [claimed(tx, ["gpu", "other"]), claimed(tx, None)] == [["gpu"], ["plain"]]


def test_only_what_a_task_waits_for_is_wanted(world: World, store: Database) -> None:
    """E7: neither a task that went on, nor one that is at another attempt, can be reached."""
    attempts = waiting(world, "waits", "went on", "other")
    with store.begin() as tx:
        tx.attempts.resume([attempts["went on"]], NOW)
        tx.triggers.add([trigger(attempts["other"]._replace(attempt=2))])

    with store.begin() as tx:
        claimed = tx.triggers.claim(JOB, 9)
        assert {each.attempt for each in claimed} == {attempts["waits"], attempts["other"]}
        tx.attempts.resume([attempts["waits"]], NOW)
        assert tx.triggers.wanted(JOB) == {each.key for each in claimed if each.attempt.task_id == "other"}
        assert (tx.triggers.delete_unwanted(OTHER_JOB), tx.triggers.delete_unwanted(JOB)) == (2, 1)
        assert len(tx.triggers.sealed()) == 1


def test_a_person_calls_triggers_off(world: World, store: Database) -> None:
    attempts = waiting(world, "a")
    with store.begin() as tx:
        (running,) = tx.triggers.claim(JOB, 1)
    run_key = attempts["a"].run_key
    free = world.task(TaskState.DEFERRED, run_key, "free")
    other = world.task(TaskState.DEFERRED, run_key, "other")
    with store.begin() as tx:
        tx.triggers.add([trigger(free), trigger(other)])
        tx.triggers.call_off([attempts["a"].task, free.task])
        tx.triggers.call_off([])

    with store.begin() as tx:
        assert (tx.triggers.called_off(JOB), tx.triggers.called_off(OTHER_JOB)) == ({running.key}, set())
        assert [each.attempt for each in tx.triggers.claim(JOB, 9)] == [other]
        tx.triggers.delete([running.key], OTHER_JOB)
        assert tx.triggers.called_off(JOB) == {running.key}
        tx.triggers.delete([running.key], JOB)
        tx.triggers.delete([])
        assert tx.triggers.called_off(JOB) == set()


def test_triggers_of_who_stopped_or_died_are_free(world: World, store: Database) -> None:
    """E6."""
    waiting(world, "a", "b")
    with store.begin() as tx:
        tx.triggers.claim(JOB, 1)
        tx.triggers.claim(OTHER_JOB, 1)
        assert tx.triggers.claim(JOB, 9) == []

        tx.triggers.release(JOB)
        assert len(tx.triggers.claim(JOB, 9)) == 1
        assert tx.triggers.release_all_but([JOB]) == 1
        assert tx.triggers.release_all_but([JOB]) == 0
        assert len(tx.triggers.claim(JOB, 9)) == 1


def test_a_task_shows_its_newest_trigger(world: World, store: Database) -> None:
    attempts = waiting(world, "a", "b")
    with store.begin() as tx:
        tx.triggers.add([trigger(attempts["a"], class_path="package.Newer", queue="q")])
        tx.triggers.claim(JOB, 9)

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
        tx.triggers.claim(JOB, 1)
    assert woken == ["!"]
    with database.begin() as tx:
        tx.triggers.release(JOB)
    assert woken == ["!", "!"]
    database.close()
