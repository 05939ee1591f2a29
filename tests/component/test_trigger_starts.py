"""Tasks that begin with a trigger wait without ever having had a worker (E3)."""

import json
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, Final

import pytest
import sqlalchemy as sa

from tests.component.world import PatientExecutor, World
from tradewind.model.dag import Retry, StartTrigger, Task
from tradewind.model.ids import JobKey
from tradewind.model.mapping import FixedLength
from tradewind.model.states import HeldBy, RunState, TaskState
from tradewind.model.trigger import Broke, ClaimedTrigger, EndedTask, Fired, Happened, NeedsWorker, Prepared
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.claim_triggers import (
    TRIGGERER_KIND,
    bury_triggerers,
    claim_triggers,
    find_called_off,
    find_unwanted,
    leave_triggers,
)
from tradewind.operations.delete import delete_dag, delete_run, delete_tasks
from tradewind.operations.explain import why_task_waits
from tradewind.operations.fire_triggers import fire_triggers
from tradewind.operations.prepare_starts import complete_claims, store_prepared
from tradewind.secrets.encryption import Encryption, new_key
from tradewind.storage.interface.kept_stores import XComValue
from tradewind.telemetry.events import TaskCannotFit

CLOCK: Final = StartTrigger("p.Clock", "go_on", {"at": "noon"}, {"kept": 1})
CIPHER: Final = Encryption([new_key()])
starts = partial(Task, starts_from_trigger=True, start_trigger=CLOCK)
starts_by_code = partial(Task, starts_from_trigger=True)


def begun(world: World, *tasks: Task, **values: Any) -> PatientExecutor:
    """A run of these tasks, as far as it goes by itself."""
    world.dag(*tasks, **values)
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    return executor


def claimed(world: World, most: int = 10_000) -> list[ClaimedTrigger]:
    """What a triggerer gets."""
    beginner, now = Beginner(world.structures, "here", 1), world.clock.now()
    with world.database.begin() as tx:
        return complete_claims(tx, claim_triggers(tx, JobKey(1), most, now), beginner, now)


def fire(world: World, what: Happened | Broke | EndedTask | NeedsWorker, *triggers: ClaimedTrigger) -> int:
    """Their triggers say so. Returns how many tasks that changed."""
    fired = [Fired(each.key, each.attempt, what) for each in triggers]
    with world.database.begin() as tx:
        return len(fire_triggers(tx, fired, world.clock.now(), world.structures))


def goes_on_with(world: World, trigger: ClaimedTrigger) -> tuple[str, object]:
    """The method and the arguments with which its task goes on."""
    with world.database.begin() as tx:
        (deferral,) = tx.deferrals.of_tasks([trigger.attempt.task]).values()
    return deferral.next_method, deferral.next_kwargs


def test_a_task_begins_and_ends_with_its_trigger_and_no_executor_hears_of_it(any_world: World) -> None:
    """E3, E4: what the trigger gets is in the DAG."""
    executor = begun(any_world, starts("a"), Task("b", upstream=("a",)))

    assert any_world.states() == {"a": "deferred", "b": "none"}
    waiting = any_world.instances()["a"]
    assert (waiting.attempt, waiting.try_number, waiting.started_at) == (1, 1, any_world.clock.now())
    assert (waiting.held_by, waiting.worker, waiting.wake_at) == (None, None, None)
    (trigger,) = claimed(any_world)
    assert (trigger.class_path, trigger.kwargs, trigger.assignment) == ("p.Clock", '{"at": "noon"}', None)

    assert fire(any_world, EndedTask(TaskState.SUCCESS, {}), trigger) == 1
    any_world.settle()

    assert executor.busy_with == ["b"]
    executor.end()
    any_world.settle()
    assert any_world.run().state is RunState.SUCCESS
    assert [item.attempt.task_id for item in executor.submitted] == ["b"]


def test_a_task_goes_on_in_a_worker_when_its_trigger_fires(any_world: World) -> None:
    """E3: in the same try."""
    executor = begun(any_world, starts("a"))
    (trigger,) = claimed(any_world)

    assert fire(any_world, Happened("ding"), trigger) == 1
    assert fire(any_world, Happened("dong"), trigger) == 0
    any_world.settle()

    assert executor.attempt("a").attempt == 2
    assert any_world.instances()["a"].try_number == 1
    assert goes_on_with(any_world, trigger) == ("go_on", {"kept": 1, "event": "ding"})


def begin_many(world: World, count: int) -> int:
    """All of them begin. Returns how many statements that took, the creation of the run included."""
    statements: list[str] = []
    world.dag(*(starts(f"t{number:04}") for number in range(count)))
    world.trigger()
    scheduler = world.scheduler(PatientExecutor(world.clock))
    sa.event.listen(world.database.engine, "before_cursor_execute", lambda *said: statements.append(said[2]))

    passes = 0
    while scheduler.run_once():
        passes += 1

    assert set(world.states().values()) == {"deferred"}
    assert passes <= 3
    assert len({each.attempt for each in claimed(world)}) == count
    return len(statements)


