"""DAGs of every shape, run to their end by a real scheduler on a real database (A1 B3 D3)."""

import pytest

from tests.component.world import World, fails, skips_itself, succeeds
from tradewind.model.dag import Task, TaskGroup
from tradewind.model.mapping import FixedLength, OutputLength, Product
from tradewind.model.states import RunState, TaskRole, TaskState, TriggerRule
from tradewind.telemetry.events import RunMoved

SETUP, TEARDOWN = TaskRole.SETUP, TaskRole.TEARDOWN


def chain(*task_ids: str) -> list[Task]:
    """Tasks one after another."""
    return [
        Task(task_id, upstream=(before,) if before else ())
        for before, task_id in zip(("", *task_ids[:-1]), task_ids, strict=True)
    ]


def test_a_chain_runs_in_order_on_every_database(any_world: World) -> None:
    """A1, B3."""
    any_world.dag(*chain("extract", "transform", "load"))
    any_world.trigger()
    any_world.scheduler()

    any_world.settle()

    assert any_world.run().state is RunState.SUCCESS
    tasks = any_world.instances()
    assert {name: task.state.value for name, task in tasks.items()} == dict.fromkeys(tasks, "success")
    assert all(task.try_number == 1 and task.attempt == 1 for task in tasks.values())


def test_a_run_is_queued_then_running_then_over(world: World) -> None:
    """C5."""
    world.dag(*chain("extract", "load"))
    world.trigger()
    created = world.run()
    world.scheduler()

    world.settle()

    assert (created.state, created.started_at) == (RunState.QUEUED, None)
    assert [event.state for event in world.told(RunMoved)] == [RunState.QUEUED, RunState.RUNNING, RunState.SUCCESS]
    ended = world.run()
    assert ended.started_at is not None
    assert ended.finished_at is not None


def test_a_dag_without_tasks_succeeds(world: World) -> None:
    world.dag()
    world.trigger()
    world.scheduler()

    world.settle()

    assert world.run().state is RunState.SUCCESS


def test_a_diamond_waits_for_both_sides(world: World) -> None:
    world.dag(Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("a",)), Task("d", upstream=("b", "c")))
    world.trigger()
    world.scheduler(endings={"b": fails()})

    world.settle()

    assert world.states() == {"a": "success", "b": "failed", "c": "success", "d": "upstream_failed"}
    assert world.run().state is RunState.FAILED


def test_a_failure_that_a_leaf_forgives_does_not_fail_the_run(world: World) -> None:
    world.dag(Task("a"), Task("b", upstream=("a",), trigger_rule=TriggerRule.ALL_DONE))
    world.trigger()
    world.scheduler(endings={"a": fails()})

    world.settle()

    assert world.states() == {"a": "failed", "b": "success"}
    assert world.run().state is RunState.SUCCESS


def test_empty_tasks_end_without_an_executor(world: World) -> None:
    world.dag(*(Task(f"t{n}", upstream=(f"t{n - 1}",) if n else (), is_empty=True) for n in range(50)))
    world.trigger()
    scheduler = world.scheduler()

    world.settle()

    assert set(world.states().values()) == {"success"}
    assert all(task.attempt == 0 for task in world.instances().values())
    assert len(scheduler.state.memory) == 0


ENDS = {"good": succeeds(), "bad": fails(), "none": skips_itself()}
EXPECTED = {
    # rule: (all good, all bad, all skipped, one of each)
    TriggerRule.ALL_SUCCESS: ("success", "upstream_failed", "skipped", "upstream_failed"),
    TriggerRule.ALL_FAILED: ("skipped", "success", "skipped", "skipped"),
    TriggerRule.ALL_DONE: ("success", "success", "success", "success"),
    TriggerRule.ALL_SKIPPED: ("skipped", "skipped", "success", "skipped"),
    TriggerRule.ONE_SUCCESS: ("success", "upstream_failed", "skipped", "success"),
    TriggerRule.ONE_FAILED: ("skipped", "success", "skipped", "success"),
    TriggerRule.ONE_DONE: ("success", "success", "skipped", "success"),
    TriggerRule.NONE_FAILED: ("success", "upstream_failed", "success", "upstream_failed"),
    TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS: ("success", "upstream_failed", "skipped", "upstream_failed"),
    TriggerRule.NONE_SKIPPED: ("success", "success", "skipped", "skipped"),
    TriggerRule.ALL_DONE_MIN_ONE_SUCCESS: ("success", "upstream_failed", "skipped", "skipped"),
    TriggerRule.ALL_DONE_SETUP_SUCCESS: ("success", "success", "success", "success"),
    TriggerRule.ALWAYS: ("success", "success", "success", "success"),
}


