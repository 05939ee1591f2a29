"""A DAG compiled for the engine."""

import pytest

from tradewind.decide.structure import NO_GROUP, Structure
from tradewind.model.dag import Dag, Task, TaskGroup
from tradewind.model.mapping import Concat, FixedLength, OutputLength, Product, Zip
from tradewind.model.states import TaskRole, TriggerRule

SETUP, TEARDOWN = TaskRole.SETUP, TaskRole.TEARDOWN


def structure(*tasks: Task, **values: object) -> Structure:
    return Structure(Dag("dag", tasks=tasks, **values))  # type: ignore[arg-type]


def ids(compiled: Structure, numbers: object) -> set[str]:
    return {compiled.tasks[number].task_id for number in numbers}  # type: ignore[attr-defined]


def test_edges_lead_both_ways_and_doubled_ones_count_once() -> None:
    compiled = structure(Task("a"), Task("b", upstream=("a", "a")))

    assert (compiled.upstream, compiled.downstream) == ([(), (0,)], [(1,), ()])


def test_the_order_has_every_task_after_what_it_depends_on() -> None:
    compiled = structure(Task("c", upstream=("b",)), Task("b", upstream=("a",)), Task("a"))

    assert compiled.order == [2, 1, 0]
    assert [compiled.order[rank] for rank in compiled.rank] == [0, 1, 2]


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="cycle"):
        structure(Task("a", upstream=("b",)), Task("b", upstream=("a",)))


def test_a_long_chain_does_not_end_on_the_stack() -> None:
    count = 5_000
    compiled = structure(*(Task(f"t{n}", upstream=(f"t{n - 1}",) if n else ()) for n in range(count)))

    assert compiled.outcome_tasks == (count - 1,)


# --- setups


def test_the_scope_of_a_setup_reaches_to_its_teardown() -> None:
    compiled = structure(
        Task("setup", role=SETUP),
        Task("direct", upstream=("setup",)),
        Task("indirect", upstream=("direct",)),
        Task("teardown", upstream=("setup", "indirect"), role=TEARDOWN),
        Task("after", upstream=("teardown",)),
        Task("beside", upstream=("direct",)),
    )

    required = {task.task_id: ids(compiled, compiled.setups_required[n]) for n, task in enumerate(compiled.tasks)}
    assert required == {
        "setup": set(),
        "direct": set(),
        "indirect": {"setup"},
        "teardown": set(),
        "after": set(),
        "beside": set(),
    }
    assert ids(compiled, compiled.setup_dependents[0]) == {"indirect"}


def test_the_scope_of_a_setup_without_a_teardown_is_all_that_follows() -> None:
    compiled = structure(
        Task("setup", role=SETUP),
        Task("a", upstream=("setup",)),
        Task("b", upstream=("a",)),
        Task("c", upstream=("b",)),
    )

    assert ids(compiled, compiled.setup_dependents[0]) == {"b", "c"}


# --- leaves


def test_the_leaves_make_the_end() -> None:
    compiled = structure(Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("a",)))

    assert ids(compiled, compiled.outcome_tasks) == {"b", "c"}


@pytest.mark.parametrize(("fails_run", "expected"), [(False, {"work"}), (True, {"teardown"})])
def test_leaves_are_seen_through_teardowns_that_do_not_count(fails_run: bool, expected: set[str]) -> None:
    compiled = structure(
        Task("setup", role=SETUP),
        Task("work", upstream=("setup",)),
        Task(
            "teardown",
            upstream=("setup", "work"),
            role=TEARDOWN,
            trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
            fails_run=fails_run,
        ),
    )

    assert ids(compiled, compiled.outcome_tasks) == expected


def test_a_dag_of_teardowns_ends_with_its_last() -> None:
    compiled = structure(Task("t1", role=TEARDOWN), Task("t2", upstream=("t1",), role=TEARDOWN))

    assert ids(compiled, compiled.outcome_tasks) == {"t2"}


# --- mapping


def test_sources_are_found_in_every_part_of_a_length() -> None:
    length = Product((Zip((OutputLength("a"), FixedLength(3))), Concat((OutputLength("b"), OutputLength("a")))))
    compiled = structure(Task("a"), Task("b"), Task("w", upstream=("a", "b"), mapping=length))

    assert compiled.map_sources == [(), (), (0, 1)]
    assert compiled.map_dependents == [(2,), (2,), ()]


def test_a_task_is_mapped_with_the_group_around_it_however_deep() -> None:
    mapping = OutputLength("list")
    compiled = structure(
        Task("list"),
        Task("outer", upstream=("list",), group_id="g"),
        Task("inner", upstream=("list",), group_id="h"),
        Task("own", mapping=FixedLength(2)),
        Task("plain", group_id="plain"),
        groups=(TaskGroup("g", mapping=mapping), TaskGroup("h", parent_id="g"), TaskGroup("plain")),
    )

    assert compiled.mapped_group == [NO_GROUP, 0, 0, NO_GROUP, NO_GROUP]
    assert compiled.lengths == [None, mapping, mapping, FixedLength(2), None]
    assert compiled.group_members == {0: [1, 2]}


# --- the past


def test_whose_end_matters_for_the_next_run_is_known_ahead() -> None:
    compiled = structure(
        Task("plain"),
        Task("past", depends_on_past=True),
        Task("down", wait_for_downstream=True),
        Task("behind", upstream=("down",)),
    )

    assert {compiled.tasks[n].task_id: ids(compiled, who) for n, who in compiled.past_readers.items()} == {
        "past": {"past"},
        "down": {"down"},
        "behind": {"down"},
    }