def test_a_thousand_of_them_begin_in_a_handful_of_statements(any_world: World) -> None:
    """E3: in one DAG of ordinary limits, none of them stuck."""
    assert begin_many(any_world, 1_000) < 100


def test_five_thousand_take_as_many_statements_as_a_few(world: World) -> None:
    """E3."""
    assert begin_many(world, 5_000) < 100


@pytest.mark.parametrize(("has_queues", "queue"), [(True, "gpu"), (False, None)])
def test_a_task_begins_in_a_triggerer_of_its_queue_where_triggerers_have_queues(
    world: World, has_queues: bool, queue: str | None
) -> None:
    """E3, E6."""
    world.dag(starts("a", queue="gpu"))
    world.trigger()
    scheduler = world.scheduler()
    scheduler.state.triggers_have_queues = has_queues
    world.settle()
    now = world.clock.now()

    with world.database.begin() as tx:
        others = claim_triggers(tx, JobKey(1), 5, now, [] if queue is None else None)
        own = claim_triggers(tx, JobKey(1), 5, now, None if queue is None else [queue])

    assert ([each.attempt.task_id for each in others], [each.attempt.task_id for each in own]) == ([], ["a"])


def test_a_retry_begins_with_the_trigger_again(any_world: World) -> None:
    """E3, E4: and what the try before left is for code to clear, which knows where it lies."""
    begun(any_world, starts("a", retry=Retry(retries=1, delay_s=60)))
    (trigger,) = claimed(any_world)
    with any_world.database.begin() as tx:
        tx.xcoms.put([XComValue(trigger.attempt.task, "left", 1)], any_world.clock.now())

    assert fire(any_world, EndedTask(TaskState.FAILED, {"result": 7}), trigger) == 1
    any_world.settle()
    assert any_world.states() == {"a": "up_for_retry"}
    any_world.pass_time(60)

    again = any_world.instances()["a"]
    assert (again.state, again.attempt, again.try_number) == (TaskState.DEFERRED, 2, 2)
    assert again.started_at == any_world.clock.now()
    (second,) = claimed(any_world)
    assert (second.is_prepared, second.try_number) == (False, 2)
    assert second.assignment is not None
    assert second.assignment.xcoms_to_clear == ("left",)
    assert fire(any_world, EndedTask(TaskState.FAILED, {}), trigger) == 0
    assert fire(any_world, EndedTask(TaskState.FAILED, {}), second) == 1
    any_world.settle()
    assert any_world.run().state is RunState.FAILED


@pytest.mark.parametrize(("timeout_s", "execution_timeout_s"), [(60.0, None), (None, 60.0), (60.0, 90.0)])
def test_a_wait_that_takes_too_long_fails_in_a_worker(
    world: World, timeout_s: float | None, execution_timeout_s: float | None
) -> None:
    trigger = StartTrigger("p.Clock", "go_on", timeout_s=timeout_s)
    task = Task("a", starts_from_trigger=True, start_trigger=trigger, execution_timeout_s=execution_timeout_s)
    executor = begun(world, task)
    (waiting,) = claimed(world)

    world.pass_time(59)
    assert executor.busy_with == []
    world.pass_time(1)

    assert executor.busy_with == ["a"]
    assert goes_on_with(world, waiting) == ("__fail__", {"error": "Trigger timeout"})


def test_no_worker_and_no_limit_of_the_run_is_needed(world: World) -> None:
    """E3: all workers are busy, and so is the run."""
    tasks = [*(Task(f"w{number}", priority_weight=9) for number in range(3)), starts("a"), starts("b")]
    executor = PatientExecutor(world.clock, slots=1)
    world.dag(*tasks, max_active_tasks=2)
    world.trigger()
    world.scheduler(executor, parallelism=1)

    world.settle()

    assert len(executor.work) == 1
    assert [world.states()[name] for name in ("a", "b")] == ["deferred", "deferred"]


def test_a_pool_that_counts_waiting_tasks_limits_them(any_world: World) -> None:
    """A3: by priority, and as soon as a slot is free."""
    any_world.pool("narrow", 2, include_deferred=True)
    tasks = [starts(f"t{number}", pool="narrow", priority_weight=number) for number in range(4)]
    begun(any_world, *tasks)

    assert any_world.states() == {"t0": "scheduled", "t1": "scheduled", "t2": "deferred", "t3": "deferred"}
    assert any_world.instances()["t1"].held_by is HeldBy.START_FROM_TRIGGER
    with any_world.database.begin() as tx:
        (reason,) = why_task_waits(tx, "sales", "r1", "t1", any_world.structures, any_world.clock.now())
    assert (reason.code, reason.text) == ("pool_full", "its pool has too few free slots (pool 'narrow', free: 0)")

    fire(any_world, EndedTask(TaskState.SUCCESS, {}), claimed(any_world)[0])
    any_world.settle()

    assert any_world.states() == {"t0": "scheduled", "t1": "deferred", "t2": "deferred", "t3": "success"}


