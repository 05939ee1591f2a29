"""What `run_dag` itself promises: isolation, stand-ins, results, speed."""

import logging
import os
from datetime import timedelta
from typing import Any

import pytest

from tests.instants import utc
from tradewind.dag_processor.compile import CompileError
from tradewind.sdk import DAG, Asset, BaseNotifier, BaseOperator, task
from tradewind.sdk.exceptions import AirflowDagCycleException
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.task_clock import MachineClock, current_clock
from tradewind.sdk.xcom import BaseXCom
from tradewind.testing import run_dag
from tradewind.testing.databases import empty_database

NOW = utc("2026-03-02 12:00")


def counting(calls: list[str]) -> DAG:
    """extract → transform → load; each notes that it was called."""
    with DAG("d", schedule="@daily", start_date=utc("2020-01-01"), catchup=True) as dag:

        @task
        def extract() -> list[int]:
            calls.append("extract")
            return [1]

        @task
        def transform(numbers: list[int]) -> int:
            calls.append("transform")
            return sum(numbers)

        @task
        def load(total: int) -> None:
            calls.append(f"load {total}")

        load(transform(extract()))
    return dag


def test_only_the_run_that_was_asked_for_exists() -> None:
    """Even of a DAG that would have caught up with years."""
    calls: list[str] = []

    result = run_dag(counting(calls), now=NOW).check()

    assert calls == ["extract", "transform", "load 1"]
    assert result.others == []
    assert result.logical_date == NOW
    assert result.run.data_interval is not None


def test_tasks_can_be_given_an_output_in_place_of_being_run() -> None:
    calls: list[str] = []

    result = run_dag(counting(calls), outputs={"extract": [20, 22]}).check()

    assert calls == ["transform", "load 42"]
    assert result["extract"].value == [20, 22]


def test_a_given_output_can_be_mapped_over() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def extract() -> list[int]:
            raise AssertionError("it must not run")

        @task
        def double(number: int) -> int:
            return 2 * number

        double.expand(number=extract())

    assert [copy.value for copy in run_dag(dag, outputs={"extract": [1, 2]}).check().mapped("double")] == [2, 4]


def test_tasks_can_be_marked_in_place_of_being_run() -> None:
    """The whole id has to match: `load` is run."""
    calls: list[str] = []

    result = run_dag(counting(calls), mark_success_pattern="ex.*|transform|loa").check()

    assert calls == ["load None"]
    assert result.states == {"extract": "success", "transform": "success", "load": "success"}


def test_a_dag_runs_though_it_is_paused_and_refuses_manual_runs() -> None:
    with DAG("d", schedule="@daily", is_paused_upon_creation=True, allowed_run_types=["scheduled"]) as dag:
        EmptyOperator(task_id="a")

    assert run_dag(dag).check().run.run_type.value == "scheduled"


def test_tasks_may_name_executors_queues_and_pools_that_exist_only_in_production() -> None:
    with DAG("d", schedule=None) as dag:
        PythonOperator(
            task_id="a",
            python_callable=lambda: 1,
            executor="KubernetesExecutor",
            queue="gpu",
            pool="heavy",
            pool_slots=5,
        )

    assert run_dag(dag).check()["a"].value == 1


def test_limits_of_pools_are_those_of_the_engine() -> None:
    running: list[int] = []
    most: list[int] = []

    def work() -> None:
        running.append(1)
        most.append(len(running))
        current_clock().sleep(10)
        running.pop()

    with DAG("d", schedule=None) as dag:
        for number in range(5):
            PythonOperator(task_id=f"t{number}", python_callable=work, pool="two")

    result = run_dag(dag, pools={"two": 2}).check()

    assert max(most) == 2
    assert result.duration == timedelta(seconds=30)


def test_nothing_of_a_run_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CTX_DAG_ID", "mine")
    with DAG("d", schedule=None) as dag:
        PythonOperator(task_id="a", python_callable=lambda: os.environ["AIRFLOW_CTX_TASK_ID"])
    level, handlers = logging.getLogger().level, list(logging.getLogger().handlers)

    assert run_dag(dag).check()["a"].value == "a"

    names = {name: value for name, value in os.environ.items() if name.startswith("AIRFLOW_CTX_")}
    assert names == {"AIRFLOW_CTX_DAG_ID": "mine"}
    assert (logging.getLogger().level, logging.getLogger().handlers) == (level, handlers)
    assert isinstance(current_clock(), MachineClock)
    with empty_database() as database, database.begin() as tx:
        assert tx.dags.all() == []


