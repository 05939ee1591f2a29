"""Arguments of operators, where they come from and what is refused."""

import inspect
import re
import warnings
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tradewind.sdk import DAG, BaseOperator, TaskGroup, TriggerRule, XComArg
from tradewind.sdk.exceptions import FailFastDagInvalidTriggerRule
from tradewind.sdk.operator_meta import RUNNING_OPERATOR


class Greet(BaseOperator):
    template_fields = ("name",)

    def __init__(self, *, name: Any = "you", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.name = name

    def execute(self, context: Any) -> str:
        return f"hello {self.name}"


class GreetWorld(Greet):
    """Settles an argument of its parent."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(name="world", **kwargs)


def test_arguments_come_from_the_nearest_default_args() -> None:
    of_dag = {"retries": 1, "owner": "dag", "queue": "dag"}
    with DAG("d", default_args=of_dag), TaskGroup("g", default_args={"retries": 2, "owner": "group"}):
        inherited = Greet(task_id="inherited")
        own = Greet(task_id="own", default_args={"retries": 3}, queue="own")

    assert (inherited.retries, inherited.owner, inherited.queue) == (2, "group", "dag")
    assert (own.retries, own.owner, own.queue) == (3, "group", "own")


def test_default_args_reach_arguments_of_the_operator_itself() -> None:
    with DAG("d", default_args={"name": "everybody"}):
        assert Greet(task_id="a").name == "everybody"
        assert GreetWorld(task_id="b").name == "world"


def test_default_args_that_an_operator_does_not_know_are_no_mistake() -> None:
    with DAG("d", default_args={"bash_command": "true"}):
        Greet(task_id="a")


def test_unknown_argument_is_named_with_the_task() -> None:
    with pytest.raises(TypeError, match=r"Greet \(task_id: a\) does not know the argument colour"):
        Greet(task_id="a", colour="red")


def test_arguments_by_position_are_refused() -> None:
    with pytest.raises(TypeError, match="keyword arguments only"):
        Greet("a")  # type: ignore[call-arg]


def test_missing_task_id_is_named() -> None:
    with pytest.raises(TypeError, match="task_id"):
        Greet()


@pytest.mark.parametrize(
    ("argument", "value", "said"),
    [
        ("trigger_rule", "dummy", "trigger_rule has to be one of all_done"),
        ("trigger_rule", "none_failed_or_skipped", "none_failed_min_one_success"),
        ("weight_rule", "sideways", "weight_rule has to be one of absolute, downstream, upstream"),
        ("pool_slots", 0, "pool_slots has to be an integer of at least 1"),
        ("priority_weight", "high", "priority_weight has to be an integer"),
        ("retries", "many", "retries has to be an integer"),
        ("retry_delay", "soon", "retry_delay has to be a timedelta or a number of seconds"),
        ("execution_timeout", 30, "execution_timeout has to be a timedelta"),
        ("start_date", "yesterday", "start_date"),
        ("retry_exponential_backoff", -1, "retry_exponential_backoff"),
    ],
)
def test_argument_that_makes_no_sense_is_named(argument: str, value: object, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        Greet(task_id="a", **{argument: value})


@pytest.mark.parametrize(
    ("task_id", "error"), [("a b", ValueError), ("", ValueError), ("x" * 251, ValueError), (1, TypeError)]
)
def test_task_id_that_cannot_be_one_is_refused(task_id: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="id"):
        Greet(task_id=task_id)


def test_values_are_kept_in_one_form() -> None:
    task = Greet(
        task_id="a",
        retries="2",
        retry_delay=30,
        retry_exponential_backoff=True,
        max_retry_delay=60,
        start_date=datetime(2026, 1, 1),  # noqa: DTZ001 - authors write dates without a zone
        trigger_rule="all_done",
        wait_for_downstream=True,
        on_failure_callback=print,
    )

    assert (task.retries, task.retry_delay, task.max_retry_delay) == (2, timedelta(seconds=30), timedelta(seconds=60))
    assert task.retry_exponential_backoff == 2.0
    assert task.start_date == datetime(2026, 1, 1, tzinfo=UTC)
    assert task.trigger_rule is TriggerRule.ALL_DONE
    assert task.depends_on_past
    assert task.on_failure_callback == [print]


def test_fail_fast_dag_refuses_rules_that_wait_for_failures() -> None:
    with DAG("d", fail_fast=True), pytest.raises(FailFastDagInvalidTriggerRule, match="all_done"):
        Greet(task_id="a", trigger_rule="all_done")


def test_output_in_a_template_field_makes_a_dependency() -> None:
    with DAG("d"):
        first = Greet(task_id="first")
        second = Greet(task_id="second", name=first.output)
        third = Greet(task_id="third", name={"deep": [first.output["key"]]})
        later = Greet(task_id="later")
        later.name = second.output

    assert second.upstream_task_ids == {"first"}
    assert third.upstream_task_ids == {"first"}
    assert later.upstream_task_ids == {"second"}


def test_output_is_a_template_when_put_into_a_text() -> None:
    with DAG("d"):
        first = Greet(task_id="first")

    assert "xcom_pull(task_ids='first', dag_id='d', key='return_value')" in str(first.output)
    assert "key='other'" in f"{first.output['other']}"
    assert isinstance(XComArg(first), XComArg)  # type: ignore[abstract]


def test_sla_is_accepted_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="deadline"):
        Greet(task_id="a", sla=timedelta(hours=1))


def test_operator_inside_a_running_one_is_noticed() -> None:
    outer = Greet(task_id="outer")
    inner = Greet(task_id="inner")
    strict = Greet(task_id="strict", allow_nested_operators=False)
    token = RUNNING_OPERATOR.set(outer)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            outer.execute({})
        with pytest.warns(UserWarning, match="inside the task 'outer'"):
            inner.execute({})
        with pytest.raises(RuntimeError, match="inside the task 'outer'"):
            strict.execute({})
    finally:
        RUNNING_OPERATOR.reset(token)


def test_signature_has_every_argument_of_airflow() -> None:
    """D2: the arguments that DAG files pass, all by keyword."""
    parameters = inspect.signature(BaseOperator.__init__).parameters
    named = [name for name, parameter in parameters.items() if parameter.kind is inspect.Parameter.KEYWORD_ONLY]

    assert set(named) == {
        "task_id", "owner", "email", "email_on_retry", "email_on_failure", "retries", "retry_delay",
        "retry_exponential_backoff", "max_retry_delay", "retry_policy", "start_date", "end_date", "depends_on_past",
        "ignore_first_depends_on_past", "wait_for_past_depends_before_skipping", "wait_for_downstream", "dag", "params",
        "default_args", "priority_weight", "weight_rule", "queue", "pool", "pool_slots", "sla", "execution_timeout",
        "on_execute_callback", "on_failure_callback", "on_success_callback", "on_retry_callback", "on_skipped_callback",
        "pre_execute", "post_execute", "trigger_rule", "resources", "run_as_user", "map_index_template",
        "max_active_tis_per_dag", "max_active_tis_per_dagrun", "executor", "executor_config", "do_xcom_push",
        "multiple_outputs", "inlets", "outlets", "task_group", "doc", "doc_md", "doc_json", "doc_yaml", "doc_rst",
        "task_display_name", "logger_name", "allow_nested_operators", "render_template_as_native_obj",
    }  # fmt: skip
