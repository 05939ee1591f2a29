"""Limits are never exceeded, priority is strict, and nobody starves (B4 B5)."""

from collections import Counter

import pytest

from tests.component.world import PatientExecutor, World, defers, succeeds
from tradewind.model.dag import Task
from tradewind.model.mapping import FixedLength
from tradewind.model.pool import Pool
from tradewind.model.states import RunState, WeightRule
from tradewind.operations.manage_pools import update_pool
from tradewind.telemetry.events import TaskCannotFit

ABSOLUTE = WeightRule.ABSOLUTE


def drain(world: World, executor: PatientExecutor, *, at_a_time: int = 1, most: int = 10_000) -> list[int]:
    """End what runs, a few at a time, until nothing does. Returns how much ran at each moment."""
    loads = []
    for _ in range(most):
        world.settle()
        loads.append(len(executor.work))
        if not executor.work:
            return loads
        for attempt in list(executor.work)[:at_a_time]:
            executor.finish(attempt, succeeds())
    raise AssertionError("it never ends")


def test_max_active_tasks_limits_each_run(any_world: World) -> None:
    """B4."""
    any_world.dag(Task("work", mapping=FixedLength(7)), max_active_tasks=3)
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)

    loads = drain(any_world, executor)

    assert max(loads) == 3
    assert any_world.run().state is RunState.SUCCESS


def test_max_active_tasks_counts_runs_apart(world: World) -> None:
    world.dag(*(Task(f"t{n}") for n in range(4)), max_active_tasks=2)
    world.trigger(run_id="r1")
    world.trigger(run_id="r2")
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)

    world.settle()

    assert Counter(attempt.run_key for attempt in executor.work).most_common() == [(1, 2), (2, 2)]


def test_max_active_tis_per_dagrun_limits_one_task(world: World) -> None:
    world.dag(Task("work", mapping=FixedLength(5), max_active_per_run=2), Task("other"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)

    world.settle()
    first = sorted(executor.busy_with)
    loads = drain(world, executor)

    assert first == ["other", "work[0]", "work[1]"]
    assert max(loads) == 3
    assert world.run().state is RunState.SUCCESS


def test_max_active_tis_per_dag_limits_one_task_over_all_runs(any_world: World) -> None:
    any_world.dag(Task("work", max_active_per_dag=2), Task("other"))
    for number in range(4):
        any_world.trigger(run_id=f"r{number}")
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)

    any_world.settle()
    seen = Counter(executor.busy_with)
    while executor.work:
        executor.finish(next(iter(executor.work)), succeeds())
        any_world.settle()
        assert Counter(executor.busy_with)["work"] <= 2

    assert seen == {"work": 2, "other": 4}
    assert {run.state for run in any_world.runs()} == {RunState.SUCCESS}


def test_max_active_runs_limits_running_runs_of_a_dag(any_world: World) -> None:
    """B4, C5."""
    any_world.dag(Task("a"), max_active_runs=2)
    for number in range(5):
        any_world.trigger(run_id=f"r{number}")
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    most = 0
    while any(run.state not in (RunState.SUCCESS, RunState.FAILED) for run in any_world.runs()):
        any_world.settle()
        most = max(most, sum(run.state is RunState.RUNNING for run in any_world.runs()))
        executor.end()

    assert most == 2


def test_parallelism_limits_a_scheduler(world: World) -> None:
    world.dag(Task("work", mapping=FixedLength(10)))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor, parallelism=4)

    loads = drain(world, executor)

    assert max(loads) == 4


def test_pools_limit_slots_and_heavy_tasks_need_several(any_world: World) -> None:
    any_world.pool("small", 3)
    any_world.dag(
        Task("heavy", pool="small", pool_slots=2, priority_weight=9, weight_rule=ABSOLUTE),
        Task("light", pool="small", mapping=FixedLength(4)),
    )
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)

    any_world.settle()
    assert executor.busy_with == ["heavy", "light[0]"]
    executor.end("heavy")
    any_world.settle()

    assert executor.busy_with == ["light[0]", "light[1]", "light[2]"]


