"""Branching and short circuits: what they skip, and how they say so (D2)."""

from collections.abc import Iterable
from typing import Any

import pytest

from tests.unit.standard.running import context_of
from tradewind.sdk import DAG, BaseBranchOperator, Context, TaskGroup, task_group
from tradewind.sdk.exceptions import AirflowException, DownstreamTasksSkipped
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.python import BranchPythonOperator, ShortCircuitOperator


class Choose(BaseBranchOperator):
    """Follows what it is told."""

    def __init__(self, *, branch: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.branch = branch

    def choose_branch(self, context: Context) -> str | Iterable[str] | None:
        return self.branch  # type: ignore[no-any-return]


def branching(branch: Any) -> Choose:
    """`choose >> [left, right, join]`, both of which lead to `join`, and a group with two roots."""
    with DAG("branching"):
        choose = Choose(task_id="choose", branch=branch)
        left, right, join = (EmptyOperator(task_id=name) for name in ("left", "right", "join"))
        with TaskGroup("group") as group:
            EmptyOperator(task_id="one")
            EmptyOperator(task_id="two")
        choose >> [left, right, join]
        [left, right] >> join
        choose >> group
    return choose


@pytest.mark.parametrize(
    ("branch", "skipped"),
    [
        ("left", ["group.one", "group.two", "right"]),
        (["left", "right"], ["group.one", "group.two"]),
        ("group", ["join", "left", "right"]),
        (["group", "left"], ["right"]),
        (iter(["left"]), ["group.one", "group.two", "right"]),
        ([], ["group.one", "group.two", "join", "left", "right"]),
        (None, ["group.one", "group.two", "join", "left", "right"]),
    ],
)
def test_a_branch_skips_the_direct_downstream_tasks_that_nothing_chosen_leads_to(
    branch: Any, skipped: list[str]
) -> None:
    choose = branching(branch)

    with pytest.raises(DownstreamTasksSkipped) as skip:
        choose.execute(context_of(choose))

    assert skip.value.tasks == skipped


def test_a_branch_that_follows_everything_returns_what_it_chose() -> None:
    choose = branching(["left", "right", "group"])

    assert choose.execute(context_of(choose)) == ["left", "right", "group"]


def test_a_copy_of_a_mapped_group_decides_only_about_its_own_tasks() -> None:
    with DAG("copies"):
        behind = EmptyOperator(task_id="behind", trigger_rule="all_done")

        @task_group
        def each(number: int) -> None:
            choose = Choose(task_id="choose", branch="each.left")
            check = ShortCircuitOperator(task_id="check", python_callable=lambda: False)
            left, right = EmptyOperator(task_id="left"), EmptyOperator(task_id="right")
            choose >> [left, right, behind]
            check >> [left, behind]

        each.expand(number=[1, 2])
    dag = behind.dag
    assert dag is not None

    skipped = {}
    for name in ("each.choose", "each.check"):
        context = context_of(dag.get_task(name))
        context["ti"].map_index = 1
        with pytest.raises(DownstreamTasksSkipped) as skip:
            context["task"].execute(context)
        skipped[name] = skip.value.tasks

    assert skipped == {"each.choose": ["each.right"], "each.check": ["each.left"]}


def test_a_mapped_task_without_a_group_leaves_what_is_behind_it_to_the_others() -> None:
    choose = branching("left")
    context = context_of(choose)
    context["ti"].map_index = 1

    assert choose.execute(context) == "left"


def test_a_branch_leaves_what_it_followed_as_an_xcom() -> None:
    choose = branching("left")
    context = context_of(choose)

    with pytest.raises(DownstreamTasksSkipped):
        choose.execute(context)

    assert context["ti"].pushed == {"skipmixin_key": {"followed": ["join", "left"]}}


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        ("lfet", r"names \['lfet'\], but DAG 'branching' has no such task"),
        ([5], r"consists of task ids, but it has \[5\]"),
        (5, r"consists of task ids, but it has \[5\]"),
    ],
)
def test_a_branch_that_cannot_be_followed_is_refused_by_name(branch: Any, message: str) -> None:
    choose = branching(branch)

    with pytest.raises(AirflowException, match=message):
        choose.execute(context_of(choose))


def test_an_operator_without_a_choice_says_what_it_lacks() -> None:
    with DAG("branching"):
        task = BaseBranchOperator(task_id="choose")

    with pytest.raises(NotImplementedError, match="must implement choose_branch"):
        task.execute(context_of(task))


def test_a_function_can_choose() -> None:
    with DAG("branching"):
        choose = BranchPythonOperator(task_id="choose", python_callable=lambda ds: "left" if ds else "right")
        choose >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]

    with pytest.raises(DownstreamTasksSkipped) as skip:
        choose.execute(context_of(choose))

    assert skip.value.tasks == ["right"]


def short_circuit(result: object, **kwargs: Any) -> ShortCircuitOperator:
    """`check >> first >> second`, and a teardown behind them."""
    with DAG("circuit"):
        check = ShortCircuitOperator(task_id="check", python_callable=lambda: result, **kwargs)
        first, second = EmptyOperator(task_id="first"), EmptyOperator(task_id="second")
        tidy = EmptyOperator(task_id="tidy").as_teardown()
        check >> first >> second >> tidy
        check >> tidy
    return check


def test_a_false_condition_skips_everything_downstream_but_teardowns() -> None:
    check = short_circuit(0)

    with pytest.raises(DownstreamTasksSkipped) as skip:
        check.execute(context_of(check))

    assert skip.value.tasks == ["first", "second"]


def test_a_false_condition_can_leave_the_rest_to_the_trigger_rules() -> None:
    check = short_circuit(None, ignore_downstream_trigger_rules=False)
    context = context_of(check)

    with pytest.raises(DownstreamTasksSkipped) as skip:
        check.execute(context)

    assert skip.value.tasks == ["first"]
    assert context["ti"].pushed == {"skipmixin_key": {"skipped": ["first"]}}


def test_a_true_condition_goes_on_with_its_value() -> None:
    check = short_circuit({"rows": 5})

    assert check.execute(context_of(check)) == {"rows": 5}


def test_a_short_circuit_with_nothing_behind_it_just_ends() -> None:
    with DAG("circuit"):
        check = ShortCircuitOperator(task_id="check", python_callable=lambda: False)

    assert check.execute(context_of(check)) is False
