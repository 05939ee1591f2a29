"""Functions as tasks."""

from typing import Any, TypedDict

import pytest

from tradewind.sdk import DAG, BaseOperator, dag, result, setup, task, task_group, teardown
from tradewind.sdk.mapped import MappedOperator
from tradewind.sdk.states import TriggerRule
from tradewind.sdk.taskflow import determine_kwargs, get_unique_task_id, without_task_decorators
from tradewind.sdk.xcom_arg import PlainXComArg


@task
def add(x: int, y: int = 1) -> int:
    """Add two numbers."""
    return x + y


def edges(built: DAG) -> set[tuple[str, str]]:
    return {(each.task_id, after) for each in built.tasks for after in each.downstream_task_ids}


def test_call_makes_a_task_and_its_arguments_make_dependencies() -> None:
    with DAG("d") as built:
        add(add(1), y=add(2))

    assert built.task_ids == ["add", "add__1", "add__2"]
    assert edges(built) == {("add", "add__2"), ("add__1", "add__2")}
    assert built.get_task("add").doc_md == "Add two numbers."  # type: ignore[attr-defined]


def test_call_that_cannot_work_fails_while_the_file_is_read() -> None:
    with DAG("d"), pytest.raises(TypeError, match="x"):
        add()


def test_context_may_be_asked_for_by_name() -> None:
    @task
    def shows(x: int, ti: Any, ds: Any = None) -> None: ...

    with DAG("d") as built:
        shows(1)

    assert built.task_ids == ["shows"]


def test_context_name_takes_no_default_of_its_own() -> None:
    with pytest.raises(ValueError, match="'ds' is filled from the context"):

        @task
        def shows(ds: str = "today") -> None: ...


def test_arguments_of_the_operator_are_given_to_the_decorator_or_overridden() -> None:
    @task(retries=3, task_id="named")
    def work() -> None: ...

    with DAG("d") as built:
        work()
        work.override(task_id="other", retries=5, pool="p")()

    named: Any = built.get_task("named")
    other: Any = built.get_task("other")
    assert (named.retries, other.retries, other.pool) == (3, 5, "p")


def test_function_that_returns_a_dict_has_one_output_per_key() -> None:
    class Pair(TypedDict):
        a: int
        b: int

    @task
    def plain() -> int:
        return 1

    @task
    def many() -> dict[str, int]:
        return {}

    @task
    def pair() -> Pair:
        return {"a": 1, "b": 2}

    @task(multiple_outputs=False)
    def told() -> dict[str, int]:
        return {}

    with DAG("d") as built:
        for each in (plain, many, pair, told):
            each()

    assert [each.multiple_outputs for each in built.tasks] == [False, True, True, False]  # type: ignore[attr-defined]


@pytest.mark.parametrize("wrong", [1, int, add])
def test_only_functions_become_tasks(wrong: Any) -> None:
    with pytest.raises(TypeError, match="decorate"):
        task(wrong)


def test_expand_makes_one_mapped_task() -> None:
    @task
    def numbers() -> list[int]:
        return [1, 2]

    with DAG("d") as built:
        out = add.partial(y=10).expand(x=numbers())

    mapped = built.get_task("add")
    assert isinstance(out, PlainXComArg)
    assert isinstance(mapped, MappedOperator)
    assert mapped.upstream_task_ids == {"numbers"}


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (add.expand, "at least one"),
        (lambda: add.expand(z=[1]), "no argument z"),
        (lambda: add.expand(x="text"), "needs a list"),
        (lambda: add.partial(x=1).expand(x=[1]), "already"),
        (lambda: add.partial(q=1), "no argument q"),
        (lambda: add.expand_kwargs([{"z": 1}]), "no argument z"),
        (lambda: add.expand_kwargs({"x": 1}), "list of dicts"),
        (lambda: add.expand_kwargs([1]), "list of dicts"),
    ],
)
def test_expand_refuses_what_it_cannot_map_over(build: Any, said: str) -> None:
    with DAG("d"), pytest.raises((TypeError, ValueError), match=said):
        build()


def test_output_cannot_be_looped_over_in_the_file() -> None:
    with DAG("d"), pytest.raises(TypeError, match="expand"):
        list(add(1))


def test_dag_decorator_names_and_documents_the_dag_and_takes_params() -> None:
    @dag(schedule=None, tags=["t"])
    def flow(size: int = 3) -> None:
        """What it is for."""
        add(size)

    built = flow()

    assert (built.dag_id, built.doc_md, built.tags) == ("flow", "What it is for.", {"t"})
    assert built.params["size"] == 3
    assert built.fileloc == __file__


