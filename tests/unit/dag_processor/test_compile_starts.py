"""What the scheduler learns of tasks that begin with a trigger (E3)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from tradewind.dag_processor.compile import compile_dag
from tradewind.model.dag import StartTrigger, Task
from tradewind.model.dag_json import decode_dag, encode_dag
from tradewind.sdk import DAG, Asset, BaseOperator
from tradewind.sdk.standard.date_time_sensor import DateTimeSensorAsync
from tradewind.sdk.standard.file_sensor import FileSensor
from tradewind.sdk.triggers import StartTriggerArgs

TIME: Final = "2026-01-01T00:00:00+00:00"
BOTH: Final[dict[str, Any]] = {"start_from_trigger": True, "end_from_trigger": True}


class Begins(BaseOperator):
    """Begins with a trigger that gets whatever the test wants."""

    template_fields = ("words",)
    start_from_trigger = True

    def __init__(self, words: Any = None, *, timeout: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.words = words
        given = {"words": words, "plain": "{{ no template field }}"}
        self.start_trigger_args = StartTriggerArgs("p.Bell", "go_on", given, {"kept": 1}, timeout)


class Spoiled(BaseOperator):
    """Its author gave what is no dict."""

    start_from_trigger = True

    def __init__(self, kwargs: Any, next_kwargs: Any, **others: Any) -> None:
        super().__init__(**others)
        self.start_trigger_args = StartTriggerArgs("p.Bell", "go_on", kwargs, next_kwargs)


class OwnWay(Begins):
    """Only its code knows."""

    def expand_start_trigger_args(self, *, context: Any) -> Any:
        return self.start_trigger_args


class Never(BaseOperator):
    """Would begin with a trigger, and names none."""

    start_from_trigger = True


class Unwritable:
    """Has no form in which it could be stored."""


def compiled(make: Callable[[], object], **values: Any) -> Task:
    """The task that is made inside a DAG."""
    with DAG("d", schedule=None, **values) as dag:
        make()
    (task,) = decode_dag(encode_dag(compile_dag(dag))).tasks
    return task


def test_a_trigger_that_gets_plain_values_is_in_the_dag() -> None:
    task = compiled(lambda: Begins(task_id="a", words=["ding"], timeout=timedelta(minutes=1)))

    assert task.starts_from_trigger
    assert task.start_trigger == StartTrigger(
        "p.Bell", "go_on", {"words": ["ding"], "plain": "{{ no template field }}"}, {"kept": 1}, 60.0
    )


@pytest.mark.parametrize("at", [TIME, datetime(2026, 1, 1, tzinfo=UTC)])
def test_the_sensors_of_benchmarks_need_no_code(at: object) -> None:
    task = compiled(lambda: DateTimeSensorAsync(task_id="a", target_time=at, **BOTH))

    assert task.start_trigger is not None
    assert task.start_trigger.next_method == "execute_complete"


@pytest.mark.parametrize(
    "make",
    [
        lambda: Begins(task_id="a", words="{{ ds }}"),
        lambda: Begins(task_id="a", words={"deep": ["{% if x %}"]}),
        lambda: Begins(task_id="a", words=Unwritable()),
        lambda: Begins(task_id="a", outlets=[Asset("said")]),
        lambda: Spoiled(task_id="a", kwargs={}, next_kwargs=[1]),
        lambda: Spoiled(task_id="a", kwargs={}, next_kwargs=[("pairs", 1)]),
        lambda: Spoiled(task_id="a", kwargs=["words"], next_kwargs={}),
        lambda: Spoiled(task_id="a", kwargs={}, next_kwargs={1: 2}),
        lambda: OwnWay(task_id="a"),
        lambda: Begins.partial(task_id="a").expand(words=["ding", "dong"]),
        lambda: DateTimeSensorAsync.partial(task_id="a", **BOTH).expand(target_time=[TIME]),
        lambda: DateTimeSensorAsync.partial(task_id="a", target_time=TIME).expand(start_from_trigger=[True, False]),
    ],
)
def test_what_only_code_can_tell_is_not(make: Callable[[], object]) -> None:
    task = compiled(make)

    assert (task.starts_from_trigger, task.start_trigger) == (True, None)


def test_other_marks_of_templates_need_code() -> None:
    task = compiled(
        lambda: Begins(task_id="a", words="<< ds >>"), jinja_environment_kwargs={"line_comment_prefix": "#"}
    )

    assert (task.starts_from_trigger, task.start_trigger) == (True, None)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Never(task_id="a"),
        lambda: DateTimeSensorAsync(task_id="a", target_time=TIME),
        lambda: FileSensor.partial(task_id="a").expand(filepath=["x"]),
    ],
)
def test_a_task_without_a_trigger_to_begin_with_begins_in_a_worker(make: Callable[[], object]) -> None:
    assert not compiled(make).starts_from_trigger


def test_copies_get_the_arguments_of_triggers_that_they_are_mapped_over() -> None:
    """As in Airflow, whose mapped operators know no other way."""
    with DAG("d", schedule=None):
        mapped = DateTimeSensorAsync.partial(task_id="a", target_time=TIME, **BOTH).expand(trigger_kwargs=[{"n": 1}])

    copy = mapped.unmap({"trigger_kwargs": {"n": 1}})

    assert mapped.start_from_trigger
    assert copy.start_trigger_args is not None
    assert copy.start_trigger_args.trigger_kwargs == {"n": 1}
    assert copy.start_trigger_args.next_method == "execute_complete"
