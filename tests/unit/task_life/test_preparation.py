"""What happens before a task is executed: its copy, its arguments, its templates, its params (D3)."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tests.unit.task_life.attempts import DAY, Calls, attempt, one_task
from tradewind.model.task import Failed, Skipped, Succeeded
from tradewind.model.task_answers import InactiveAssetResult
from tradewind.sdk import task
from tradewind.sdk.assets import Asset
from tradewind.sdk.dags import DAG
from tradewind.sdk.exceptions import AirflowSkipException
from tradewind.sdk.param import Param
from tradewind.sdk.xcom import BaseXCom


def test_templates_are_rendered_in_a_copy_of_the_task() -> None:
    seen: list[Any] = []
    text = ["{{ ds }}", {"{{ run_id }}": "{{ params.n + 1 }}"}]
    dag = one_task(lambda context: seen.append(context["task"].text), text=text, params={"n": 1})

    done = attempt(dag)

    assert seen == [["2026-01-31", {"{{ run_id }}": "2"}]]
    assert done.runtime.rendered == {"text": ["2026-01-31", {"{{ run_id }}": "2"}]}
    original: Any = dag.get_task("t")
    assert original.text is text
    assert done.life.ti.task is not original


def test_a_template_may_be_in_a_file_beside_the_dag(tmp_path: Path) -> None:
    (tmp_path / "query.sql").write_text("select {{ 1 + 1 }}\n")
    dag = one_task(text="query.sql", dag={"template_searchpath": str(tmp_path)})

    assert attempt(dag).runtime.rendered == {"text": "select 2"}


def test_a_missing_template_file_fails_the_task() -> None:
    failed = attempt(one_task(text="nowhere.sql"))

    assert isinstance(failed.report, Failed)
    assert str(failed.report.reason).startswith("TemplateNotFound: 'nowhere.sql' not found in search path")


def test_shown_fields_hide_secrets_and_end_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__MAX_TEMPLATED_FIELD_LENGTH", "25")

    class Holds:
        def __str__(self) -> str:
            return "x" * 30

    def shown(text: Any) -> Any:
        return attempt(one_task(text=text)).runtime.rendered["text"]

    assert shown({"password": "hush"}) == {"password": "***"}
    assert shown([1, (2,), {3}]) == [1, [2], [3]]
    assert shown(Holds()) == "x" * 25 + "… (cut off after 25 characters: [core] max_templated_field_length)"


def test_a_mapped_task_gets_the_arguments_of_its_index() -> None:
    with DAG("d", schedule=None) as dag:
        Calls.partial(task_id="t", call=lambda context: context["task"].text).expand(text=["a {{ ds }}", "b"])

    first = attempt(dag, map_index=0, map_length=2)

    assert first.xcoms["return_value"] == "a 2026-01-31"
    assert first.life.ti.get_template_context()["expanded_ti_count"] == 2
    assert attempt(dag, map_index=1).xcoms["return_value"] == "b"


def test_what_other_tasks_returned_is_no_template() -> None:
    """Data of one task must not be able to read the secrets of another."""
    runtime = MemoryRuntime()
    runtime.xcoms[("d", "r", "above", "return_value")] = {-1: ["{{ 1 + 1 }}"]}
    with DAG("d", schedule=None) as dag:
        above = Calls(task_id="above")
        Calls.partial(task_id="t", call=lambda context: context["task"].text).expand(text=above.output)

        @task
        def same(text: str) -> str:
            return text

        same.expand(text=above.output)

    assert attempt(dag, map_index=0, runtime=runtime).xcoms["return_value"] == "{{ 1 + 1 }}"
    assert runtime.rendered["text"] == "{{ 1 + 1 }}"
    attempt(dag, "same", map_index=0, runtime=runtime)
    assert runtime.xcoms[("d", "r", "same", "return_value")] == {0: "{{ 1 + 1 }}"}


def test_a_function_that_elements_pass_through_may_skip_a_copy() -> None:
    def choosy(element: str) -> str:
        if element == "b":
            raise AirflowSkipException("b is not wanted")
        return element.upper()

    runtime = MemoryRuntime()
    runtime.xcoms[("d", "r", "above", "return_value")] = {-1: ["a", "b"]}
    with DAG("d", schedule=None) as dag:
        above = Calls(task_id="above")
        mapped = Calls.partial(task_id="t", call=lambda context: context["task"].text)
        mapped.expand(text=above.output.map(choosy))

    assert isinstance(attempt(dag, map_index=0, runtime=runtime).report, Succeeded)
    skipped = attempt(dag, map_index=1, runtime=runtime).report
    assert isinstance(skipped, Skipped)
    assert skipped.reason == "b is not wanted"


def test_a_mapped_instance_has_a_name_from_before_and_after_it_ran() -> None:
    names: list[Any] = []

    def call(context: Any) -> None:
        names.append(context["ti"].rendered_map_index)
        context["city"] = "Rome"

    with DAG("d", schedule=None) as dag:
        Calls.partial(task_id="t", call=call, map_index_template="{{ task.text }}").expand(text=["a"])
        Calls.partial(task_id="u", call=call, map_index_template="{{ city }}").expand(text=["a"])

    early, late = attempt(dag, map_index=0), attempt(dag, "u", map_index=0)

    assert names == ["a", None]
    assert early.runtime.rendered["map_index"] == "a"
    assert late.runtime.rendered["map_index"] == "Rome"


def test_the_conf_of_the_run_wins_over_params_of_task_and_dag(monkeypatch: pytest.MonkeyPatch) -> None:
    dag = one_task(lambda context: context["params"], params={"b": 2, "c": 2}, dag={"params": {"a": 1, "b": 1, "c": 1}})

    assert attempt(dag, run={"conf": {"c": 3}}).xcoms["return_value"] == {"a": 1, "b": 2, "c": 3}
    monkeypatch.setenv("TRADEWIND__CORE__DAG_RUN_CONF_OVERRIDES_PARAMS", "false")
    assert attempt(dag, run={"conf": {"c": 3}}).xcoms["return_value"] == {"a": 1, "b": 2, "c": 2}


def test_a_wrong_param_fails_the_task_and_tells_the_author() -> None:
    told: list[Any] = []
    dag = one_task(
        params={"n": Param(1, type="integer")},
        on_failure_callback=lambda context: told.append((context["ti"].task_id, str(context["exception"]))),
    )

    failed = attempt(dag, run={"conf": {"n": "many"}})

    assert isinstance(failed.report, Failed)
    assert "Invalid input for param n" in str(failed.report.reason)
    assert told[0][0] == "t"


def test_an_asset_that_no_dag_declares_any_more_fails_the_task_for_good() -> None:
    class Forgotten(MemoryRuntime):
        def get_inactive_assets(self) -> list[InactiveAssetResult]:
            return [InactiveAssetResult(name="old", uri="s3://old")]

    failed = attempt(one_task(outlets=[Asset("old")]), runtime=Forgotten(), has_tries_left=True).report

    assert isinstance(failed, Failed)
    assert failed.may_retry is False
    assert "Asset(name='old', uri='s3://old')" in str(failed.reason)


def test_what_earlier_tries_pushed_is_removed_through_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__XCOM_BACKEND", f"{__name__}.Purges")
    runtime = MemoryRuntime()
    runtime.xcoms[("d", "r", "t", "old")] = {-1: "elsewhere/1"}
    Purges.purged.clear()

    done = attempt(one_task(lambda _: "new"), runtime=runtime, xcoms_to_clear=("old",))

    assert Purges.purged == ["elsewhere/1"]
    assert done.xcoms == {"return_value": "stored new"}


class Purges(BaseXCom):
    """A backend of the author's own."""

    purged: list[Any] = []  # noqa: RUF012 - looked at by the test

    @classmethod
    def purge(cls, xcom: Any, *args: Any) -> None:
        cls.purged.append(xcom.value)

    @staticmethod
    def serialize_value(value: Any, **_: Any) -> Any:
        return f"stored {value}"


