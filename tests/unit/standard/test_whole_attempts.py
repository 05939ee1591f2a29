"""Standard operators as task life runs them: with a real context, rendered, mapped to what the engine is told (D2)."""

import sys
from typing import Any

import pytest

from tests.unit.task_life.attempts import attempt
from tradewind.model.task import Deferred, Failed, Rescheduled, Skipped, Succeeded
from tradewind.sdk import DAG, task
from tradewind.sdk.standard.bash import BashOperator
from tradewind.sdk.standard.date_time_sensor import DateTimeSensorAsync
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.external_python import ExternalPythonOperator
from tradewind.sdk.standard.file_sensor import FileSensor
from tradewind.sdk.standard.trigger_dagrun import TriggerDagRunOperator


def everything(**context: Any) -> Any:
    return {"keys": sorted(context), "conf": context["dag_run"].conf, "next": context["logical_date"].add(days=1)}


def test_a_function_elsewhere_gets_the_real_context() -> None:
    with DAG("d", schedule=None, params={"limit": 3}) as dag:
        ExternalPythonOperator(task_id="t", python=sys.executable, python_callable=everything)

    done = attempt(dag, run={"conf": {"table": "orders"}})

    assert isinstance(done.report, Succeeded), done.report
    value = str(done.xcoms["return_value"])
    for expected in ("orders", "'dag_run'", "'params'", "'run_id'", "2026-02-01"):
        assert expected in value


def test_the_result_of_a_command_is_pushed() -> None:
    with DAG("d", schedule=None) as dag:
        BashOperator(task_id="t", bash_command="echo {{ ds }} $AIRFLOW_CTX_DAG_ID")

    assert attempt(dag).xcoms["return_value"] == "2026-01-31 d"


@pytest.mark.parametrize(
    ("command", "report"), [("exit 99", Skipped), ("exit 1", Failed), ("echo {{ undefined_name }}", Failed)]
)
def test_a_command_ends_as_its_exit_code_says(command: str, report: type[Any]) -> None:
    with DAG("d", schedule=None) as dag:
        BashOperator(task_id="t", bash_command=command)

    assert isinstance(attempt(dag).report, report)


def test_what_a_branch_decided_against_reaches_the_engine() -> None:
    with DAG("d", schedule=None) as dag:

        @task.branch
        def t() -> str:
            return "left"

        t() >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]

    report = attempt(dag).report

    assert isinstance(report, Succeeded)
    assert report.skips == ("right",)


def test_a_sensor_frees_its_worker_or_leaves_it_to_a_trigger(tmp_path: Any) -> None:
    with DAG("d", schedule=None) as dag:
        FileSensor(task_id="again", filepath=f"{tmp_path}/x", mode="reschedule")
        FileSensor(task_id="away", filepath=f"{tmp_path}/x", deferrable=True)
        DateTimeSensorAsync(task_id="from_the_start", target_time="{{ ds }}", start_from_trigger=True)

    assert isinstance(attempt(dag, "again").report, Rescheduled)
    assert isinstance(attempt(dag, "away").report, Deferred)
    assert isinstance(attempt(dag, "from_the_start").report, Deferred)


def test_a_run_is_started_and_linked() -> None:
    with DAG("d", schedule=None) as dag:
        TriggerDagRunOperator(task_id="t", trigger_dag_id="other", trigger_run_id="mine", conf={"a": "{{ ds }}"})

    done = attempt(dag)

    assert isinstance(done.report, Succeeded), done.report
    assert done.xcoms["trigger_run_id"] == "mine"
    assert done.xcoms["_link_TriggerDagRunLink"].endswith("/dags/other/runs/mine")


def test_a_run_that_was_not_started_has_no_link() -> None:
    with DAG("d", schedule=None) as dag:
        TriggerDagRunOperator(task_id="t", trigger_dag_id="other", conf={"a": object()})

    done = attempt(dag)

    assert isinstance(done.report, Failed)
    assert done.xcoms["_link_TriggerDagRunLink"] == ""