def test_nobody_overtakes_a_task_that_waits_for_enough_slots(world: World) -> None:
    """B5: or a heavy task would wait for ever behind a stream of light ones."""
    world.pool("small", 2)
    world.dag(Task("light", pool="small", mapping=FixedLength(2)), dag_id="first")
    world.trigger("first")
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    world.dag(
        Task("heavy", pool="small", pool_slots=2, priority_weight=9, weight_rule=ABSOLUTE),
        Task("more", pool="small", mapping=FixedLength(5)),
    )
    world.trigger()
    world.settle()

    executor.end("light[0]")
    world.settle()
    assert executor.busy_with == ["light[1]"]
    executor.end("light[1]")
    world.settle()

    assert executor.busy_with == ["heavy"]


def test_priority_is_strict_within_a_pool(any_world: World) -> None:
    """B5."""
    any_world.pool("one", 1)
    any_world.dag(
        *(Task(f"p{weight}", pool="one", priority_weight=weight, weight_rule=ABSOLUTE) for weight in (3, 1, 5, 2, 4))
    )
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)

    drain(any_world, executor)

    assert [item.attempt.task_id for item in executor.submitted] == ["p5", "p4", "p3", "p2", "p1"]


def test_priority_is_strict_between_dags(world: World) -> None:
    """B5: also where the less urgent one waited first."""
    world.pool("one", 1)
    world.dag(Task("low", pool="one", mapping=FixedLength(3)), dag_id="early")
    world.trigger("early")
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    world.dag(Task("high", pool="one", priority_weight=10), dag_id="late")
    world.trigger("late")

    drain(world, executor)

    assert [item.attempt.task_id for item in executor.submitted] == ["low", "high", "low", "low"]


def test_priority_is_strict_inside_a_run_that_is_at_its_limit(world: World) -> None:
    """B5: what waits for slots gives way to a more urgent task of its own run."""
    world.pool("one", 1)
    world.dag(
        Task("first", pool="one", priority_weight=99, weight_rule=ABSOLUTE),
        Task("low", pool="one", mapping=FixedLength(4)),
        Task("high", upstream=("first",), pool="one", priority_weight=50, weight_rule=ABSOLUTE),
        max_active_tasks=2,
    )
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)

    drain(world, executor)

    assert [item.attempt.task_id for item in executor.submitted][:2] == ["first", "high"]


def test_dags_of_equal_priority_take_turns(any_world: World) -> None:
    """B5: two DAGs with a hundred tasks each share the pool, whoever came first."""
    any_world.pool("two", 2)
    for dag_id in ("one", "other"):
        any_world.dag(Task("work", pool="two", mapping=FixedLength(20)), dag_id=dag_id, max_active_tasks=100)
        any_world.trigger(dag_id)
        any_world.settle()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)

    drain(any_world, executor, at_a_time=2)

    for end in (4, 10, 20):
        shares = Counter(executor.dags[:end])
        assert abs(shares["one"] - shares["other"]) <= 2


def test_a_late_dag_is_served_within_one_round(world: World) -> None:
    """B5."""
    world.pool("one", 1)
    world.dag(Task("work", pool="one", mapping=FixedLength(50)), dag_id="big", max_active_tasks=100)
    world.trigger("big")
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    for _ in range(10):
        world.settle()
        executor.end()
    world.dag(Task("tiny", pool="one"), dag_id="late")
    world.trigger("late")

    before = len(executor.submitted)
    drain(world, executor)

    assert executor.dags.index("late") <= before + 2


