"""Which DAGs are refused when they are published, and in which words."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tradewind.model.dag import Dag, Retry, Task, TaskGroup
from tradewind.model.dag_check import InvalidDag, check_dag
from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip
from tradewind.model.states import TaskRole, TriggerRule


def problems(dag: Dag) -> tuple[str, ...]:
    try:
        check_dag(dag)
    except InvalidDag as invalid:
        return invalid.problems
    return ()


def of_tasks(*tasks: Task) -> tuple[str, ...]:
    return problems(Dag("d", tasks=tasks))


def chain(length: int) -> tuple[Task, ...]:
    return tuple(Task(f"t{n}", upstream=(f"t{n - 1}",) if n else ()) for n in range(length))


def test_a_dag_without_faults_is_accepted() -> None:
    check_dag(
        Dag(
            "sales.daily-2",
            tasks=(
                Task("open", role=TaskRole.SETUP),
                Task("list", upstream=("open",)),
                Task("load", upstream=("list",), group_id="each"),
                Task("close", upstream=("open", "load"), role=TaskRole.TEARDOWN, trigger_rule=TriggerRule.ALWAYS),
                Task("报告", upstream=("load",), mapping=OutputLength("list")),
            ),
            groups=(TaskGroup("outer"), TaskGroup("each", "outer", mapping=OutputLength("list"))),
        )
    )


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(InvalidDag) as invalid:
        check_dag(Dag("d", tasks=(Task("a", upstream=("x",), pool_slots=0),), max_active_runs=0))

    assert str(invalid.value) == (
        "DAG 'd' cannot be used:\n"
        "- the DAG has max_active_runs = 0, but the least is 1\n"
        "- task 'a' has pool_slots = 0, but the least is 1\n"
        "- task 'a' depends on 'x', which is not a task of the DAG"
    )
    assert invalid.value.dag_id == "d"
    assert len(invalid.value.problems) == 3


@pytest.mark.parametrize(
    ("identifier", "problem"),
    [
        ("", "a task has an empty id"),
        ("x" * 251, f"the task id {'x' * 50!r}... is longer than 250 characters"),
        ("a b", "the task id 'a b' has a character other than letters, digits, '_', '-' and '.'"),
        ("a/b", "the task id 'a/b' has a character other than letters, digits, '_', '-' and '.'"),
        ("a\n", "the task id 'a\\n' has a character other than letters, digits, '_', '-' and '.'"),
        ("a..b", "the task id 'a..b' would be read as a step in a path"),
        (".", "the task id '.' would be read as a step in a path"),
    ],
)
def test_an_impossible_id_is_refused(identifier: str, problem: str) -> None:
    assert of_tasks(Task(identifier)) == (problem,)
    assert len(problems(Dag(identifier))) == 1
    assert len(problems(Dag("d", groups=(TaskGroup(identifier),)))) == 1


@pytest.mark.parametrize("identifier", ["a", "x" * 250, "a.b-c_D9", "čaj", "任务", "-"])
def test_an_id_of_word_characters_dots_and_dashes_is_accepted(identifier: str) -> None:
    assert of_tasks(Task(identifier)) == ()


def test_an_id_is_used_only_once() -> None:
    assert of_tasks(Task("a"), Task("a")) == ("the task id 'a' is already taken by another task or group",)
    assert problems(Dag("d", groups=(TaskGroup("g"), TaskGroup("g")))) == (
        "the group id 'g' is already taken by another task or group",
    )
    assert problems(Dag("d", tasks=(Task("a"),), groups=(TaskGroup("a"),))) == (
        "the group id 'a' is already taken by another task or group",
    )


def test_doubled_tasks_do_not_confuse_the_other_rules() -> None:
    doubled = Task("b", upstream=("a",), mapping=OutputLength("a"))

    assert "the task id 'b' is already taken by another task or group" in of_tasks(Task("a"), doubled, Task("b"))


def test_a_task_does_not_depend_on_itself() -> None:
    assert of_tasks(Task("a", upstream=("a",))) == ("task 'a' depends on itself",)


def test_tasks_do_not_depend_on_each_other_in_a_circle() -> None:
    found = of_tasks(
        Task("start"),
        Task("a", upstream=("start", "c")),
        Task("b", upstream=("a",)),
        Task("c", upstream=("b",)),
        Task("end", upstream=("c",)),
    )

    assert found == ("the tasks 'b', 'c', 'a' depend on each other in a circle",)


def test_a_circle_is_found_from_a_task_that_only_follows_it() -> None:
    found = of_tasks(Task("end", upstream=("b",)), Task("a", upstream=("b",)), Task("b", upstream=("a",)))

    assert found == ("the tasks 'a', 'b' depend on each other in a circle",)


def test_a_chain_of_ten_thousand_tasks_is_accepted() -> None:
    assert of_tasks(*chain(10_000)) == ()


def test_a_circle_of_ten_thousand_tasks_is_found_and_not_listed_in_full() -> None:
    first, *others = chain(10_000)

    (problem,) = of_tasks(replace(first, upstream=("t9999",)), *others)

    assert "and 9980 more depend on each other in a circle" in problem


def test_groups_exist() -> None:
    dag = Dag("d", tasks=(Task("a", group_id="g"),), groups=(TaskGroup("h", parent_id="i"),))

    assert problems(dag) == (
        "task 'a' is in the group 'g', which the DAG does not have",
        "group 'h' is in the group 'i', which the DAG does not have",
    )


def test_groups_do_not_contain_each_other() -> None:
    groups = (TaskGroup("x", "g"), TaskGroup("g", "h", mapping=FixedLength(2)), TaskGroup("h", "g"))

    assert problems(Dag("d", tasks=(Task("a", group_id="x"),), groups=groups)) == (
        "the groups 'g', 'h' contain each other in a circle",
    )
    assert problems(Dag("d", groups=(TaskGroup("g", "g"),))) == ("the groups 'g' contain each other in a circle",)


def test_ten_thousand_nested_groups_are_accepted() -> None:
    groups = tuple(TaskGroup(f"g{n}", f"g{n - 1}" if n else None) for n in range(10_000))

    assert problems(Dag("d", tasks=(Task("a", group_id="g9999"),), groups=groups)) == ()


def test_a_mapped_group_is_not_inside_another() -> None:
    groups = (TaskGroup("outer", mapping=FixedLength(2)), TaskGroup("g", "outer"))
    nested = TaskGroup("inner", "g", mapping=FixedLength(2))

    assert problems(Dag("d", groups=(*groups, nested))) == (
        "group 'inner' is mapped inside the mapped group 'outer', which is not supported",
    )


def test_a_mapped_task_is_not_inside_a_mapped_group() -> None:
    groups = (TaskGroup("inner", "outer"), TaskGroup("outer", mapping=FixedLength(2)))
    task = Task("a", group_id="inner", mapping=FixedLength(2))

    assert problems(Dag("d", tasks=(task,), groups=groups)) == (
        "task 'a' is mapped inside the mapped group 'outer', which is not supported",
    )


def test_a_task_maps_over_what_is_upstream_of_it_near_or_far() -> None:
    far = Task("z", upstream=("t3",), mapping=Product((OutputLength("t0"), OutputLength("t3"))))

    assert of_tasks(*chain(4), far) == ()
    assert of_tasks(far, *chain(4)) == ()


@pytest.mark.parametrize(
    "mapping", [OutputLength("a"), Zip((FixedLength(1), Concat((OutputLength("a"), OutputLength("up")))))]
)
def test_a_task_does_not_map_over_what_it_does_not_wait_for(mapping: MapLength) -> None:
    found = of_tasks(Task("a"), Task("up"), Task("b", upstream=("up",), mapping=mapping))

    assert found == ("task 'b' maps over the task 'a', which is not upstream of it",)


def test_a_task_does_not_map_over_itself_or_what_follows_it() -> None:
    found = of_tasks(Task("a", mapping=Product((OutputLength("a"), OutputLength("b")))), Task("b", upstream=("a",)))

    assert found == (
        "task 'a' maps over the task 'a', which is not upstream of it",
        "task 'a' maps over the task 'b', which is not upstream of it",
    )


def test_what_is_mapped_over_is_a_task() -> None:
    group = TaskGroup("g", mapping=OutputLength("y"))

    assert problems(Dag("d", tasks=(Task("a", mapping=OutputLength("x")),), groups=(group,))) == (
        "task 'a' maps over 'x', which is not a task of the DAG",
        "group 'g' maps over 'y', which is not a task of the DAG",
    )


def test_a_group_does_not_map_over_its_own_task() -> None:
    groups = (TaskGroup("g", mapping=OutputLength("a")), TaskGroup("h", "g"))

    assert problems(Dag("d", tasks=(Task("a", group_id="h"),), groups=groups)) == (
        "group 'g' maps over the task 'a', which is inside the group itself",
    )


def test_every_task_of_a_mapped_group_waits_for_what_the_group_maps_over() -> None:
    tasks = (
        Task("list"),
        Task("first", upstream=("list",), group_id="g"),
        Task("second", upstream=("first",), group_id="g"),
    )
    groups = (TaskGroup("g", mapping=OutputLength("list")),)

    assert problems(Dag("d", tasks=tasks, groups=groups)) == ()
    assert problems(Dag("d", tasks=(*tasks, Task("early", group_id="g")), groups=groups)) == (
        "group 'g' maps over the task 'list', which is not upstream of its task 'early'",
    )


def test_a_length_is_possible() -> None:
    assert of_tasks(Task("a", mapping=Product((FixedLength(-1), Zip(()))))) == (
        "task 'a' has mapped length = -1, but the least is 0",
        "task 'a' is mapped over a zip of nothing",
    )


def test_a_circle_does_not_hide_a_fault_of_a_mapping_elsewhere() -> None:
    found = of_tasks(
        Task("a", upstream=("b",)),
        Task("b", upstream=("a",), mapping=OutputLength("c")),
        Task("c"),
        Task("e", mapping=OutputLength("c")),
    )

    assert found == (
        "the tasks 'b', 'a' depend on each other in a circle",
        "task 'e' maps over the task 'c', which is not upstream of it",
    )


def test_ten_thousand_tasks_that_each_map_over_one_further_up_are_accepted() -> None:
    tasks = tuple(
        replace(task, mapping=OutputLength(f"t{number - 2}")) if number > 2 else task
        for number, task in enumerate(chain(10_000))
    )

    assert of_tasks(*tasks) == ()


@pytest.mark.parametrize(
    ("task", "problem"),
    [
        (Task("a", pool_slots=0), "task 'a' has pool_slots = 0, but the least is 1"),
        (Task("a", max_active_per_dag=0), "task 'a' has max_active_per_dag = 0, but the least is 1"),
        (Task("a", max_active_per_run=-1), "task 'a' has max_active_per_run = -1, but the least is 1"),
        (Task("a", execution_timeout_s=-1.0), "task 'a' has execution_timeout_s = -1.0, but the least is 0"),
        (Task("a", retry=Retry(retries=-1)), "task 'a' has retries = -1, but the least is 0"),
        (Task("a", retry=Retry(delay_s=-0.5)), "task 'a' has retry delay_s = -0.5, but the least is 0"),
        (Task("a", retry=Retry(multiplier=-2.0)), "task 'a' has retry multiplier = -2.0, but the least is 0"),
        (Task("a", retry=Retry(max_delay_s=-1.0)), "task 'a' has retry max_delay_s = -1.0, but the least is 0"),
        (Task("a", retry=Retry(delay_s=float("nan"))), "task 'a' has retry delay_s = nan, but the least is 0"),
        (
            Task("a", priority_weight=2**31),
            "task 'a' has the priority_weight 2147483648, which does not fit into 32 bits",
        ),
        (
            Task("a", priority_weight=-(2**31) - 1),
            "task 'a' has the priority_weight -2147483649, which does not fit into 32 bits",
        ),
    ],
)
def test_a_number_that_no_task_can_have_is_refused(task: Task, problem: str) -> None:
    assert of_tasks(task) == (problem,)


@pytest.mark.parametrize(
    "task",
    [
        Task("a", max_active_per_dag=1, max_active_per_run=1, execution_timeout_s=0),
        Task("a", retry=Retry(0, 0.0, 0.0, 0.0), priority_weight=2**31 - 1),
        Task("a", priority_weight=-(2**31)),
    ],
)
def test_a_number_at_its_limit_is_accepted(task: Task) -> None:
    assert of_tasks(task) == ()


@pytest.mark.parametrize(
    ("dag", "problem"),
    [
        (Dag("d", max_active_tasks=0), "the DAG has max_active_tasks = 0, but the least is 1"),
        (Dag("d", max_active_runs=-3), "the DAG has max_active_runs = -3, but the least is 1"),
        (
            Dag("d", max_consecutive_failed_runs=-1),
            "the DAG has max_consecutive_failed_runs = -1, but the least is 0",
        ),
        (Dag("d", run_timeout_s=-1.0), "the DAG has run_timeout_s = -1.0, but the least is 0"),
    ],
)
def test_a_number_that_no_dag_can_have_is_refused(dag: Dag, problem: str) -> None:
    assert problems(dag) == (problem,)


def test_a_tag_can_be_stored_and_shown() -> None:
    (too_long, odd) = problems(Dag("d", tags=("fine tag", "x" * 251, "a\0b")))

    assert too_long.startswith("the tag 'xxx")
    assert "'a\\x00b'" in odd


def test_nothing_ends_before_it_starts() -> None:
    start_at, end_at = datetime(2024, 1, 2, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
    ends_early = "ends at 2024-01-01 00:00:00+00:00, before it starts at 2024-01-02 00:00:00+00:00"

    assert problems(
        Dag("d", tasks=(Task("a", start_at=start_at, end_at=end_at),), start_at=start_at, end_at=end_at)
    ) == (f"the DAG {ends_early}", f"task 'a' {ends_early}")
    assert problems(Dag("d", start_at=end_at, end_at=start_at)) == ()
    assert problems(Dag("d", start_at=end_at, end_at=end_at)) == ()


def test_a_start_has_a_time_zone() -> None:
    naive = datetime(2024, 1, 1)  # noqa: DTZ001

    assert problems(Dag("d", start_at=naive, end_at=datetime(2024, 1, 1, tzinfo=UTC))) == (
        "the DAG has a start or end without a time zone",
    )


@pytest.mark.parametrize("rule", list(TriggerRule))
def test_fail_fast_allows_only_rules_that_a_failure_ends(rule: TriggerRule) -> None:
    allowed = rule in {TriggerRule.ALL_SUCCESS, TriggerRule.ALL_DONE_SETUP_SUCCESS}
    refusal = (
        f"task 'a' has the trigger rule {rule.value}, but a fail_fast DAG allows only all_success"
        " and all_done_setup_success"
    )

    found = problems(Dag("d", tasks=(Task("a", trigger_rule=rule),), fail_fast=True))

    assert found == (() if allowed else (refusal,))
    assert of_tasks(Task("a", trigger_rule=rule)) == ()


@pytest.mark.parametrize("role", [TaskRole.WORK, TaskRole.SETUP])
def test_what_follows_a_setup_directly_needs_its_success(role: TaskRole) -> None:
    found = of_tasks(
        Task("open", role=TaskRole.SETUP),
        Task("work", upstream=("open",), role=role, trigger_rule=TriggerRule.ALL_DONE),
        Task("later", upstream=("work",), trigger_rule=TriggerRule.ALL_SUCCESS),
        Task("close", upstream=("open",), role=TaskRole.TEARDOWN, trigger_rule=TriggerRule.ALL_DONE),
    )

    assert found == (
        "task 'work' comes directly after the setup 'open', so its trigger rule must be all_success, not all_done",
    )
