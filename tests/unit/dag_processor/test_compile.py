"""SDK objects become the model's values, and nothing that the author said is lost."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.unit.sdk.test_operators import Greet
from tradewind.api.public.shown_dags import shown_params
from tradewind.dag_processor.compile import CompileError, compile_dag
from tradewind.dag_processor.compile.values import exact
from tradewind.model.asset import AllAssets, AssetRef
from tradewind.model.dag import CallbackEvent, CallbackRef, EdgeLabel, Retry
from tradewind.model.dag_check import InvalidDag
from tradewind.model.dag_json import decode_dag, encode_dag, structure_hash
from tradewind.model.mapping import FixedLength, OutputLength
from tradewind.model.states import RunType, TaskRole, TriggerRule, WeightRule
from tradewind.model.timetable import AssetTriggered, CronTrigger
from tradewind.sdk import (
    DAG,
    Asset,
    AsyncCallback,
    DeadlineAlert,
    DeadlineReference,
    Label,
    Param,
    TaskGroup,
    setup,
    task,
    task_group,
    teardown,
)
from tradewind.sdk.standard.empty import EmptyOperator

START = datetime(2026, 1, 1, tzinfo=UTC)


def notify(context: Any) -> None: ...


def full_dag() -> DAG:
    with DAG(
        "full",
        description="All of it",
        schedule="0 6 * * *",
        start_date=START,
        end_date=START + timedelta(days=9),
        catchup=True,
        max_active_tasks=3,
        max_active_runs=2,
        max_consecutive_failed_dag_runs=4,
        dagrun_timeout=timedelta(hours=1),
        allowed_run_types=["manual", "scheduled"],
        on_failure_callback=notify,
        is_paused_upon_creation=False,
        dag_display_name="Voll",
        doc_md="# doc",
        owner_links={"me": "mailto:me@example.com"},
        tags=["b", "a"],
        params={"n": Param(1, type="integer", minimum=0), "a": 2},
        render_template_as_native_obj=True,
        disable_bundle_versioning=True,
        default_args={"owner": "me"},
    ) as dag:
        with TaskGroup("g", tooltip="tip"):
            first = Greet(
                task_id="first",
                name="{{ ds }}",
                retries=2,
                retry_delay=10,
                retry_exponential_backoff=3,
                max_retry_delay=100,
                pool="p",
                pool_slots=2,
                priority_weight=7,
                weight_rule="absolute",
                queue="q",
                executor="e",
                execution_timeout=timedelta(minutes=5),
                on_success_callback=[notify],
                inlets=[Asset("in")],
                outlets=[Asset("out", "s3://bucket/out")],
                max_active_tis_per_dag=1,
                max_active_tis_per_dagrun=2,
                depends_on_past=True,
                task_display_name="Erste",
                doc="text",
                executor_config={"cpu": 1},
                run_as_user="somebody",
                pre_execute=notify,
                params={"t": 5},
            )
        second = EmptyOperator(task_id="second", trigger_rule="all_done")
        first >> Label("then") >> second
    return dag


def test_everything_about_the_dag_is_there() -> None:
    compiled = compile_dag(full_dag())

    assert compiled.timetable == CronTrigger("0 6 * * *", "UTC")
    assert (compiled.start_at, compiled.end_at, compiled.catchup) == (START, START + timedelta(days=9), True)
    assert (compiled.max_active_tasks, compiled.max_active_runs, compiled.max_consecutive_failed_runs) == (3, 2, 4)
    assert compiled.run_timeout_s == 3600
    assert compiled.allowed_run_types == (RunType.MANUAL, RunType.SCHEDULED)
    assert compiled.callbacks == (CallbackRef(CallbackEvent.FAILURE, "notify"),)
    assert (compiled.is_paused_upon_creation, compiled.display_name, compiled.doc) == (False, "Voll", "# doc")
    assert not compiled.pins_bundle_version
    assert (compiled.tags, compiled.owner_links) == (("a", "b"), (("me", "mailto:me@example.com"),))
    assert compiled.edge_labels == (EdgeLabel("g.first", "second", "then"),)
    assert compiled.groups[0].tooltip == "tip"
    params: Any = compiled.params
    assert params["n"]["value"] == 1
    assert list(shown_params({"a": params["a"], "n": params["n"]})) == ["n", "a"], "not in the order of the author"
    details: Any = compiled.details
    assert details["render_template_as_native_obj"] is True
    assert details["default_args"] == {"owner": "me"}


def test_everything_about_a_task_is_there() -> None:
    first, second = compile_dag(full_dag()).tasks

    assert (first.task_id, first.group_id, first.operator) == ("g.first", "g", "Greet")
    assert first.retry == Retry(2, 10.0, 3.0, 100.0)
    assert (first.pool, first.pool_slots, first.priority_weight) == ("p", 2, 7)
    assert (first.weight_rule, first.queue, first.executor) == (WeightRule.ABSOLUTE, "q", "e")
    assert (first.max_active_per_dag, first.max_active_per_run, first.execution_timeout_s) == (1, 2, 300.0)
    assert first.callbacks == (CallbackRef(CallbackEvent.SUCCESS, "notify"),)
    assert first.outlets == (AssetRef("out", "s3://bucket/out"),)
    assert (first.depends_on_past, first.display_name, first.doc, first.owner) == (True, "Erste", "text", "me")
    details: Any = first.details
    assert details["arguments"] == {"name": "{{ ds }}"}
    assert (details["executor_config"], details["run_as_user"]) == ({"cpu": 1}, "somebody")
    assert set(details["params"]) == {"n", "a", "t"}
    assert details["pre_execute"] == "notify"
    assert (second.upstream, second.trigger_rule, second.is_empty) == (("g.first",), TriggerRule.ALL_DONE, True)


def test_document_is_read_back_and_its_text_does_not_change() -> None:
    text = encode_dag(compile_dag(full_dag()))

    assert decode_dag(text) == compile_dag(full_dag())
    assert structure_hash(text) == structure_hash(encode_dag(compile_dag(full_dag())))


def test_roles_and_mapping_are_compiled() -> None:
    @setup
    def start() -> None: ...

    @teardown
    def stop() -> None: ...

    @task
    def numbers() -> list[int]:
        return [1]

    @task
    def use(n: Any) -> None: ...

    @task_group
    def each(n: Any) -> None:
        use(n)

    with DAG("d") as dag:
        made = numbers()
        start() >> made >> use.expand(n=made) >> stop()
        each.expand(n=[1, 2, 3])
    compiled = {one.task_id: one for one in compile_dag(dag).tasks}

    assert (compiled["start"].role, compiled["stop"].role) == (TaskRole.SETUP, TaskRole.TEARDOWN)
    assert compiled["use"].mapping == OutputLength("numbers")
    assert compile_dag(dag).groups[0].mapping == FixedLength(3)
    details: Any = compiled["use"].details
    assert details["mapped"]["kind"] == "dict-of-lists"


def test_schedule_of_assets_is_an_expression() -> None:
    compiled = compile_dag(DAG("d", schedule=[Asset("a"), Asset("b")]))

    assert isinstance(compiled.timetable, AssetTriggered)
    assert isinstance(compiled.assets, AllAssets)


def test_empty_operator_with_somebody_to_call_is_not_empty() -> None:
    class Busy(EmptyOperator):
        def execute(self, context: Any) -> str:
            return "work"

    with DAG("d") as dag:
        EmptyOperator(task_id="called", on_success_callback=notify)
        EmptyOperator(task_id="produces", outlets=[Asset("a")])
        Busy(task_id="busy")
        EmptyOperator(task_id="empty")

    assert [one.is_empty for one in compile_dag(dag).tasks] == [False, False, False, True]


def test_deadlines_are_there() -> None:
    alert = DeadlineAlert(
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=timedelta(minutes=5),
        callback=AsyncCallback("package.module.function", kwargs={"a": 1}),
        name="late",
    )
    details: Any = compile_dag(DAG("d", deadline=alert)).details

    assert len(details["deadlines"]) == 1
    assert "package.module.function" in str(details["deadlines"])
    assert "late" in str(details["deadlines"])


def test_method_of_a_builtin_type_has_a_name() -> None:
    dag = DAG("d", schedule=None, user_defined_macros={"shout": str.upper})

    assert compile_dag(dag).details == {"user_defined_macros": {"shout": "<builtins.str.upper>"}}


def test_object_in_a_template_field_is_shown_without_its_address() -> None:
    class Thing:
        pass

    with DAG("d") as dag:
        Greet(task_id="a", name=[Thing(), notify, {1, 2}, timedelta(seconds=5), float("inf")])
    details: Any = compile_dag(dag).tasks[0].details

    assert details["arguments"]["name"][2:] == [[1, 2], "0:00:05", "inf"]
    assert "0x" not in str(details)


def test_value_that_cannot_be_stored_is_named_with_its_task() -> None:
    with DAG("d") as dag:
        one = Greet(task_id="a", params={"when": 1})
    one.params.get_param("when").schema["const"] = timedelta

    with pytest.raises(CompileError, match=re.escape("task 'a', params['when']['schema']['const'] is <class")):
        compile_dag(dag)


def test_keys_are_written_as_json_writes_them_and_others_are_refused() -> None:
    assert exact({2: "two", None: "none", False: "no"}, "x") == {"2": "two", "null": "none", "false": "no"}
    with pytest.raises(CompileError, match=re.escape("x has the key (1, 2)")):
        exact({(1, 2): "pair"}, "x")


def test_contradiction_is_refused() -> None:
    with DAG("d") as dag:
        Greet(task_id="a", start_date=START, end_date=START - timedelta(days=1))

    with pytest.raises(InvalidDag, match="before it starts"):
        compile_dag(dag)
