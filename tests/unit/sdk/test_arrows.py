"""Arrows between tasks, groups, outputs and labels."""

import pytest

from tradewind.sdk import DAG, BaseOperator, Label, TaskGroup, chain, chain_linear, cross_downstream
from tradewind.sdk.exceptions import AirflowDagCycleException, DuplicateTaskIdFound, NodeNotFound


def task(task_id: str) -> BaseOperator:
    return BaseOperator(task_id=task_id)


def edges(dag: DAG) -> set[tuple[str, str]]:
    return {(task.task_id, after) for task in dag.tasks for after in task.downstream_task_ids}


def test_arrows_read_from_left_to_right() -> None:
    with DAG("d") as dag:
        a, b, c, d = map(task, "abcd")
        a >> b >> [c, d]

    assert edges(dag) == {("a", "b"), ("b", "c"), ("b", "d")}


def test_arrows_read_from_right_to_left() -> None:
    with DAG("d") as dag:
        a, b, c = map(task, "abc")
        [a, b] << c
        a << b

    assert edges(dag) == {("c", "a"), ("c", "b"), ("b", "a")}


def test_list_may_stand_before_a_task() -> None:
    with DAG("d") as dag:
        a, b, c = map(task, "abc")
        [a, b] >> c

    assert edges(dag) == {("a", "c"), ("b", "c")}


def test_label_is_written_on_the_arrow_whichever_end_comes_first() -> None:
    with DAG("d") as dag:
        a, b, c = map(task, "abc")
        a >> Label("yes") >> b
        c << Label("no") << a

    assert dag.get_edge_info("a", "b") == {"label": "yes"}
    assert dag.get_edge_info("a", "c") == {"label": "no"}
    assert edges(dag) == {("a", "b"), ("a", "c")}


def test_arrow_to_a_group_ends_at_its_roots_and_from_it_starts_at_its_leaves() -> None:
    with DAG("d") as dag:
        before, after = task("before"), task("after")
        with TaskGroup("g") as group:
            first, middle, last = map(task, ("first", "middle", "last"))
            first >> middle >> last
        before >> group >> after

    assert edges(dag) >= {("before", "g.first"), ("g.last", "after")}
    assert ("before", "g.middle") not in edges(dag)
    assert group.upstream_task_ids == {"before"}
    assert group.downstream_task_ids == {"after"}


def test_nobody_waits_for_a_teardown_of_a_group() -> None:
    with DAG("d") as dag:
        after = task("after")
        with TaskGroup("g") as group:
            setup, work, teardown = map(task, ("setup", "work", "teardown"))
            setup >> work >> teardown.as_teardown(setups=setup)
        group >> after

    assert dag.get_task("after").upstream_task_ids == {"g.work"}


def test_chain_connects_lists_pair_by_pair() -> None:
    with DAG("d") as dag:
        a, b, c, d, e, f = map(task, "abcdef")
        chain(a, [b, c], [d, e], f)

    assert edges(dag) == {("a", "b"), ("a", "c"), ("b", "d"), ("c", "e"), ("d", "f"), ("e", "f")}


def test_chain_refuses_lists_of_different_lengths() -> None:
    with DAG("d"), pytest.raises(ValueError, match="2 and 1"):
        chain([task("a"), task("b")], [task("c")])


def test_chain_linear_connects_everything_with_everything_beside_it() -> None:
    with DAG("d") as dag:
        a, b, c, d = map(task, "abcd")
        chain_linear([a, b], [c, d])

    assert edges(dag) == {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")}


def test_chain_linear_refuses_labels_and_a_single_element() -> None:
    with DAG("d"):
        a, b = task("a"), task("b")
        with pytest.raises(ValueError, match="labels"):
            chain_linear(a, Label("x"), b)
        with pytest.raises(ValueError, match="connected nothing"):
            chain_linear(a)


def test_cross_downstream_connects_two_lists_completely() -> None:
    with DAG("d") as dag:
        a, b, c, d = map(task, "abcd")
        cross_downstream([a, b], [c, d])

    assert len(edges(dag)) == 4


def test_task_without_a_dag_joins_that_of_its_neighbour() -> None:
    loose = task("loose")
    with DAG("d") as dag:
        task("fixed") >> loose

    assert dag.get_task("loose") is loose


def test_tasks_of_two_dags_cannot_be_connected() -> None:
    with DAG("one"):
        a = task("a")
    with DAG("two"):
        b = task("b")
    with pytest.raises(RuntimeError, match="'one', 'two'"):
        a >> b


def test_circle_is_named() -> None:
    with DAG("d") as dag:
        a, b = task("a"), task("b")
        a >> b >> a
    with pytest.raises(AirflowDagCycleException, match="'a', 'b'"):
        dag.check_cycle()


@pytest.mark.parametrize("other", ["text", 1, None])
def test_only_tasks_and_groups_can_be_connected(other: object) -> None:
    with DAG("d"), pytest.raises(TypeError):
        task("a") >> other


def test_ids_are_unique_over_tasks_and_groups() -> None:
    with DAG("d"):
        task("same")
        with pytest.raises(DuplicateTaskIdFound, match="same"):
            task("same")
        with pytest.raises(DuplicateTaskIdFound, match="same"):
            TaskGroup("same")


def test_group_is_part_of_the_ids_of_its_tasks_unless_told_otherwise() -> None:
    with DAG("d") as dag:
        with TaskGroup("outer"), TaskGroup("inner") as inner:
            inside = task("t")
        with TaskGroup("plain", prefix_group_id=False):
            task("free")

    assert dag.task_ids == ["outer.inner.t", "free"]
    assert inside.label == "t"
    assert dag["outer.inner"] is inner
    assert inner["t"] is inside


def test_unknown_node_is_named() -> None:
    dag = DAG("d")
    with pytest.raises(NodeNotFound, match="'nothing'"):
        dag["nothing"]


def test_group_id_gets_a_number_where_asked_for() -> None:
    with DAG("d"):
        TaskGroup("g")
        second = TaskGroup("g", add_suffix_on_collision=True)
        third = TaskGroup("g", add_suffix_on_collision=True)

    assert (second.group_id, third.group_id) == ("g__1", "g__2")


def test_part_of_a_dag_has_only_the_chosen_tasks_and_their_arrows() -> None:
    with DAG("d") as dag:
        a, b, c, d = map(task, "abcd")
        a >> b >> c >> d

    part = dag.partial_subset("c", include_upstream=True)

    assert part.task_ids == ["a", "b", "c"]
    assert part.get_task("c").downstream_task_ids == set()
    assert dag.get_task("c").downstream_task_ids == {"d"}
    assert part.get_task("b").dag is part


def test_tasks_are_sorted_after_what_they_depend_on() -> None:
    with DAG("d") as dag:
        a, b, c = map(task, "abc")
        c >> b >> a

    assert [each.task_id for each in dag.topological_sort()] == ["c", "b", "a"]