def test_the_same_dag_can_be_run_again_and_gives_the_same() -> None:
    class Renders(BaseOperator):
        template_fields = ("text",)

        def __init__(self, text: str, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.text = text

        def execute(self, context: Any) -> str:
            return self.text

    with DAG("d", schedule=None) as dag:
        Renders(task_id="a", text="{{ run_id }}")

    values = [run_dag(dag, run_id=run_id).check()["a"].value for run_id in ("first", "second")]

    assert values == ["first", "second"]


def test_a_test_may_run_a_dag_inside_a_task_of_another() -> None:
    with DAG("inner", schedule=None) as inner:
        PythonOperator(task_id="a", python_callable=lambda: 1)
    with DAG("outer", schedule=None) as outer:
        PythonOperator(task_id="a", python_callable=lambda: run_dag(inner).check()["a"].value + 1)

    assert run_dag(outer).check()["a"].value == 2


def test_logs_have_what_the_task_logged_and_printed_and_nothing_of_others() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def loud() -> None:
            print("printed")  # noqa: T201 - what authors do
            logging.getLogger("mine").info("logged %s", 1)

        @task
        def quiet() -> None:
            pass

        loud() >> quiet()

    result = run_dag(dag).check()

    assert "printed" in result["loud"].log
    assert "INFO mine: logged 1" in result["loud"].log
    assert "printed" not in result["quiet"].log
    assert "--- loud\nprinted" in result.log


def test_results_answer_like_a_run_of_airflow() -> None:
    with DAG("d", schedule=None) as dag:
        PythonOperator.partial(task_id="m").expand(python_callable=[lambda: 1, lambda: 1 / 0])
        EmptyOperator(task_id="e")

    result = run_dag(dag, run_id="r", conf={"a": 1})

    assert (result.get_state(), result.run_id, result.conf) == ("failed", "r", {"a": 1})
    first = result.get_task_instance("m", map_index=0)
    assert first is not None
    assert (first.state, first.xcom_pull(), first.try_number) == ("success", 1, 1)
    assert [ti.name for ti in result.get_task_instances("failed")] == ["m[1]"]
    assert len(result.get_task_instances(["failed", "success"])) == 3
    assert result.get_task_instance("nope") is None


def test_a_backend_of_the_authors_own_keeps_xcoms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__XCOM_BACKEND", f"{__name__}.Elsewhere")
    Elsewhere.kept.clear()

    result = run_dag(counting([])).check()

    assert Elsewhere.kept == {"d/extract": [1], "d/transform": 1}
    assert result["transform"].value == 1


class Elsewhere(BaseXCom):
    """Keeps values in a dict."""

    kept: dict[str, Any] = {}  # noqa: RUF012 - it stands for a bucket

    @staticmethod
    def serialize_value(value: Any, **where: Any) -> Any:
        Elsewhere.kept[f"{where['dag_id']}/{where['task_id']}"] = value
        return f"{where['dag_id']}/{where['task_id']}"

    @staticmethod
    def deserialize_value(result: Any) -> Any:
        return Elsewhere.kept[result.value]


def test_a_dag_that_makes_no_sense_is_refused_at_once() -> None:
    with DAG("circle", schedule=None) as circle:
        first, second = EmptyOperator(task_id="a"), EmptyOperator(task_id="b")
        first >> second >> first
    with DAG("odd", schedule=None) as odd:
        EmptyOperator(task_id="a", outlets=[Asset("a", extra={"x": object()})])  # type: ignore[dict-item]

    with pytest.raises(AirflowDagCycleException):
        run_dag(circle)
    with pytest.raises((CompileError, TypeError, ValueError), match="extra of asset 'a'"):
        run_dag(odd)


def test_notifiers_and_hooks_can_be_watched_with_mocks(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    class Pager(BaseNotifier):
        def notify(self, context: Any) -> None:
            raise AssertionError("a test must not page anybody")

    monkeypatch.setattr(Pager, "notify", lambda _, context: told.append(context["ti"].task_id))
    with DAG("d", schedule=None) as dag:
        PythonOperator(task_id="a", python_callable=lambda: 1 / 0, on_failure_callback=Pager())

    run_dag(dag)

    assert told == ["a"]


def test_hundreds_of_copies_and_a_chain_of_fifty_run() -> None:
    """Measured on two busy cores: 0.22 s for the first run in a process, then 22 to 26 ms for a DAG of one task, 42 to
    47 ms for one of five tasks in three stages, and 1.1 s for this one (3 ms a task). Not asserted: machines differ."""
    with DAG("d", schedule=None) as dag:

        @task
        def many() -> list[int]:
            return list(range(300))

        @task
        def one(number: int) -> int:
            return number

        @task
        def total(numbers: Any) -> int:
            return sum(numbers)

        last: Any = total(one.expand(number=many()))
        for number in range(50):
            following = (
                EmptyOperator(task_id=f"e{number}") if number % 2 else one.override(task_id=f"p{number}")(number)
            )
            last >> following
            last = following

    assert run_dag(dag).check()["total"].value == sum(range(300))