def test_dag_decorator_without_arguments() -> None:
    @dag
    def flow() -> None:
        add(1)

    assert flow().task_ids == ["add"]


def test_group_decorator_makes_groups_with_free_ids() -> None:
    @task_group
    def pair(n: int) -> Any:
        """Two steps."""
        return add(add(n))

    with DAG("d") as built:
        out = pair(1)
        pair(2)

    assert built.task_ids == ["pair.add", "pair.add__1", "pair__1.add", "pair__1.add__1"]
    assert isinstance(out, PlainXComArg)
    assert built.task_group_dict["pair"].tooltip == "Two steps."


def test_mapped_group_comes_after_what_it_is_mapped_over() -> None:
    @task
    def numbers() -> list[int]:
        return [1]

    @task_group
    def each(n: Any) -> None:
        add(n)

    with DAG("d") as built:
        each.expand(n=numbers())

    assert built.get_task("each.add").upstream_task_ids == {"numbers"}


def test_mapping_inside_a_mapped_group_is_refused() -> None:
    @task_group
    def each(n: Any) -> None:
        add.expand(x=[1])

    with DAG("d"), pytest.raises(NotImplementedError, match="mapped inside"):
        each.expand(n=[1])


def test_setup_and_teardown_are_roles_of_functions() -> None:
    @setup
    def start() -> None: ...

    @teardown(on_failure_fail_dagrun=True)
    def stop() -> None: ...

    with DAG("d") as built:
        start() >> add(1) >> stop()

    assert built.get_task("start").is_setup
    stopping: Any = built.get_task("stop")
    assert (stopping.is_teardown, stopping.on_failure_fail_dagrun) == (True, True)
    assert stopping.trigger_rule == TriggerRule.ALL_DONE_SETUP_SUCCESS


def test_block_of_a_teardown_puts_its_tasks_between() -> None:
    with DAG("d") as built:
        first = BaseOperator(task_id="setup").as_setup()
        last = BaseOperator(task_id="teardown").as_teardown(setups=first)
        outside = add.override(task_id="outside")(1)
        with last as scope:  # type: ignore[attr-defined]
            a = add.override(task_id="a")(1)
            b = add.override(task_id="b")(a)
            scope.add_task(outside)

    assert edges(built) == {
        ("setup", "a"), ("a", "b"), ("b", "teardown"), ("setup", "teardown"),
        ("setup", "outside"), ("outside", "teardown"),
    }  # fmt: skip
    assert b.operator.task_id == "b"


def test_block_of_ordinary_work_is_refused() -> None:
    with DAG("d"), pytest.raises(ValueError, match="neither a setup nor a teardown"), BaseOperator(task_id="a"):
        pass


def test_result_marks_the_task_whose_value_is_that_of_the_run() -> None:
    @result
    @task
    def answer() -> int:
        return 42

    with DAG("d") as built:
        answer()

    assert built.result_task_id == "answer"
    with pytest.raises(ValueError, match="a result already"), built:
        built.add_result(add(1))


def test_unknown_decorator_says_what_to_install() -> None:
    with pytest.raises(AttributeError, match="provider package"):
        task.nonsense  # noqa: B018 - the attribute is the test


def test_unique_ids_count_from_the_highest() -> None:
    with DAG("d") as built:
        BaseOperator(task_id="t")
        BaseOperator(task_id="t__4")

        assert get_unique_task_id("t") == "t__5"
        assert get_unique_task_id("new") == "new"
    assert get_unique_task_id("t", built) == "t__5"


def test_function_gets_only_what_it_asks_for() -> None:
    def asks(a: int, ds: str) -> None: ...

    def takes_all(a: int, **context: Any) -> None: ...

    context = {"a": 1, "ds": "x", "ti": None}
    assert determine_kwargs(asks, [], context) == {"a": 1, "ds": "x"}
    assert determine_kwargs(asks, [1], context) == {"ds": "x"}
    assert determine_kwargs(takes_all, [1], context) == {"ds": "x", "ti": None}


def test_source_loses_task_decorators_and_keeps_others() -> None:
    source = '@other\n@task.virtualenv(\n    requirements=["a"],\n)\n@setup\ndef f():\n    return 1\n'

    assert without_task_decorators(source) == "@other\ndef f():\n    return 1\n"