@pytest.mark.parametrize("rule", TriggerRule)
def test_every_trigger_rule_end_to_end(world: World, rule: TriggerRule) -> None:
    """D3: one task of the rule behind each mixture of ends."""
    mixtures = (("good", "good"), ("bad", "bad"), ("none", "none"), ("good", "bad", "none"))
    tasks, endings = [], {}
    for number, mixture in enumerate(mixtures):
        ups = []
        for position, kind in enumerate(mixture):
            task_id = f"{kind}_{number}_{position}"
            ups.append(task_id)
            tasks.append(Task(task_id))
            endings[task_id] = ENDS[kind]
        tasks.append(Task(f"last_{number}", upstream=tuple(ups), trigger_rule=rule))
    world.dag(*tasks)
    world.trigger()
    world.scheduler(endings=endings)

    world.settle()

    states = world.states()
    assert tuple(states[f"last_{number}"] for number in range(len(mixtures))) == EXPECTED[rule]


def test_a_branch_skips_what_it_decided_against(world: World) -> None:
    world.dag(
        Task("branch"),
        Task("left", upstream=("branch",)),
        Task("right", upstream=("branch",)),
        Task("after_right", upstream=("right",)),
        Task("join", upstream=("left", "after_right"), trigger_rule=TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS),
    )
    world.trigger()
    world.scheduler(endings={"branch": succeeds(skips=["right"])})

    world.settle()

    assert world.states() == {
        "branch": "success",
        "left": "success",
        "right": "skipped",
        "after_right": "skipped",
        "join": "success",
    }


def test_a_short_circuit_skips_its_whole_list(world: World) -> None:
    world.dag(
        Task("check"),
        Task("a", upstream=("check",)),
        Task("b", upstream=("a",), trigger_rule=TriggerRule.ALL_DONE),
        Task("beside"),
    )
    world.trigger()
    world.scheduler(endings={"check": succeeds(skips=["a", "b"])})

    world.settle()

    assert world.states() == {"check": "success", "a": "skipped", "b": "skipped", "beside": "success"}
    assert world.run().state is RunState.SUCCESS


def test_a_mapped_task_gets_an_instance_for_each_element(any_world: World) -> None:
    """D3."""
    any_world.dag(
        Task("list"),
        Task("work", upstream=("list",), mapping=OutputLength("list")),
        Task("sum", upstream=("work",)),
    )
    any_world.trigger()
    any_world.scheduler(endings={"list": succeeds(3)})

    any_world.settle()

    assert any_world.states() == {
        "list": "success",
        "work[0]": "success",
        "work[1]": "success",
        "work[2]": "success",
        "sum": "success",
    }
    assert any_world.run().state is RunState.SUCCESS


def test_a_length_stated_in_the_file_is_expanded_when_the_run_is_created(world: World) -> None:
    world.dag(Task("work", mapping=Product((FixedLength(2), FixedLength(2)))))

    world.trigger()

    assert world.states() == {f"work[{index}]": "none" for index in range(4)}


def test_a_mapping_over_nothing_skips_the_stand_in(world: World) -> None:
    world.dag(
        Task("list"),
        Task("work", upstream=("list",), mapping=OutputLength("list")),
        Task("sum", upstream=("work",)),
        Task("fixed", mapping=FixedLength(0)),
    )
    world.trigger()
    world.scheduler(endings={"list": succeeds(0)})

    world.settle()

    assert world.states() == {"list": "success", "work": "skipped", "sum": "skipped", "fixed": "skipped"}


def test_a_mapping_over_a_failed_task_is_upstream_failed(world: World) -> None:
    rule = TriggerRule.ALL_DONE
    world.dag(Task("list"), Task("work", upstream=("list",), mapping=OutputLength("list"), trigger_rule=rule))
    world.trigger()
    world.scheduler(endings={"list": fails()})

    world.settle()

    assert world.states() == {"list": "failed", "work": "upstream_failed"}


def test_one_failed_instance_fails_what_follows_the_mapped_task(world: World) -> None:
    world.dag(Task("work", mapping=FixedLength(3)), Task("sum", upstream=("work",)))
    world.trigger()
    world.scheduler(endings={"work[1]": fails()})

    world.settle()

    assert world.states() == {
        "work[0]": "success",
        "work[1]": "failed",
        "work[2]": "success",
        "sum": "upstream_failed",
    }


