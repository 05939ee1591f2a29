"""A task that its trigger ends has ended as if in a worker: what follows is the same (E4)."""

from typing import Final

import pytest

from tests.component.dag_processor.test_publish_files import Processor
from tests.component.test_callback_requests import requests
from tests.component.test_trigger_starts import claimed, fire, starts
from tests.component.world import PatientExecutor, World, fails
from tradewind.model.dag import CallbackEvent, Dag, Retry, Task
from tradewind.model.ids import JobKey
from tradewind.model.json_value import JsonValue
from tradewind.model.mapping import OutputLength
from tradewind.model.states import RunState, TaskState
from tradewind.model.trigger import EndedTask
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.claim_triggers import find_called_off, leave_triggers
from tradewind.operations.delete import delete_dag, delete_run, delete_tasks
from tradewind.storage.interface.trigger_store import PreparedTrigger

MAIL: Final = "ada@example.org"


def begin(world: World, *tasks: Task) -> None:
    """A run of a DAG of these, which comes from a file."""
    Processor(world).read("sales.py", Dag("sales", tasks=tasks))
    world.trigger()
    world.scheduler(PatientExecutor(world.clock))
    world.settle()


def values(world: World) -> dict[str, object]:
    run_key = world.run().key
    with world.database.begin() as tx:
        return {each.key: each.value for each in tx.xcoms.of_run(run_key)}


def test_tasks_are_mapped_over_what_it_returns(any_world: World) -> None:
    begin(any_world, starts("a"), Task("b", upstream=("a",), mapping=OutputLength("a")))

    assert fire(any_world, EndedTask(TaskState.SUCCESS, {"return_value": "three"}, 3), *claimed(any_world)) == 1
    any_world.settle()

    assert [name for name in any_world.states() if name != "a"] == ["b[0]", "b[1]", "b[2]"]
    assert values(any_world) == {"return_value": "three"}


@pytest.mark.parametrize(
    ("length", "reason"), [(None, "nothing that has elements"), (1025, "1025 elements are more than the 1024")]
)
@pytest.mark.parametrize(("retries", "state"), [(0, "failed"), (1, "up_for_retry")])
def test_it_fails_with_what_no_task_can_be_mapped_over(
    world: World, length: int | None, reason: str, retries: int, state: str
) -> None:
    """A8, E4: else those that are mapped over it would wait for ever, or be as many as nobody allows."""
    mapped = Task("b", upstream=("a",), mapping=OutputLength("a"))
    begin(world, starts("a", retry=Retry(retries=retries, delay_s=60.0)), mapped)

    end = EndedTask(TaskState.SUCCESS, {"return_value": "much", "other": 1}, length)
    assert fire(world, end, *claimed(world)) == 1
    world.settle()

    assert world.states()["a"] == state
    assert reason in str(world.instances()["a"].reason)
    assert values(world) == ({"other": 1} if state == "failed" else {})


def test_what_nobody_is_mapped_over_may_be_as_long_as_it_likes(world: World) -> None:
    begin(world, starts("a"), Task("b", upstream=("a",)))

    assert fire(world, EndedTask(TaskState.SUCCESS, {"return_value": "much"}, 5_000), *claimed(world)) == 1

    assert world.states()["a"] == "success"
    assert world.instances()["a"].map_length is None


@pytest.mark.parametrize(
    ("said", "retries", "details", "event"),
    [
        (TaskState.FAILED, 0, {"email": [MAIL]}, CallbackEvent.FAILURE),
        (TaskState.FAILED, 1, {"email": [MAIL]}, CallbackEvent.RETRY),
        (TaskState.FAILED, 0, {"email": [MAIL], "email_on_failure": False}, None),
        (TaskState.FAILED, 1, {"email": [MAIL], "email_on_retry": False}, None),
        (TaskState.FAILED, 0, {}, None),
        (TaskState.SUCCESS, 0, {"email": [MAIL]}, None),
        (TaskState.SKIPPED, 0, {"email": [MAIL]}, None),
    ],
)
def test_e_mail_is_asked_for_as_a_worker_would_send_it(
    world: World, said: TaskState, retries: int, details: dict[str, JsonValue], event: CallbackEvent | None
) -> None:
    """D4, E4: by the DAG processor, which has the author's own task."""
    begin(world, starts("a", retry=Retry(retries=retries, delay_s=60.0), details=details))

    assert fire(world, EndedTask(said, {}), *claimed(world)) == 1

    asked = [(each.event, each.task_id, each.reason) for each in requests(world)]
    assert asked == ([] if event is None else [(event, "a", "its trigger said so")])


