"""What tasks leave besides XComs (D3, E1): rendered fields, what they remember, what they wait for."""

from datetime import timedelta

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.ids import TaskKey
from tradewind.model.states import TaskState
from tradewind.storage.database import Database
from tradewind.storage.interface.kept_stores import StoredDeferral


def test_rendered_fields_are_those_of_the_last_time(world: World, store: Database) -> None:
    run_key = world.running()
    task = world.task(TaskState.RUNNING, run_key).task
    other = world.task(TaskState.RUNNING, run_key, "other", map_index=3).task
    with store.begin() as tx:
        assert tx.rendered.find(task) is None
        tx.rendered.put({task: {"bash_command": "echo 1", "env": {"A": "ü"}}, other: {"sql": ["select 1"]}})
        tx.rendered.put({task: {"bash_command": "echo 2"}})
        tx.rendered.put({})

    with store.begin() as tx:
        assert tx.rendered.find(task) == {"bash_command": "echo 2"}
        assert tx.rendered.of_run(run_key) == {task: {"bash_command": "echo 2"}, other: {"sql": ["select 1"]}}


def test_what_has_expired_is_counted_and_goes_in_batches(world: World, store: Database) -> None:
    run_key = world.running()
    tasks = [world.task(TaskState.RUNNING, run_key, map_index=index).task for index in range(3)]
    with store.begin() as tx:
        for task in tasks:
            tx.task_states.put(task, "old", 1, expires_at=NOW, now=NOW - minutes(1))
        tx.task_states.put(tasks[0], "kept", 1, expires_at=None, now=NOW - minutes(1))
        tx.task_states.put(tasks[1], "young", 1, expires_at=NOW + minutes(1), now=NOW - minutes(1))

        assert tx.task_states.count_expired(NOW) == 3
        assert [tx.task_states.delete_expired(NOW, 2) for _ in range(3)] == [2, 1, 0]
        assert (tx.task_states.count_expired(NOW), tx.task_states.count_expired(NOW + minutes(1))) == (0, 1)
        assert tx.task_states.find(tasks[0], "kept", NOW) == 1


def test_a_mapped_instance_gets_a_name(world: World, store: Database) -> None:
    run_key = world.running()
    named = world.task(TaskState.RUNNING, run_key, map_index=0)
    other = world.task(TaskState.RUNNING, run_key, map_index=1)
    with store.begin() as tx:
        tx.rendered.name_instances({named.task: "Zürich"})
        tx.rendered.name_instances({})

    assert [world.instance(key).rendered_map_index for key in (named, other)] == ["Zürich", None]


def test_a_task_finds_what_it_remembered_until_it_expires(world: World, store: Database) -> None:
    task = world.task(TaskState.RUNNING, world.running()).task
    with store.begin() as tx:
        tx.task_states.put(task, "for ever", {"job": 1}, expires_at=None, now=NOW)
        tx.task_states.put(task, "short", "a", expires_at=NOW + minutes(1), now=NOW)

    def found(key: str, after: timedelta) -> object:
        with store.begin() as tx:
            return tx.task_states.find(task, key, NOW + after)

    assert [found("short", minutes(0.9)), found("short", minutes(1))] == ["a", None]
    assert found("for ever", timedelta(days=5000)) == {"job": 1}
    assert found("other", minutes(0)) is None


def test_remembering_replaces_and_drops_what_has_expired(world: World, store: Database) -> None:
    run_key = world.running()
    task, other = (world.task(TaskState.RUNNING, run_key, name).task for name in ("load", "other"))
    with store.begin() as tx:
        for each in (task, other):
            tx.task_states.put(each, "old", 1, expires_at=NOW, now=NOW - minutes(1))
        tx.task_states.put(task, "kept", [1], expires_at=NOW + minutes(1), now=NOW)
        tx.task_states.put(task, "kept", [2], expires_at=None, now=NOW)

        before = NOW - minutes(1)
        assert [tx.task_states.find(each, "old", before) for each in (task, other)] == [None, 1]
        assert tx.task_states.find(task, "kept", NOW + minutes(5)) == [2]


def test_what_is_remembered_can_be_removed_one_by_one_and_all_at_once(world: World, store: Database) -> None:
    run_key = world.running()
    task, other = (world.task(TaskState.RUNNING, run_key, name).task for name in ("load", "other"))
    with store.begin() as tx:
        for each in (task, other):
            for key in ("a", "b", "c"):
                tx.task_states.put(each, key, key, expires_at=None, now=NOW)
        tx.task_states.delete(task, "a")
        tx.task_states.delete(task, "a")
        assert [tx.task_states.find(task, key, NOW) for key in "abc"] == [None, "b", "c"]
        tx.task_states.clear(task)

    with store.begin() as tx:
        assert [tx.task_states.find(task, key, NOW) for key in "abc"] == [None, None, None]
        assert [tx.task_states.find(other, key, NOW) for key in "abc"] == ["a", "b", "c"]


def test_a_deferral_comes_back_as_it_was(world: World, store: Database) -> None:
    run_key = world.running()
    waits = world.task(TaskState.RUNNING, run_key, "waits", map_index=2)
    asks = world.task(TaskState.RUNNING, run_key, "asks")
    none = world.task(TaskState.RUNNING, run_key, "none")
    deferrals = [
        StoredDeferral(
            attempt=waits,
            next_method="execute_complete",
            created_at=NOW,
            next_kwargs={"a": [1, None]},
            times_out_at=NOW + minutes(3),
        ),
        StoredDeferral(attempt=asks, next_method="execute_complete", created_at=NOW),
    ]
    with store.begin() as tx:
        tx.deferrals.put(deferrals)
        tx.deferrals.put([])

    with store.begin() as tx:
        found = tx.deferrals.of_tasks([waits.task, asks.task, none.task])
        assert found == {waits.task: deferrals[0], asks.task: deferrals[1]}
        assert tx.deferrals.of_tasks([]) == {}


def test_a_task_waits_for_one_thing_at_a_time_and_then_goes_on(world: World, store: Database) -> None:
    run_key = world.running()
    first = world.task(TaskState.RUNNING, run_key)
    other = world.task(TaskState.RUNNING, run_key, "other")
    second = first._replace(attempt=2)
    with store.begin() as tx:
        for attempt in (first, other, second):
            tx.deferrals.put([StoredDeferral(attempt=attempt, next_method="go_on", created_at=NOW)])
        keys: list[TaskKey] = [first.task, other.task]
        assert {each.attempt for each in tx.deferrals.of_tasks(keys).values()} == {second, other}
        tx.deferrals.drop([first.task])
        tx.deferrals.drop([])
        assert set(tx.deferrals.of_tasks(keys)) == {other.task}
        tx.deferrals.drop(keys)
        assert tx.deferrals.of_tasks(keys) == {}


def test_all_instances_of_a_mapped_task_forget_at_once(world: World, store: Database) -> None:
    run_key = world.running()
    first, second = (world.task(TaskState.RUNNING, run_key, "load", map_index=index).task for index in range(2))
    other = world.task(TaskState.RUNNING, run_key, "other").task
    with store.begin() as tx:
        for each in (first, second, other):
            tx.task_states.put(each, "a", 1, expires_at=None, now=NOW)
        tx.task_states.clear(first, of_all_map_indexes=True)

        assert [tx.task_states.find(each, "a", NOW) for each in (first, second, other)] == [None, None, 1]