def test_a_full_pool_does_not_keep_another_pool_waiting(world: World) -> None:
    world.pool("full", 0)
    world.pool("open", 1)
    world.dag(Task("stuck", pool="full", priority_weight=100), Task("free", pool="open"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)

    world.settle()

    assert executor.busy_with == ["free"]


@pytest.mark.parametrize("slots", [None, 1])
def test_a_task_that_can_never_fit_is_reported_and_not_spun_on(world: World, slots: int | None) -> None:
    if slots is not None:
        world.pool("special", slots)
    world.dag(Task("misfit", pool="special", pool_slots=2), Task("ok"))
    world.trigger()
    scheduler = world.scheduler()

    world.settle()
    world.pass_time(2)

    assert world.states() == {"misfit": "scheduled", "ok": "success"}
    events = world.told(TaskCannotFit)
    assert {(event.dag_id, event.task.task_id, event.pool) for event in events} == {("sales", "misfit", "special")}
    assert not scheduler.run_once()
    with world.database.begin() as tx:
        if slots is None:
            tx.pools.create(Pool("special", 2))
        else:
            update_pool(tx, Pool("special", 2))
    world.pass_time(2)
    assert world.run().state is RunState.SUCCESS


def test_a_pool_made_smaller_lets_its_tasks_end_and_admits_no_more(world: World) -> None:
    world.pool("shrinking", 3)
    world.dag(Task("work", pool="shrinking", mapping=FixedLength(6)))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    with world.database.begin() as tx:
        update_pool(tx, Pool("shrinking", 1))
    world.settle()
    assert len(executor.work) == 3
    executor.end("work[0]")
    executor.end("work[1]")
    world.settle()

    assert executor.busy_with == ["work[2]"]


def test_deferred_tasks_keep_their_slots_only_where_the_pool_says_so(world: World) -> None:
    world.pool("keeps", 1, include_deferred=True)
    world.pool("frees", 1)
    for pool in ("keeps", "frees"):
        world.dag(Task("work", pool=pool, mapping=FixedLength(2)), dag_id=pool)
        world.trigger(pool)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    assert executor.busy_with == ["work[0]", "work[0]"]

    for attempt in list(executor.work):
        executor.finish(attempt, defers())
    world.settle()

    assert world.states(dag_id="keeps") == {"work[0]": "deferred", "work[1]": "scheduled"}
    assert world.states(dag_id="frees") == {"work[0]": "deferred", "work[1]": "running"}


def test_a_full_executor_does_not_keep_tasks_of_another_waiting(world: World) -> None:
    world.dag(
        Task("for_full", executor="full", priority_weight=100, weight_rule=ABSOLUTE, mapping=FixedLength(20)),
        Task("for_free", executor="free"),
        Task("for_nobody", executor="unknown", priority_weight=200, weight_rule=ABSOLUTE),
        max_active_tasks=100,
    )
    world.trigger()
    full = PatientExecutor(world.clock, name="full", slots=1)
    free = PatientExecutor(world.clock, name="free")
    world.scheduler([full, free])

    world.settle()

    assert full.busy_with == ["for_full[0]"]
    assert free.busy_with == ["for_free"]
    assert world.states()["for_nobody"] == "scheduled"


def test_slots_of_an_executor_that_come_free_are_used(world: World) -> None:
    world.dag(Task("work", mapping=FixedLength(9)))
    world.trigger()
    executor = PatientExecutor(world.clock, slots=2)
    world.scheduler(executor)

    loads = drain(world, executor)

    assert max(loads) == 2
    assert world.run().state is RunState.SUCCESS


def test_two_schedulers_share_a_limit(any_world: World) -> None:
    """B4: with any number of schedulers."""
    any_world.pool("two", 2)
    any_world.dag(Task("work", pool="two", mapping=FixedLength(6)), max_active_tasks=100)
    any_world.trigger()
    executors = [PatientExecutor(any_world.clock), PatientExecutor(any_world.clock)]
    for executor in executors:
        any_world.scheduler(executor)

    for _ in range(20):
        any_world.settle()
        assert sum(len(executor.work) for executor in executors) <= 2
        for executor in executors:
            executor.end()
        any_world.clock.advance(2)

    assert any_world.run().state is RunState.SUCCESS
    submitted = [item.attempt for executor in executors for item in executor.submitted]
    assert len(submitted) == len(set(submitted)) == 6
