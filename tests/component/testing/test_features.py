"""What DAGs can do, end to end: each test is a DAG and what becomes of it (D2 D3 D4 issue of authoring, part 6)."""

import asyncio
import time
from datetime import timedelta
from typing import Any

import pytest

from tests.instants import utc
from tradewind.model.task_answers import AssetAliasResult, AssetEventResult, AssetResult
from tradewind.sdk import (
    DAG,
    Asset,
    AssetAlias,
    Label,
    Param,
    TaskGroup,
    Variable,
    get_current_context,
    setup,
    task,
    task_group,
    teardown,
)
from tradewind.sdk.exceptions import AirflowFailException, AirflowSkipException, ParamValidationError
from tradewind.sdk.retry_policy import ExceptionRetryPolicy, RetryAction, RetryRule
from tradewind.sdk.standard.bash import BashOperator
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.latest_only import LatestOnlyOperator
from tradewind.sdk.standard.python import PythonOperator, ShortCircuitOperator
from tradewind.testing import run_dag

MINUTE = timedelta(minutes=1)


def new_dag(dag_id: str = "d", **arguments: Any) -> DAG:
    return DAG(dag_id, schedule=None, **arguments)


def test_values_travel_from_task_to_task() -> None:
    """D2."""
    with new_dag() as dag:

        @task
        def extract() -> list[int]:
            return [1, 2, 3]

        @task(multiple_outputs=True)
        def summarize(numbers: list[int]) -> dict[str, Any]:
            return {"sum": sum(numbers), "count": len(numbers)}

        @task
        def mean(total: int, count: int) -> float:
            return total / count

        summary = summarize(extract())
        mean(summary["sum"], summary["count"])

    result = run_dag(dag).check()

    assert result.values == {"extract": [1, 2, 3], "summarize": {"sum": 6, "count": 3}, "mean": 2.0}
    assert result["summarize"].xcoms["sum"] == 6


def test_a_task_is_mapped_over_what_another_returned() -> None:
    """D3."""
    with new_dag() as dag:

        @task
        def words() -> list[str]:
            return ["a", "b"]

        @task
        def join(word: str, number: int) -> str:
            return f"{word}{number}"

        @task
        def collect(joined: Any) -> list[str]:
            return list(joined)

        collect(join.expand(word=words(), number=[1, 2]))

    result = run_dag(dag).check()

    assert [copy.value for copy in result.mapped("join")] == ["a1", "a2", "b1", "b2"]
    assert result["collect"].value == ["a1", "a2", "b1", "b2"]


def test_outputs_are_zipped_concatenated_and_passed_through_functions() -> None:
    with new_dag() as dag:

        @task
        def letters() -> list[str]:
            return ["a", "b", "c"]

        @task
        def numbers() -> list[int]:
            return [1, 2]

        @task
        def pair(both: tuple[str, int]) -> str:
            return f"{both[0]}{both[1]}"

        @task
        def each(thing: Any) -> Any:
            return thing

        def choosy(thing: Any) -> Any:
            if thing == 2:
                raise AirflowSkipException("not 2")
            return thing

        pair.expand(both=letters().zip(numbers(), fillvalue=0))
        each.expand(thing=letters().concat(numbers()).map(choosy))

    result = run_dag(dag).check()

    assert [copy.value for copy in result.mapped("pair")] == ["a1", "b2", "c0"]
    assert [copy.value for copy in result.mapped("each")] == ["a", "b", "c", 1, None]
    assert result["each[4]"].state == "skipped"


def test_a_group_is_mapped_as_a_whole() -> None:
    with new_dag() as dag:

        @task
        def cities() -> list[str]:
            return ["rome", "oslo"]

        @task
        def load(city: str) -> str:
            return city

        @task
        def tell(city: str) -> str:
            return f"{city}!"

        @task_group
        def per_city(city: str) -> Any:
            return tell(load(city))

        @task
        def all_of_them(told: Any) -> list[str]:
            return sorted(told)

        all_of_them(per_city.expand(city=cities()))

    result = run_dag(dag).check()

    assert result.states["per_city.tell[1]"] == "success"
    assert result["all_of_them"].value == ["oslo!", "rome!"]


def test_nothing_to_map_over_skips_the_task() -> None:
    with new_dag() as dag:

        @task
        def nothing() -> list[int]:
            return []

        @task
        def one(number: int) -> int:
            return number

        one.expand(number=nothing())

    assert run_dag(dag).states == {"nothing": "success", "one": "skipped"}