def test_a_mapped_group_goes_index_by_index(world: World) -> None:
    world.dag(
        Task("list"),
        Task("a", upstream=("list",), group_id="g"),
        Task("b", upstream=("a",), group_id="g"),
        Task("end", upstream=("b",)),
        groups=(TaskGroup("g", mapping=OutputLength("list")),),
    )
    world.trigger()
    world.scheduler(endings={"list": succeeds(3), "a[1]": fails(), "a[2]": skips_itself()})

    world.settle()

    assert world.states() == {
        "list": "success",
        "a[0]": "success",
        "a[1]": "failed",
        "a[2]": "skipped",
        "b[0]": "success",
        "b[1]": "upstream_failed",
        "b[2]": "skipped",
        "end": "upstream_failed",
    }


@pytest.mark.parametrize("failing", ["setup", "work", "teardown"])
def test_a_teardown_runs_if_its_setup_succeeded(world: World, failing: str) -> None:
    world.dag(
        Task("setup", role=SETUP),
        Task("work", upstream=("setup",)),
        Task("more", upstream=("work",)),
        Task(
            "teardown",
            upstream=("setup", "more"),
            role=TEARDOWN,
            trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
        ),
    )
    world.trigger()
    world.scheduler(endings={failing: fails()})

    world.settle()

    expected = {
        "setup": ("failed", "upstream_failed", "upstream_failed", "upstream_failed"),
        "work": ("success", "failed", "upstream_failed", "success"),
        "teardown": ("success", "success", "success", "failed"),
    }[failing]
    states = world.states()
    assert (states["setup"], states["work"], states["more"], states["teardown"]) == expected
    assert world.run().state is (RunState.SUCCESS if failing == "teardown" else RunState.FAILED)


def test_fail_fast_ends_everything_but_teardowns(world: World) -> None:
    world.dag(
        Task("setup", role=SETUP),
        Task("bad", upstream=("setup",)),
        Task("slow", upstream=("setup",)),
        Task("later", upstream=("slow",)),
        Task(
            "teardown",
            upstream=("setup", "later", "bad"),
            role=TEARDOWN,
            trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
        ),
        fail_fast=True,
        max_active_tasks=1,
    )
    world.trigger()
    world.scheduler(endings={"bad": fails()})

    world.settle()

    states = world.states()
    assert (states["setup"], states["bad"], states["later"], states["teardown"]) == (
        "success",
        "failed",
        "skipped",
        "success",
    )
    assert world.run().state is RunState.FAILED


def test_what_is_cleared_beside_an_old_failure_of_a_fail_fast_dag_runs(world: World) -> None:
    """Only news of a failure stop the others."""
    world.dag(Task("bad"), Task("later"), fail_fast=True)
    world.trigger()
    world.scheduler(endings={"bad": fails(), "later": succeeds()})
    world.settle()
    world.mark(TaskState.SKIPPED, "later")
    world.settle()

    world.clear("later")
    world.settle()

    assert world.states() == {"bad": "failed", "later": "success"}


def test_fail_fast_and_an_expansion_in_the_same_pass_leave_no_stray_instances(world: World) -> None:
    world.dag(
        Task("list"),
        Task("bad"),
        Task("work", upstream=("list",), mapping=OutputLength("list")),
        fail_fast=True,
    )
    world.trigger()
    world.scheduler(endings={"list": succeeds(2), "bad": fails()})

    world.settle()

    assert world.states() == {"list": "success", "bad": "failed", "work": "skipped"}
    assert world.run().state is RunState.FAILED


def test_tasks_outside_their_own_dates_are_not_part_of_the_run(world: World) -> None:
    now = world.clock.now()
    world.dag(Task("old", end_at=now.replace(year=2025)), Task("new", upstream=("old",)))
    world.trigger(logical_date=now)
    world.scheduler()

    world.settle()

    assert world.states() == {"new": "success"}
    assert world.run().state is RunState.SUCCESS


def test_a_task_that_only_waits_for_itself_being_decided_is_no_deadlock(world: World) -> None:
    """Everything skipped is a success, as in Airflow."""
    world.dag(*chain("a", "b"))
    world.trigger()
    world.scheduler(endings={"a": skips_itself()})

    world.settle()

    assert world.states() == {"a": "skipped", "b": "skipped"}
    assert world.run().state is RunState.SUCCESS


def test_thirty_runs_of_two_dags_all_end(any_world: World) -> None:
    """B3: more than one pass can hold."""
    for dag_id in ("one", "two"):
        any_world.dag(*chain("a", "b"), dag_id=dag_id, max_active_runs=4)
        for number in range(15):
            any_world.trigger(dag_id, f"r{number}")
    any_world.scheduler()

    any_world.settle()

    for dag_id in ("one", "two"):
        assert {run.state for run in any_world.runs(dag_id)} == {RunState.SUCCESS}
        assert TaskState.NONE not in any_world.states("r7", dag_id).values()
