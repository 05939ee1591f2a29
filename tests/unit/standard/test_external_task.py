"""Waiting for other DAGs (D2)."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.unit.standard.running import LOGICAL_DATE, answering, context_of, run_of
from tradewind.model.task_answers import DagResult
from tradewind.sdk import DAG
from tradewind.sdk.exceptions import AirflowException, AirflowSkipException, TaskDeferred
from tradewind.sdk.operator_link import TaskInstanceKey
from tradewind.sdk.server_exceptions import AirflowProviderDeprecationWarning
from tradewind.sdk.standard.exceptions import (
    DuplicateStateError,
    ExternalDagFailedError,
    ExternalDagNotFoundError,
    ExternalTaskFailedError,
    ExternalTaskGroupFailedError,
    ExternalTaskNotFoundError,
)
from tradewind.sdk.standard.external_task import ExternalDagLink, ExternalTaskMarker, ExternalTaskSensor
from tradewind.sdk.standard.external_task_triggers import WorkflowTrigger


def sensor(**kwargs: Any) -> ExternalTaskSensor:
    """Wait for something of the DAG `other`."""
    with DAG("waiting"):
        return ExternalTaskSensor(**{"task_id": "wait", "external_dag_id": "other", **kwargs})


RUN = run_of("other", state="success")


def poke(task: ExternalTaskSensor, states: dict[str, str | None] | None = None, **answers: Any) -> bool:
    """Look once; the other DAG's run has these tasks."""
    with answering(**{"runs": [RUN], "task_states": {RUN.run_id: states or {}}, **answers}):
        return task.poke(context_of(task))


def test_a_run_at_the_same_logical_date_is_waited_for() -> None:
    assert poke(sensor()) is True
    assert poke(sensor(), runs=[run_of("other", state="running")]) is False
    assert poke(sensor(), runs=[run_of("other", LOGICAL_DATE - timedelta(days=1), state="success")]) is False
    assert poke(sensor(), runs=[]) is False


@pytest.mark.parametrize(
    ("states", "done"),
    [
        ({"load": "success", "check": "success"}, True),
        ({"load": "success", "check": "running"}, False),
        ({"load": "success", "check": None}, False),
        ({"load": "success"}, False),
        ({"load_0": "success", "load_1": "success", "check": "success"}, True),
        ({"load_0": "success", "load_1": "failed", "check": "success"}, False),
    ],
)
def test_all_tasks_are_waited_for_also_every_copy_of_mapped_ones(states: dict[str, str | None], done: bool) -> None:
    assert poke(sensor(external_task_ids=["load", "check"]), states) is done


@pytest.mark.parametrize(
    ("states", "done"),
    [({"g.a": "success", "g.b": "success"}, True), ({"g.a": "success", "g.b": "running"}, False), ({}, False)],
)
def test_all_tasks_of_a_group_are_waited_for(states: dict[str, str | None], done: bool) -> None:
    assert poke(sensor(external_task_group_id="g"), states, groups={"g": ["g.a", "g.b"]}) is done


@pytest.mark.parametrize(
    ("arguments", "states", "error"),
    [
        ({"external_task_id": "load"}, {"load": "failed"}, ExternalTaskFailedError),
        ({"external_task_ids": ["load", "check"]}, {"load": "running", "check": "failed"}, ExternalTaskFailedError),
        ({"external_task_group_id": "g"}, {"g.a": "failed", "g.b": "upstream_failed"}, ExternalTaskGroupFailedError),
        ({"external_task_id": "load", "soft_fail": True}, {"load": "failed"}, AirflowSkipException),
    ],
)
def test_a_failed_state_ends_the_wait(arguments: Any, states: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="reached a state of failed_states"):
        poke(sensor(failed_states=["failed"], **arguments), states, groups={"g": ["g.a", "g.b"]})


def test_a_failed_run_and_a_skipped_task_end_the_wait() -> None:
    with pytest.raises(ExternalDagFailedError):
        poke(sensor(failed_states=["failed"]), runs=[run_of("other", state="failed")])
    with pytest.raises(AirflowSkipException):
        poke(sensor(external_task_id="load", skipped_states=["skipped"]), {"load": "skipped"})


def test_another_date_can_be_waited_for() -> None:
    yesterday = LOGICAL_DATE - timedelta(days=1)
    runs = [run_of("other", LOGICAL_DATE, state="running"), run_of("other", yesterday, state="success")]

    def day_before(logical_date: datetime, ds: str) -> datetime:
        assert ds == "2026-03-02"
        return logical_date - timedelta(days=1)

    assert poke(sensor(execution_delta=timedelta(days=1)), runs=runs) is True
    assert poke(sensor(execution_date_fn=day_before), runs=runs) is True
    assert poke(sensor(execution_date_fn=lambda date: [date, date - timedelta(days=1)]), runs=runs) is False