def test_each_dict_of_a_list_is_the_arguments_of_a_copy() -> None:
    with new_dag() as dag:

        @task
        def add(a: int, b: int) -> int:
            return a + b

        add.expand_kwargs([{"a": 1, "b": 2}, {"a": 3, "b": 4}])
        BashOperator.partial(task_id="echo").expand(bash_command=["echo one", "echo {{ ds }}"])

    result = run_dag(dag).check()

    assert [copy.value for copy in result.mapped("add")] == [3, 7]
    assert result["echo[0]"].value == "one"


def test_a_branch_runs_what_it_chose_and_skips_the_rest() -> None:
    with new_dag() as dag:

        @task.branch
        def choose() -> str:
            return "left.first"

        with TaskGroup("left"):
            EmptyOperator(task_id="first") >> EmptyOperator(task_id="second")
        right = EmptyOperator(task_id="right")
        join = EmptyOperator(task_id="join", trigger_rule="none_failed_min_one_success")
        choose() >> Label("way") >> [dag["left"], right]
        [dag["left"], right] >> join

    assert run_dag(dag).states == {
        "choose": "success",
        "left.first": "success",
        "left.second": "success",
        "right": "skipped",
        "join": "success",
    }


def test_a_short_circuit_skips_everything_behind_it() -> None:
    with new_dag() as dag:
        stop = ShortCircuitOperator(task_id="stop", python_callable=lambda: False)
        stop >> EmptyOperator(task_id="a") >> EmptyOperator(task_id="b", trigger_rule="all_done")

    assert run_dag(dag).states == {"stop": "success", "a": "skipped", "b": "skipped"}


def test_a_branch_inside_a_mapped_group_decides_for_its_own_copy() -> None:
    with new_dag() as dag:

        @task.branch
        def choose(number: int) -> str:
            return "group.even" if number % 2 == 0 else "group.odd"

        @task_group
        def group(number: int) -> None:
            choose(number) >> [EmptyOperator(task_id="even"), EmptyOperator(task_id="odd")]

        group.expand(number=[1, 2])

    states = run_dag(dag).states

    assert (states["group.even[0]"], states["group.odd[0]"]) == ("skipped", "success")
    assert (states["group.even[1]"], states["group.odd[1]"]) == ("success", "skipped")


def test_a_teardown_runs_whatever_became_of_the_work() -> None:
    order: list[str] = []
    with new_dag() as dag:

        @setup
        @task
        def create() -> str:
            order.append("create")
            return "cluster"

        @task
        def work(cluster: str) -> None:
            order.append(f"work on {cluster}")
            raise ValueError("broken")

        @teardown
        @task
        def delete(cluster: str) -> None:
            order.append(f"delete {cluster}")

        cluster = create()
        work(cluster) >> delete(cluster)

    result = run_dag(dag)

    assert order == ["create", "work on cluster", "delete cluster"]
    assert result.states == {"create": "success", "work": "failed", "delete": "success"}
    assert result.state == "failed"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("all_success", "upstream_failed"),
        ("all_done", "success"),
        ("one_failed", "success"),
        ("all_failed", "skipped"),
        ("none_skipped", "success"),
        ("one_success", "success"),
    ],
)
def test_trigger_rules_are_those_of_the_engine(rule: str, expected: str) -> None:
    with new_dag() as dag:
        good = EmptyOperator(task_id="good")
        bad = PythonOperator(task_id="bad", python_callable=lambda: 1 / 0)
        [good, bad] >> EmptyOperator(task_id="after", trigger_rule=rule)

    assert run_dag(dag).states["after"] == expected


# --- failures -------------------------------------------------------------------------------------------------------


def test_a_failed_task_is_tried_again_without_waiting() -> None:
    """D4."""
    told: list[str] = []
    with new_dag() as dag:

        @task(
            retries=3,
            retry_delay=MINUTE,
            retry_exponential_backoff=2,
            on_retry_callback=lambda context: told.append(f"retry {context['ti'].try_number}"),
            on_success_callback=lambda context: told.append(f"success {context['ti'].try_number}"),
        )
        def flaky(ti: Any = None) -> int:
            ti.xcom_push("tried", ti.try_number)
            if ti.try_number < 3:
                raise ValueError("not yet")
            return int(ti.try_number)

        flaky()

    result = run_dag(dag).check()

    assert told == ["retry 1", "retry 2", "success 3"]
    assert result["flaky"].value == 3
    assert [str(attempt.error) for attempt in result["flaky"].attempts] == ["not yet", "not yet", "None"]
    assert timedelta(minutes=3) <= result.duration < timedelta(minutes=7)