@pytest.mark.parametrize("said", [TaskState.SUCCESS, TaskState.SKIPPED, TaskState.FAILED])
def test_listeners_and_links_are_asked_for_where_there_are_any(world: World, said: TaskState) -> None:
    """D4, E4: of a task that says nothing of callbacks, too."""
    begin(
        world, starts("a"), starts("b"), starts("c", details={"extra_links": ["Job"], "extra_link_keys": ["_link_Job"]})
    )
    a, b, c = sorted(claimed(world), key=lambda each: each.attempt.task_id)

    assert fire(world, EndedTask(said, {}), a, c) == 2
    assert fire(world, EndedTask(said, {}, is_listened=True), b) == 1

    assert [each.task_id for each in requests(world)] == ["c", "b"]


def test_a_run_that_takes_too_long_calls_the_triggers_of_its_tasks_off(any_world: World) -> None:
    """A3, E6: at once, and with what they wait for. No sweep has to find them."""
    any_world.dag(starts("a"), run_timeout_s=60.0)
    any_world.trigger()
    any_world.scheduler(PatientExecutor(any_world.clock))
    any_world.settle()
    (trigger,) = claimed(any_world)

    any_world.pass_time(60)

    assert (any_world.run().state, any_world.states()) == (RunState.FAILED, {"a": "skipped"})
    with any_world.database.begin() as tx:
        assert tx.triggers.called_off(JobKey(1)) == {trigger.key: True}


def test_a_dag_that_fails_fast_calls_the_triggers_of_its_tasks_off(world: World) -> None:
    """A3: as a person would."""
    world.dag(starts("a"), Task("b"), fail_fast=True)
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    (trigger,) = claimed(world)

    executor.end("b", ending=fails())
    world.settle()

    assert world.states() == {"a": "skipped", "b": "failed"}
    with world.database.begin() as tx:
        assert tx.triggers.called_off(JobKey(1)) == {trigger.key: True}


@pytest.mark.parametrize("what", ["run", "dag", "tasks"])
def test_who_deletes_what_waits_has_its_trigger_ended(any_world: World, what: str) -> None:
    """A3, E6: at once, by the triggerer that runs it, or by one that takes it over to do just that."""
    any_world.dag(starts("a"))
    any_world.trigger()
    any_world.scheduler(PatientExecutor(any_world.clock))
    any_world.settle()
    (trigger,) = claimed(any_world)
    now, job, other = any_world.clock.now(), JobKey(1), JobKey(2)

    with any_world.database.begin() as tx:
        match what:
            case "run":
                delete_run(tx, "sales", "r1", any_world.structures, now)
            case "dag":
                delete_dag(tx, "sales")
            case _:
                delete_tasks(tx, Selection("sales", "r1"), any_world.structures, now)

    with any_world.database.begin() as tx:
        assert find_called_off(tx, job, held=[trigger.key], claimed=()).known == {trigger.key: True}
        assert find_called_off(tx, other, held=(), claimed=()) == ({}, [])
    with any_world.database.begin() as tx:
        leave_triggers(tx, job, now)
        (orphan,) = find_called_off(tx, other, held=(), claimed=()).orphans
    assert (orphan.key, orphan.is_called_off, orphan.class_path) == (trigger.key, True, "p.Clock")


def test_a_called_off_trigger_whose_claim_was_not_heard_of_is_claimed_again(any_world: World) -> None:
    """E1: whoever claimed it to end what it waits for must not take it for ended."""
    any_world.dag(starts("a"))
    any_world.trigger()
    any_world.scheduler(PatientExecutor(any_world.clock))
    any_world.settle()
    (trigger,) = claimed(any_world)
    with any_world.database.begin() as tx:
        complete = PreparedTrigger(trigger.key, "p.Clock", "{}", is_encrypted=False)
        tx.triggers.prepare([complete])
    any_world.mark(TaskState.SUCCESS, "a")

    with any_world.database.begin() as tx:
        assert find_called_off(tx, JobKey(1), held=(), claimed=()) == ({}, [])
    (again,) = claimed(any_world)

    assert (again.key, again.is_called_off) == (trigger.key, True)
    with any_world.database.begin() as tx:
        assert find_called_off(tx, JobKey(1), held=[trigger.key], claimed=()).known == {trigger.key: True}
        assert find_called_off(tx, JobKey(1), held=(), claimed=[again]).known == {}
