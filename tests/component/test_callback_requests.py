"""The scheduler asks for callbacks that no worker will call: at the end of runs, and for tasks that were lost (D4)."""

from typing import Any

import pytest

from tests.component.dag_processor.test_publish_files import Processor
from tests.component.world import PatientExecutor, World, fails
from tradewind.model.callback_request import CallbackRequest
from tradewind.model.dag import CallbackEvent, CallbackRef, Dag, Retry, Task
from tradewind.model.ids import JobKey
from tradewind.model.states import RunState

EVENTS = (CallbackEvent.FAILURE, CallbackEvent.SUCCESS, CallbackEvent.RETRY)
ALL_CALLBACKS = tuple(CallbackRef(event, "tell") for event in EVENTS)


def publish(world: World, *tasks: Task, **values: Any) -> None:
    Processor(world).read("sales.py", Dag("sales", tasks=tasks, **values))


def requests(world: World) -> list[CallbackRequest]:
    """All that were made, and not yet taken by the test."""
    now = world.clock.now()
    with world.database.begin() as tx:
        taken = tx.callbacks.claim(["dags"], 100, JobKey(1), now=now, until=now)
        tx.callbacks.delete([each.key for each in taken])
    return [each.request for each in taken]


def test_the_end_of_a_run_asks_for_its_callbacks(any_world: World) -> None:
    publish(any_world, Task("a"), Task("b", upstream=("a",)), callbacks=ALL_CALLBACKS)
    for run_id in ("r1", "r2"):
        any_world.trigger(run_id=run_id)
    any_world.scheduler()
    any_world.settle()

    assert [(each.event, each.reason, each.is_of_task) for each in requests(any_world)] == [
        (CallbackEvent.SUCCESS, "success", False),
        (CallbackEvent.SUCCESS, "success", False),
    ]


def test_a_failed_run_names_a_task_that_failed(world: World) -> None:
    publish(world, Task("a"), Task("b"), callbacks=ALL_CALLBACKS)
    world.trigger()
    world.scheduler(endings={"b": fails()})
    world.settle()

    (request,) = requests(world)
    assert (request.event, request.reason, request.task_id) == (CallbackEvent.FAILURE, "task_failure", "b")


def test_a_run_that_timed_out_says_so(world: World) -> None:
    publish(world, Task("a"), callbacks=ALL_CALLBACKS, run_timeout_s=60.0)
    world.trigger()
    world.scheduler(PatientExecutor(world.clock))
    world.settle()
    world.pass_time(61)

    (request,) = requests(world)
    assert (request.event, request.reason) == (
        CallbackEvent.FAILURE,
        "dagrun_timeout: the run did not end in time",
    )


def test_a_dag_without_such_a_callback_asks_for_nothing(world: World) -> None:
    publish(world, Task("a"), callbacks=(CallbackRef(CallbackEvent.FAILURE, "tell"),))
    world.trigger()
    world.scheduler()
    world.settle()

    assert requests(world) == []


@pytest.mark.parametrize(("retries", "event"), [(0, CallbackEvent.FAILURE), (1, CallbackEvent.RETRY)])
def test_a_task_whose_worker_is_lost_has_its_callback_called(world: World, retries: int, event: CallbackEvent) -> None:
    publish(world, Task("a", callbacks=ALL_CALLBACKS, retry=Retry(retries=retries, delay_s=10_000)))
    world.trigger()
    world.scheduler(PatientExecutor(world.clock))
    world.settle()

    world.pass_time(400, step_s=10)

    (request,) = requests(world)
    assert (request.event, request.is_of_task, request.task_id, request.try_number) == (event, True, "a", 1)
    assert request.reason is not None
    assert "no heartbeat" in request.reason


def test_a_task_that_reports_its_own_failure_calls_back_itself(world: World) -> None:
    publish(world, Task("a", callbacks=ALL_CALLBACKS))
    world.trigger()
    world.scheduler(endings={"a": fails()})
    world.settle()

    assert requests(world) == []


def listen(world: World, *events: CallbackEvent) -> None:
    """A plugin that wants to hear of such changes of runs."""
    with world.database.begin() as tx:
        tx.bundles.sync(["dags"])
        tx.bundles.set_heard("dags", events)


def test_listeners_of_plugins_hear_of_the_begin_and_the_end_of_runs(any_world: World) -> None:
    """D2: each once, and again when a cleared run begins again."""
    publish(any_world, Task("a"))
    listen(any_world, CallbackEvent.EXECUTE, CallbackEvent.SUCCESS)
    any_world.trigger()
    any_world.scheduler()
    any_world.settle()

    expected = [(CallbackEvent.EXECUTE, "started", None), (CallbackEvent.SUCCESS, "success", None)]
    assert [(each.event, each.reason, each.task_id) for each in all_requests(any_world)] == expected

    any_world.clear("a")
    any_world.settle()
    assert [(each.event, each.reason, each.task_id) for each in all_requests(any_world)] == expected


@pytest.mark.parametrize("state", [RunState.SUCCESS, RunState.FAILED])
def test_listeners_of_plugins_hear_of_a_run_that_a_person_ended(world: World, state: RunState) -> None:
    """D2: once, however often it is marked."""
    publish(world, Task("a"))
    listen(world, CallbackEvent.SUCCESS, CallbackEvent.FAILURE)
    world.trigger()
    world.scheduler(PatientExecutor(world.clock))
    world.settle()

    for _ in range(2):
        world.mark_run(state)
        world.settle()

    event = CallbackEvent.SUCCESS if state is RunState.SUCCESS else CallbackEvent.FAILURE
    assert [(each.event, each.reason) for each in all_requests(world)] == [(event, f"marked {state} by a person")]


def test_who_listens_to_tasks_only_has_nothing_written_down_about_runs(world: World) -> None:
    publish(world, Task("a"))
    listen(world)
    world.trigger()
    world.scheduler()
    world.settle()

    assert requests(world) == []


def all_requests(world: World) -> list[CallbackRequest]:
    """Also those that wait for one before them."""
    found: list[CallbackRequest] = []
    while taken := requests(world):
        found += taken
    return found