def test_a_retry_policy_ends_the_tries_or_chooses_the_delay() -> None:
    policy = ExceptionRetryPolicy(
        [
            RetryRule(PermissionError, RetryAction.FAIL, reason="no rights"),
            RetryRule(ConnectionError, retry_delay=timedelta(hours=1)),
        ]
    )
    with new_dag(default_args={"retries": 2, "retry_policy": policy}) as dag:

        @task
        def forbidden() -> None:
            raise PermissionError

        @task
        def away(ti: Any = None) -> None:
            if ti.try_number == 1:
                raise ConnectionError

        forbidden()
        away()

    result = run_dag(dag)

    assert result.states == {"forbidden": "failed", "away": "success"}
    assert result["forbidden"].try_number == 1
    assert "no rights" in str(result["forbidden"].reason)
    assert result.duration >= timedelta(hours=1)


def test_what_goes_wrong_is_in_the_result() -> None:
    with new_dag() as dag:

        @task(retries=5)
        def broken() -> None:
            print("about to fail")  # noqa: T201 - what authors do
            raise AirflowFailException("hopeless")

        broken()

    result = run_dag(dag)

    assert (result.state, result["broken"].state, result["broken"].try_number) == ("failed", "failed", 1)
    assert "about to fail" in result["broken"].log
    assert "AirflowFailException: hopeless" in result["broken"].log
    with pytest.raises(AssertionError, match=r"(?s)broken: AirflowFailException: hopeless.*about to fail") as failure:
        result.check()
    assert isinstance(failure.value.__cause__, AirflowFailException)


def test_callbacks_of_task_and_dag_are_called_and_may_fail() -> None:
    told: list[str] = []

    def broken_callback(_: Any) -> None:
        raise RuntimeError("the callback itself is broken")

    def tell(context: Any) -> None:
        told.append(f"{context['dag'].dag_id} {context['run_id']} {context['ti'].task_id} {context['reason']}")

    with new_dag(on_failure_callback=[broken_callback, tell], on_success_callback=broken_callback) as dag:

        @task(on_failure_callback=[broken_callback, lambda context: told.append(str(context["exception"]))])
        def bad() -> None:
            raise ValueError("boom")

        bad()

    result = run_dag(dag, run_id="r1")

    assert result.state == "failed"
    assert told[0] == "boom"
    assert told[1].startswith("d r1 bad ")
    assert "the callback itself is broken" in result["bad"].log


def test_a_task_that_sleeps_for_too_long_is_interrupted() -> None:
    killed: list[str] = []

    class Sleeper(PythonOperator):
        def on_kill(self) -> None:
            killed.append(self.task_id)

    with new_dag() as dag:
        Sleeper(
            task_id="slow",
            python_callable=lambda: time.sleep(3600),  # noqa: TID251 - what authors do
            execution_timeout=MINUTE,
        )

        @task(execution_timeout=MINUTE)
        def in_time() -> None:
            time.sleep(59)  # noqa: TID251 - what authors do

        @task(execution_timeout=MINUTE)
        async def also_slow() -> None:
            await asyncio.sleep(61)

        in_time()
        also_slow()

    result = run_dag(dag)

    assert result.states == {"slow": "failed", "in_time": "success", "also_slow": "failed"}
    assert "AirflowTaskTimeout" in str(result["slow"].reason)
    assert "AirflowTaskTimeout" in str(result["also_slow"].reason)
    assert result["slow"].duration == MINUTE
    assert killed == ["slow"]


def test_a_run_that_takes_too_long_fails() -> None:
    with new_dag(dagrun_timeout=timedelta(hours=1)) as dag:
        PythonOperator(task_id="bad", python_callable=lambda: 1 / 0, retries=3, retry_delay=timedelta(minutes=50))

    result = run_dag(dag)

    assert result.state == "failed"
    assert result.duration == timedelta(hours=1)
    assert result["bad"].try_number == 2


# --- context --------------------------------------------------------------------------------------------------------


def test_templates_see_variables_connections_params_and_macros() -> None:
    """D3."""
    with new_dag(params={"n": Param(1, type="integer")}, user_defined_macros={"shout": str.upper}) as dag:
        BashOperator(
            task_id="say",
            bash_command="echo {{ shout(var.value.word) }} {{ var.json.table.rows }} {{ conn.db.host }} {{ params.n }}"
            " {{ macros.ds_add(ds, 1) }}",
        )

    result = run_dag(
        dag,
        logical_date=utc("2026-01-31"),
        conf={"n": 7},
        variables={"word": "hi", "table": {"rows": 5}},
        connections={"db": "postgres://ada:secret@db.example/sales"},
    ).check()

    assert result["say"].value == "HI 5 db.example 7 2026-02-01"
    assert result["say"].rendered["bash_command"] == "echo HI 5 db.example 7 2026-02-01"