def test_a_run_without_a_date_has_no_dates_in_templates() -> None:
    undated = attempt(one_task(text="{{ ds }}"), run={"logical_date": None}).report

    assert isinstance(undated, Failed)
    assert undated.reason == "UndefinedError: 'ds' is undefined"
    assert attempt(one_task(text="{{ logical_date }}")).runtime.rendered["text"] == str(DAY)


class Answer(BaseModel):
    """What a task returns."""

    text: str


class Models(Calls):
    """Declares the class of its output."""

    deserialization_allowed_class_fields = ("output_type",)

    def __init__(self, *, output_type: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.output_type = output_type


def test_classes_that_an_operator_declares_can_be_read_back_by_others(caplog: pytest.LogCaptureFixture) -> None:
    class Local(BaseModel):
        """Cannot be imported."""

    with DAG("d", schedule=None) as dag:
        Models(task_id="above", call=lambda _: [Answer(text="yes")], output_type=list[Answer] | Local)
        Calls(task_id="t", call=lambda context: context["ti"].xcom_pull("above")[0].text)
    runtime = MemoryRuntime()

    attempt(dag, "above", runtime=runtime)

    assert attempt(dag, runtime=runtime).runtime.xcoms[("d", "r", "t", "return_value")] == {-1: "yes"}
    assert "task 'above' declares a class that cannot be read back" in caplog.text