def test_a_run_without_a_logical_date_waits_for_when_it_was_due() -> None:
    task = sensor()
    mine = run_of("waiting", None, run_id="manual", run_after=LOGICAL_DATE)

    with answering(runs=[RUN]):
        assert task.poke(context_of(task, mine)) is True

    assert task.external_dates_filter == "2026-03-02T00:00:00+00:00"


def test_a_dag_that_does_not_exist_can_be_noticed() -> None:
    with pytest.raises(ExternalDagNotFoundError, match="no DAG 'other'"):
        poke(sensor(check_existence=True))
    assert poke(sensor(check_existence=True), dags={"other": DagResult(dag_id="other", is_paused=False)}) is True


def test_a_deferrable_sensor_leaves_it_to_a_trigger() -> None:
    task = sensor(external_task_id="load", deferrable=True, failed_states=["failed"], poke_interval=7, timeout=600)

    with answering(), pytest.raises(TaskDeferred) as deferred:
        task.execute(context_of(task))

    trigger = deferred.value.trigger
    assert isinstance(trigger, WorkflowTrigger)
    assert trigger.serialize()[1] == {
        "external_dag_id": "other",
        "run_ids": None,
        "logical_dates": [LOGICAL_DATE],
        "external_task_ids": ["load"],
        "external_task_group_id": None,
        "failed_states": ["failed"],
        "skipped_states": [],
        "allowed_states": ["success"],
        "poke_interval": 7.0,
        "soft_fail": False,
    }
    assert (deferred.value.method_name, deferred.value.timeout) == ("execute_complete", timedelta(seconds=600))


@pytest.mark.parametrize(
    ("event", "options", "error"),
    [
        ({"status": "skipped"}, {}, AirflowSkipException),
        ({"status": "failed"}, {}, ExternalDagFailedError),
        ({"status": "failed"}, {"soft_fail": True}, AirflowSkipException),
        ({"status": "?"}, {}, ExternalTaskNotFoundError),
        (None, {}, ExternalTaskNotFoundError),
    ],
)
def test_the_trigger_decides_how_it_ends(event: Any, options: dict[str, Any], error: type[AirflowException]) -> None:
    task = sensor(**options)

    with pytest.raises(error):
        task.execute_complete(context_of(task), event)


def test_the_trigger_can_bring_success() -> None:
    task = sensor()

    task.execute_complete(context_of(task), {"status": "success"})


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"allowed_states": ["success"], "failed_states": ["success"]}, DuplicateStateError, "same state in two"),
        ({"external_task_id": "a", "external_task_ids": ["b"]}, ValueError, "only one of external_task_id"),
        ({"external_task_id": "a", "external_task_group_id": "g"}, ValueError, "only one of external_task_id"),
        ({"execution_delta": timedelta(1), "execution_date_fn": print}, ValueError, "both execution_delta and"),
        ({"failed_states": ["skipped"]}, ValueError, "states \\['skipped'\\], but DAG runs have only"),
        ({"external_task_id": "a", "failed_states": ["sucess"]}, ValueError, "but tasks have only"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        sensor(**arguments)


def test_the_same_task_twice_is_refused_when_it_is_known() -> None:
    with pytest.raises(ValueError, match="same task id twice"):
        poke(sensor(external_task_ids=["a", "a"]))


def test_the_old_name_of_the_interval_is_understood() -> None:
    with pytest.warns(AirflowProviderDeprecationWarning, match="use poke_interval"):
        assert sensor(poll_interval=5).poke_interval == 5


def test_a_marker_names_what_is_cleared_with_it() -> None:
    with DAG("waiting"):
        marker = ExternalTaskMarker(task_id="mark", external_dag_id="other", external_task_id="load")
        fixed = ExternalTaskMarker(
            task_id="fixed", external_dag_id="other", external_task_id="load", logical_date=LOGICAL_DATE
        )

    assert marker.logical_date == "{{ logical_date.isoformat() }}"
    assert fixed.logical_date == "2026-03-02T00:00:00+00:00"
    assert marker.recursion_depth == 10
    assert marker.inherits_from_empty_operator


def test_a_marker_that_makes_no_sense_is_refused() -> None:
    with DAG("waiting"):
        with pytest.raises(TypeError, match="must be a datetime or a text"):
            ExternalTaskMarker(task_id="a", external_dag_id="o", external_task_id="t", logical_date=None)
        with pytest.raises(ValueError, match="at least 1, not 0"):
            ExternalTaskMarker(task_id="b", external_dag_id="o", external_task_id="t", recursion_depth=0)


def test_the_link_leads_to_the_other_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__API__BASE_URL", "https://flows.example/team")

    link = ExternalDagLink().get_link(sensor(), ti_key=TaskInstanceKey("waiting", "wait", "run 1"))

    assert link == "https://flows.example/team/dags/other/runs/run%201"