def test_params_are_checked_before_the_run_begins() -> None:
    with new_dag(params={"n": Param(1, type="integer"), "must": Param(type="string")}) as dag:
        EmptyOperator(task_id="a")

    with pytest.raises(ParamValidationError, match="must"):
        run_dag(dag)
    with pytest.raises(ParamValidationError, match="n"):
        run_dag(dag, conf={"n": "x", "must": "be"})
    assert run_dag(dag, conf={"must": "be"}).state == "success"


def test_variables_that_a_task_sets_are_found_by_the_next() -> None:
    with new_dag() as dag:

        @task
        def write() -> None:
            Variable.set("seen", [1, 2], serialize_json=True)

        @task
        def read() -> Any:
            assert get_current_context()["task"].task_id == "read"
            return Variable.get("seen", deserialize_json=True)

        write() >> read()

    assert run_dag(dag).check()["read"].value == [1, 2]


def test_the_environment_answers_for_what_the_test_does_not_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_VAR_PLACE", "here")
    with new_dag() as dag:
        BashOperator(task_id="say", bash_command="echo {{ var.value.place }} $AIRFLOW_CTX_TASK_ID")

    assert run_dag(dag).check()["say"].value == "here say"


def test_assets_that_tasks_update_are_in_the_result_and_seen_by_later_tasks() -> None:
    table, alias = Asset("table"), AssetAlias("any")
    with new_dag() as dag:

        @task(outlets=[table, alias])
        def write(outlet_events: Any = None) -> None:
            outlet_events[table].extra = {"rows": 3}
            outlet_events[alias].add(Asset("found"), extra={"how": "luck"})

        @task(inlets=[table, alias])
        def read(inlet_events: Any = None) -> list[Any]:
            return [inlet_events[table][-1].extra["rows"], inlet_events[alias][0].asset.uri]

        write() >> read()

    result = run_dag(dag).check()

    assert [(event.asset.name, event.extra) for event in result.outlet_events] == [
        ("table", {"rows": 3}),
        ("found", {"how": "luck"}),
    ]
    assert result["read"].value == [3, "found"]


def test_tasks_see_what_happened_to_assets_before_the_test() -> None:
    table = AssetResult(name="table", uri="s3://bucket/table")
    alias = AssetAliasResult("any")
    first, second = utc("2026-01-01"), utc("2026-01-02")
    before = [
        AssetEventResult(asset=table, timestamp=second, extra={"n": 2}, source_aliases=(alias,), source_task_id="load"),
        AssetEventResult(asset=table, timestamp=first, extra={"n": 1}),
    ]
    with new_dag() as dag:

        @task(inlets=[Asset("table", "s3://bucket/table"), AssetAlias("any")])
        def read(inlet_events: Any = None) -> list[Any]:
            by_time = [event.extra["n"] for event in inlet_events[Asset("table", "s3://bucket/table")]]
            return [by_time, [event.extra["n"] for event in inlet_events[AssetAlias("any")]]]

        read()

    result = run_dag(dag, asset_events=before).check()

    assert result["read"].value == [[1, 2], [2]]
    assert result.outlet_events == []


def test_a_run_may_be_caused_by_assets() -> None:
    table = Asset("table")
    event = AssetEventResult(asset=AssetResult(name="table", uri="table"), timestamp=utc("2026-01-01"), extra={"n": 1})
    with DAG("d", schedule=[table]) as dag:

        @task
        def look(triggering_asset_events: Any = None) -> Any:
            return triggering_asset_events[table][0].extra["n"]

        look()

    result = run_dag(dag, logical_date=None, triggering_asset_events=[event]).check()

    assert result["look"].value == 1
    assert result.logical_date is None


def test_state_that_a_task_keeps_outlives_its_tries() -> None:
    with new_dag() as dag:

        @task(retries=1)
        def counts(task_state_store: Any = None, ti: Any = None) -> int:
            seen = task_state_store.get("seen", 0) + 1
            task_state_store.set("seen", seen)
            if ti.try_number == 1:
                raise ValueError
            return int(seen)

        counts()

    assert run_dag(dag).check()["counts"].value == 2


def test_dates_of_the_run_decide_what_runs() -> None:
    with new_dag() as dag:
        LatestOnlyOperator(task_id="latest") >> EmptyOperator(task_id="behind")

    assert run_dag(dag).states == {"latest": "success", "behind": "success"}
