"""The running task instance and its context (D3)."""

import asyncio
import datetime as dt
from typing import Any
from uuid import UUID

import pendulum
import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import DagRunResult, PreviousTIResult, PrevSuccessfulDagRunResult
from tradewind.sdk import context_sources
from tradewind.sdk.assets import Asset
from tradewind.sdk.context import KNOWN_CONTEXT_KEYS, Context
from tradewind.sdk.dags import DAG
from tradewind.sdk.exceptions import XComNotFound
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.runtime import use_runtime
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.task_group_decorator import task_group
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.sdk.xcom import BaseXCom
from tradewind.sdk.xcom_sequence import LazyXComSequence

DAY = dt.datetime(2026, 1, 31, tzinfo=dt.UTC)


class Speaks(BaseOperator):
    """Has a template field."""

    template_fields = ("words",)

    def __init__(self, words: Any = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.words = words


class RemembersRuns(MemoryRuntime):
    """Was asked for other runs."""

    def __init__(self) -> None:
        super().__init__()
        self.questions_about: list[tuple[Any, ...]] = []

    def get_previous_successful_dag_run(self) -> PrevSuccessfulDagRunResult:
        self.questions_about.append(("previous success",))
        return PrevSuccessfulDagRunResult(start_date=DAY, data_interval_end=DAY)

    def get_previous_dag_run(
        self, dag_id: str, *, logical_date: dt.datetime, state: str | None = None
    ) -> DagRunResult | None:
        self.questions_about.append((dag_id, logical_date, state))
        return None

    def get_previous_task_instance(
        self,
        dag_id: str,
        task_id: str,
        *,
        logical_date: dt.datetime | None = None,
        map_index: int = -1,
        state: str | None = None,
    ) -> PreviousTIResult | None:
        self.questions_about.append((dag_id, task_id, logical_date, map_index, state))
        return None

    def get_first_reschedule_date(self) -> dt.datetime | None:
        return DAY


def dag(**arguments: Any) -> DAG:
    return DAG("d", schedule=None, **arguments)


def running(task: Any, *, map_index: int = -1, **run: Any) -> RuntimeTaskInstance:
    """A task that runs in run r."""
    given: dict[str, Any] = {"logical_date": DAY, "data_interval_start": DAY, "data_interval_end": DAY, **run}
    return RuntimeTaskInstance(
        id=UUID(int=1),
        dag_id="d",
        task_id=task.task_id,
        run_id="r",
        try_number=2,
        task=task,
        dag_run=DagRunResult(dag_id="d", run_id="r", run_after=DAY, run_type="manual", state="running", **given),
        start_date=DAY,
        map_index=map_index,
    )


def push(task_id: str, value: Any, *, key: str = "return_value", map_index: int = -1, run_id: str = "r") -> None:
    BaseXCom.set(key, value, dag_id="d", run_id=run_id, task_id=task_id, map_index=map_index)


@pytest.fixture
def ti(runtime: MemoryRuntime) -> RuntimeTaskInstance:
    """One without a map index."""
    with dag():
        return running(Speaks(task_id="t"))


def test_what_a_task_pushes_others_pull(ti: RuntimeTaskInstance) -> None:
    ti.xcom_push("k", (1,))
    push("a", 1)
    push("b", 2)

    assert ti.xcom_pull(key="k") == (1,)
    assert ti.xcom_pull("a") == 1
    assert ti.xcom_pull(["b", "a"]) == [2, 1]
    assert ti.xcom_pull(["a"]) == [1]
    assert ti.xcom_pull("nope") is None
    assert ti.xcom_pull("nope", default="x") == "x"
    assert ti.xcom_pull(["a", "nope"]) == [1, None]


def test_mapped_task_is_pulled_as_a_list_or_by_index(ti: RuntimeTaskInstance) -> None:
    for index in range(3):
        push("m", index, map_index=index)

    assert ti.xcom_pull("m") == [0, 1, 2]
    assert ti.xcom_pull("m", map_indexes=1) == 1
    assert ti.xcom_pull("m", map_indexes=[2, 0, 9], default="x") == [2, 0, "x"]
    assert ti.xcom_pull(["m"], map_indexes=1) == [1]
    assert ti.xcom_pull("m", map_indexes=None) == 0
    with pytest.raises(TypeError, match="map_indexes"):
        ti.xcom_pull("m", map_indexes="1")  # type: ignore[arg-type]


def test_mapped_task_with_a_single_copy_is_pulled_as_a_list(runtime: MemoryRuntime) -> None:
    with dag():
        Speaks.partial(task_id="m").expand(words=["a"])
        below = Speaks(task_id="below")
    push("m", "only", map_index=0)
    push("below", "own")

    assert running(below).xcom_pull("m") == ["only"]
    assert running(below).xcom_pull("below") == "own"


def test_mapped_task_pulls_what_its_own_index_pushed(runtime: MemoryRuntime) -> None:
    with dag():
        mapped = Speaks.partial(task_id="m").expand(words=["a", "b"])
    for index in range(2):
        push("m", f"job {index}", key="job", map_index=index)

    assert running(mapped, map_index=1).xcom_pull(key="job") == "job 1"
    assert running(mapped, map_index=1).xcom_pull("m", key="job") == ["job 0", "job 1"]


def test_other_runs_are_pulled_from_if_named(ti: RuntimeTaskInstance) -> None:
    push("a", "earlier", run_id="q")

    assert ti.xcom_pull("a") is None
    assert ti.xcom_pull("a", run_id="q") == "earlier"
    assert ti.xcom_pull("a", map_indexes=-1, include_prior_dates=True) == "earlier"


def test_coroutines_push_and_pull(ti: RuntimeTaskInstance) -> None:
    async def use() -> Any:
        await ti.axcom_push("k", 5)
        return await ti.axcom_pull(key="k")

    assert asyncio.run(use()) == 5


def test_output_of_a_task_is_its_value(runtime: MemoryRuntime) -> None:
    with dag():
        above, below = Speaks(task_id="above"), Speaks(task_id="below")
    push("above", {"a": 1})
    push("above", 5, key="k")

    ti = running(below)

    assert ti.pull_output(above) == {"a": 1}
    assert ti.pull_output(above, "k") == 5
    with pytest.raises(XComNotFound, match="pushed no XCom with the key 'other'"):
        ti.pull_output(above, "other")


def test_task_that_returned_nothing_gives_none(runtime: MemoryRuntime) -> None:
    with dag():
        above, below = Speaks(task_id="above", multiple_outputs=True), Speaks(task_id="below")

    assert running(below).pull_output(above) is None
    assert running(below).pull_output(above, "k") is None


def test_output_of_a_mapped_task_is_a_sequence(runtime: MemoryRuntime) -> None:
    with dag():
        above = Speaks.partial(task_id="above").expand(words=["a", "b"])
        below = Speaks(task_id="below")
    for index in range(2):
        push("above", index, map_index=index)

    output = running(below).pull_output(above)

    assert isinstance(output, LazyXComSequence)
    assert output == [0, 1]


def test_tasks_of_one_mapped_group_see_the_output_of_their_own_index(runtime: MemoryRuntime) -> None:
    with dag():

        @task_group
        def group(words: str) -> Any:
            inner = Speaks(task_id="inner", words=words)
            inner >> Speaks(task_id="next")
            return inner.output

        group.expand(words=["a", "b"])
        outside = Speaks(task_id="outside")
    tasks = outside.dag.task_dict if outside.dag is not None else {}
    for index in range(2):
        push("group.inner", f"of {index}", map_index=index)

    assert running(tasks["group.next"], map_index=1).pull_output(tasks["group.inner"]) == "of 1"
    assert running(outside).pull_output(tasks["group.inner"]) == ["of 0", "of 1"]


def test_context_has_dates_params_and_accessors(runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_sources, "_sources", [])
    with dag(params={"a": 1, "b": 2}):
        task = Speaks(task_id="t", params={"b": 3}, outlets=[Asset("one")])

    context = running(task, conf={"a": 5}).get_template_context()

    assert set(context) <= KNOWN_CONTEXT_KEYS
    assert (context["ds"], context["ds_nodash"]) == ("2026-01-31", "20260131")
    assert context["ts"] == "2026-01-31T00:00:00+00:00"
    assert (context["ts_nodash"], context["ts_nodash_with_tz"]) == ("20260131T000000", "20260131T000000+0000")
    assert isinstance(context["logical_date"], pendulum.DateTime)
    assert context["task_instance_key_str"] == "d__t__20260131"
    assert dict(context["params"]) == {"a": 5, "b": 3}
    context["asset_state_store"].set("k", 1)
    context["task_state_store"].set("k", 2)
    assert (runtime.asset_states, runtime.task_states) == ({"one": {"k": 1}}, {"k": 2})


def test_run_without_a_logical_date_has_no_dates_of_data(ti: RuntimeTaskInstance) -> None:
    with dag():
        context = running(Speaks(task_id="t"), logical_date=None).get_template_context()

    assert {"ds", "ts", "logical_date", "data_interval_end", "asset_state_store"}.isdisjoint(context)
    assert context["task_instance_key_str"] == "d__t__r"


def test_context_is_always_the_same_object(ti: RuntimeTaskInstance) -> None:
    assert ti.get_template_context() is ti.get_template_context()


def test_previous_run_is_asked_for_once_and_only_when_used() -> None:
    runtime = RemembersRuns()
    with dag():
        task = Speaks(task_id="t", words="{{ prev_start_date_success | ds }}")

    def function(**context: Any) -> Any:
        return context["prev_data_interval_end_success"]

    with use_runtime(runtime):
        ti = running(task)
        late = function(**ti.get_template_context())
        assert runtime.questions_about == []

        ti.render_templates()

        assert task.words == "2026-01-31"
        assert (late, str(late), late.day) == (DAY, str(pendulum.instance(DAY)), 31)
        assert late - dt.timedelta(days=1) < late <= DAY
        assert ti.get_template_context()["prev_end_date_success"] is None
        assert ti.get_template_context().get("prev_data_interval_start_success", "x") is None
        assert runtime.questions_about == [("previous success",)]


def test_templates_of_the_task_are_rendered(runtime: MemoryRuntime) -> None:
    runtime.variables["place"] = "here"
    with dag():
        words = "{{ ds }} {{ var.value.place }} {{ ti.try_number }} {{ params.x }}"
        task = Speaks(task_id="t", words=words, params={"x": 7})

    assert running(task).render_templates() is task

    assert task.words == "2026-01-31 here 2 7"


def test_other_runs_are_asked_for() -> None:
    runtime = RemembersRuns()
    with dag():
        ti = running(Speaks(task_id="t"))
        undated = running(Speaks(task_id="u"), logical_date=None)

    with use_runtime(runtime):
        ti.get_previous_dagrun("success")
        ti.get_previous_ti(state=TaskInstanceState.FAILED)
        assert undated.get_previous_dagrun() is None
        assert ti.get_first_reschedule_date(Context(task_reschedule_count=0)) is None
        assert ti.get_first_reschedule_date(Context(task_reschedule_count=1)) == DAY
        assert ti.get_ti_count("d") == 0
        assert ti.get_task_states("d") == {}
        assert ti.get_dr_count("d") == 0
        assert ti.get_dagrun_state("d", "r") is None
        assert ti.get_task_breadcrumbs("d", "r") == []
        found = ti.get_dag("d")

    assert found is not None
    assert not found.is_paused
    assert runtime.questions_about == [("d", DAY, "success"), ("d", "t", DAY, -1, "failed")]


def test_addresses_and_tags(ti: RuntimeTaskInstance, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__API__BASE_URL", "http://here/")
    with dag():
        mapped = running(Speaks(task_id="m"), map_index=3, team_name="blue")

    assert ti.log_url == "http://here/dags/d/runs/r/tasks/t?try_number=2"
    assert mapped.mark_success_url == "http://here/dags/d/runs/r/tasks/m/mapped/3?try_number=2"
    assert ti.stats_tags == {"dag_id": "d", "task_id": "t"}
    assert mapped.stats_tags["team_name"] == "blue"
    assert mapped.key == ("d", "m", "r", 2, 3)
    assert mapped.key.with_try_number(5).primary == ("d", "m", "r", 3)
    assert ti.logical_date == DAY
