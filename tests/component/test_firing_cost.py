"""Events that come together cost a handful of statements, however many they are (D7)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from tests.component.world import PatientExecutor, World, defers
from tradewind.model.dag import Task
from tradewind.model.ids import AttemptKey, JobKey
from tradewind.model.pool import Pool
from tradewind.model.states import TaskState, WeightRule
from tradewind.model.trigger import Broke, EndedTask, Fired, Happened, NewTrigger
from tradewind.operations.claim_triggers import claim_triggers
from tradewind.operations.fire_triggers import fire_triggers
from tradewind.operations.manage_pools import update_pool
from tradewind.storage.interface.kept_stores import StoredDeferral
from tradewind.storage.schema import task_instance


@contextmanager
def counted(world: World) -> Iterator[list[str]]:
    """The statements that are executed meanwhile."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement)

    sa.event.listen(world.database.engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(world.database.engine, "before_cursor_execute", note)


def waiting_tasks(world: World, count: int) -> list[AttemptKey]:
    """So many tasks of one run that wait."""
    names = [f"t{number:04d}" for number in range(count)]
    world.dag(*map(Task, names))
    run_key, now = world.trigger(), world.clock.now()
    attempts = [AttemptKey(run_key, name, -1, 1) for name in names]
    deferred = {"state": TaskState.DEFERRED.value, "attempt": 1, "try_number": 1, "started_at": now}
    with world.database.begin() as tx:
        tx.connection.execute(sa.update(task_instance).values(deferred))
        tx.deferrals.put([StoredDeferral(attempt=each, next_method="go_on", created_at=now) for each in attempts])
        tx.triggers.add(
            [
                NewTrigger(attempt=each, class_path="p.Clock", kwargs="{}", is_encrypted=False, created_at=now)
                for each in attempts
            ]
        )
    return attempts


@pytest.mark.parametrize(
    ("what", "most"),
    [
        pytest.param(Happened("ding"), 8, id="events"),
        pytest.param(Broke(("why",)), 8, id="errors"),
        pytest.param(EndedTask(TaskState.SUCCESS, {"return_value": 1}), 14, id="ends"),
    ],
)
def test_a_thousand_events_cost_as_many_statements_as_ten(
    world: World, what: Happened | Broke | EndedTask, most: int
) -> None:
    attempts = waiting_tasks(world, 1_000)
    now, job = world.clock.now(), JobKey(1)

    def fire(count: int) -> int:
        with world.database.begin() as tx, counted(world) as claiming:
            claimed = claim_triggers(tx, job, count, now)
        assert len(claiming) <= 4
        fired = [Fired(each.key, each.attempt, what) for each in claimed]
        with world.database.begin() as tx, counted(world) as statements:
            assert len(fire_triggers(tx, fired, now, world.structures)) == count
        return len(statements)

    few = fire(10)
    assert few <= most, few
    many = fire(len(attempts) - 10)
    assert many <= most, many


def go_on(world: World, *names: str) -> None:
    """What these tasks wait for has come."""
    now = world.clock.now()
    with world.database.begin() as tx:
        fired = [
            Fired(each.key, each.attempt, Happened("ding"))
            for each in claim_triggers(tx, JobKey(1), 10_000, now)
            if not names or each.attempt.task_id in names
        ]
        tx.triggers.release(JobKey(1))
        fire_triggers(tx, fired, now, world.structures)


def wait_all(world: World, count: int, **weights: int) -> PatientExecutor:
    """A run whose tasks all wait; `weights` are those of the first ones."""
    names = [*weights, *(f"t{number:04d}" for number in range(count - len(weights)))]
    tasks = (
        Task(name, priority_weight=weights.get(name, 1), weight_rule=WeightRule.ABSOLUTE, pool="wide") for name in names
    )
    world.pool("wide", count)
    world.dag(*tasks, max_active_tasks=count)
    world.trigger()
    executor = PatientExecutor(world.clock, slots=count)
    world.scheduler(executor, parallelism=count, max_tis_per_query=count)
    world.settle()
    now = world.clock.now()
    with world.database.begin() as tx:
        tx.deferrals.put([StoredDeferral(attempt=each, next_method="go_on", created_at=now) for each in executor.work])
        tx.triggers.add(
            [
                NewTrigger(attempt=each, class_path="p.Clock", kwargs="{}", is_encrypted=False, created_at=now)
                for each in executor.work
            ]
        )
    executor.end(ending=defers())
    world.settle()
    assert set(world.states().values()) == {"deferred"}
    executor.submitted.clear()
    return executor


def test_a_thousand_tasks_that_go_on_are_handed_over_in_a_handful_of_statements(world: World) -> None:
    """B9, E1: from the events to the executor, with all that the scheduler does for it."""
    count = 1_000
    executor = wait_all(world, count)

    with counted(world) as statements:
        go_on(world)
        world.settle()

    assert len(executor.submitted) == count
    assert len(statements) <= 30, len(statements)


def test_who_goes_on_is_handed_over_by_priority_and_then_by_who_waited_longest(world: World) -> None:
    """B5, E1."""
    executor = wait_all(world, 5, low=1, high=9, old=5, new=5)
    with world.database.begin() as tx:
        update_pool(tx, Pool("wide", 1))
    for names in (("low",), ("old",), ("new", "high"), ("t0000",)):
        go_on(world, *names)
        world.settle()
        world.clock.advance(1)

    for _ in range(5):
        executor.end()
        world.settle()

    assert [item.attempt.task_id for item in executor.submitted] == ["low", "high", "old", "new", "t0000"]