def test_whoever_is_more_urgent_gets_the_slot_of_such_a_pool_first(world: World) -> None:
    """B4."""
    world.pool("narrow", 1, include_deferred=True)
    urgent = Task("w", pool="narrow", priority_weight=5)
    executor = begun(world, urgent, starts("a", pool="narrow", priority_weight=1))

    assert (executor.busy_with, world.states()["a"]) == (["w"], "scheduled")
    executor.end()
    world.settle()
    assert world.states() == {"w": "success", "a": "deferred"}


def test_a_task_that_can_never_fit_is_told_of(world: World) -> None:
    world.pool("closed", 0)
    begun(world, starts("a", pool="closed"), starts("b"))
    world.pass_time(1)

    assert world.states() == {"a": "scheduled", "b": "deferred"}
    assert {event.task.task_id for event in world.told(TaskCannotFit)} == {"a"}
    with world.database.begin() as tx:
        (reason,) = why_task_waits(tx, "sales", "r1", "a", world.structures, world.clock.now())
    assert reason.code == "pool_too_small"


def test_a_paused_dag_begins_none(world: World) -> None:
    world.pool("narrow", 1, include_deferred=True)
    begun(world, starts("a", pool="narrow", priority_weight=2), starts("b", pool="narrow"))
    assert world.pause()

    fire(world, EndedTask(TaskState.SUCCESS, {}), *claimed(world))
    world.pass_time(5)
    assert world.states() == {"a": "success", "b": "scheduled"}

    assert world.pause(is_paused=False)
    world.pass_time(5)
    assert world.states() == {"a": "success", "b": "deferred"}


def test_who_clears_or_marks_it_calls_its_trigger_off(world: World) -> None:
    begun(world, starts("a"), starts("b"))
    first = {each.attempt.task_id: each for each in claimed(world)}

    world.clear("a")
    world.mark(TaskState.SUCCESS, "b")
    world.settle()

    assert fire(world, EndedTask(TaskState.SUCCESS, {}), *first.values()) == 0
    assert world.states() == {"a": "deferred", "b": "success"}
    again = world.instances()["a"]
    assert (again.attempt, again.try_number) == (2, 2)


@pytest.mark.parametrize("stop", ["mark", "delete run", "delete task", "delete DAG"])
def test_who_takes_over_ends_what_a_task_began_to_wait_for(any_world: World, stop: str) -> None:
    """E1, E3: the triggerer died with it, and what it ran is known to the DAG alone. Nobody ended it so far."""
    begun(any_world, starts("a"), starts_by_code("b"), Task("c", upstream=("a",)))
    first = {each.attempt.task_id: each for each in claimed(any_world)}

    now = any_world.clock.now()
    with any_world.database.begin() as tx:
        if stop == "delete DAG":
            delete_dag(tx, "sales")
        elif stop == "delete run":
            delete_run(tx, "sales", "r1", any_world.structures, now)
        elif stop == "delete task":
            delete_tasks(tx, Selection("sales", "r1", ("a", "b")), any_world.structures, now)
    if stop == "mark":
        any_world.mark(TaskState.SUCCESS, "a", "b")
    with any_world.database.begin() as tx:
        other = tx.jobs.start(TRIGGERER_KIND, hostname="there", pid=2, now=now)
        assert other != JobKey(1)
        bury_triggerers(tx, (), now)
        find_unwanted(tx, other, [])

    taken = claimed(any_world)
    with any_world.database.begin() as tx:
        taken += find_called_off(tx, other, held=(), claimed=taken).orphans
    by_task = {each.attempt.task_id: each for each in taken}
    known = by_task["a"]
    assert (known.key, known.is_called_off, known.is_prepared) == (first["a"].key, True, True)
    assert (known.class_path, known.kwargs) == ("p.Clock", '{"at": "noon"}')
    # What only code can tell runs once it is stored, so this one never did.
    assert [each.assignment for each in taken if not each.is_prepared] in ([], [None])


def test_what_nobody_ever_ran_is_not_ended(world: World) -> None:
    """E3: a person was faster than all triggerers."""
    begun(world, starts("a"))
    world.mark(TaskState.SUCCESS, "a")

    with world.database.begin() as tx:
        find_unwanted(tx, JobKey(1), [])
        assert tx.triggers.sealed() == []
    assert claimed(world) == []


def found_out(trigger: ClaimedTrigger, *, tone: str) -> Prepared:
    """What the author's code says that the task waits for."""
    kwargs, is_encrypted = CIPHER.encrypt(json.dumps({"tone": tone}))
    return Prepared(
        trigger=trigger.key,
        attempt=trigger.attempt,
        class_path="p.Bell",
        kwargs=kwargs,
        is_encrypted=is_encrypted,
        next_method="heard",
        next_kwargs={"of": 1},
        timeout_s=60,
        rendered_fields={"tone": tone},
        rendered_map_index="first",
    )


def test_what_a_triggerer_found_out_counts_only_while_the_trigger_is_its_own(any_world: World) -> None:
    """E6, E7: who was taken for dead must not change what the task waits for, and another one runs already."""
    begun(any_world, starts_by_code("a"))
    (trigger,) = claimed(any_world)
    with any_world.database.begin() as tx:
        leave_triggers(tx, JobKey(1), any_world.clock.now())
        claim_triggers(tx, JobKey(2), 1, any_world.clock.now())
        assert store_prepared(tx, JobKey(2), [found_out(trigger, tone="b")]) == {trigger.attempt.task}

    late = replace(found_out(trigger, tone="a"), next_method="heard_late", timeout_s=5, rendered_map_index="late")
    with any_world.database.begin() as tx:
        assert store_prepared(tx, JobKey(1), [late]) == set()
        (sealed,) = tx.triggers.sealed()

    assert CIPHER.decrypt(sealed.kwargs, "it") == '{"tone": "b"}'
    assert goes_on_with(any_world, trigger) == ("heard", {"of": 1})
    waiting = any_world.instances()["a"]
    assert waiting.wake_at == any_world.clock.now() + timedelta(seconds=60)
    assert waiting.rendered_map_index == "first"


def test_what_only_code_can_tell_is_kept_once_it_told(any_world: World) -> None:
    """E3, E5: for mapped tasks and templates. Whoever goes on with the trigger gets the same, encrypted meanwhile."""
    begun(any_world, starts_by_code("a", mapping=FixedLength(2), execution_timeout_s=600))
    triggers = claimed(any_world)
    assert [each.assignment.map_index for each in triggers if each.assignment is not None] == [0, 1]
    assert {each.assignment.map_length for each in triggers if each.assignment is not None} == {2}
    first = triggers[0]
    prepared = found_out(first, tone="a")

    with any_world.database.begin() as tx:
        assert store_prepared(tx, JobKey(1), [prepared]) == {first.attempt.task}
        tx.triggers.release(JobKey(1))
        sealed = {each.key: each for each in tx.triggers.sealed()}
    assert sealed[first.key].is_encrypted
    assert CIPHER.decrypt(sealed[first.key].kwargs, "it") == '{"tone": "a"}'

    again = {each.key: each for each in claimed(any_world)}
    assert (again[first.key].is_prepared, again[first.key].class_path) == (True, "p.Bell")
    assert again[triggers[1].key].assignment is not None
    assert goes_on_with(any_world, first) == ("heard", {"of": 1})
    named = any_world.instances()["a[0]"]
    assert named.wake_at == any_world.clock.now() + timedelta(seconds=60)
    assert named.rendered_map_index == "first"
    fire(any_world, Happened(1), first)
    with any_world.database.begin() as tx:
        assert store_prepared(tx, JobKey(1), [prepared]) == set()
    assert goes_on_with(any_world, first) == ("heard", {"of": 1, "event": 1})


def test_a_task_that_turns_out_not_to_begin_with_a_trigger_begins_in_a_worker(world: World) -> None:
    executor = begun(world, starts_by_code("a"))

    assert fire(world, NeedsWorker(), *claimed(world)) == 1
    world.settle()

    assert executor.attempt("a").attempt == 2
    with world.database.begin() as tx:
        assert tx.deferrals.of_tasks([executor.attempt("a").task]) == {}


def test_two_schedulers_begin_each_task_once(any_world: World) -> None:
    """B7."""
    any_world.dag(*(starts(f"t{number}") for number in range(50)))
    any_world.trigger()
    for name in ("one", "two"):
        any_world.scheduler(PatientExecutor(any_world.clock, name=name))
    any_world.settle()

    assert set(any_world.states().values()) == {"deferred"}
    assert {each.attempt for each in any_world.instances().values()} == {1}
    assert len(claimed(any_world)) == 50


def test_a_wait_that_broke_before_it_was_known_fails_in_a_worker(world: World) -> None:
    executor = begun(world, starts_by_code("a"))
    (trigger,) = claimed(world)

    assert fire(world, Broke(("NameError: no such macro",)), trigger) == 1
    world.settle()

    assert executor.busy_with == ["a"]
    expected = {"error": "Trigger failure", "traceback": ["NameError: no such macro"]}
    assert goes_on_with(world, trigger) == ("__fail__", expected)
