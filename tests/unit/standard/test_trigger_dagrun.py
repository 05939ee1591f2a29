"""Starting runs of other DAGs (D2)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.instants import utc
from tests.unit.standard.running import LOGICAL_DATE, answering, context_of
from tradewind.model.task_answers import DagResult
from tradewind.sdk import DAG, DagRunState
from tradewind.sdk.exceptions import AirflowException, DagRunTriggerException
from tradewind.sdk.standard import openlineage_parent
from tradewind.sdk.standard.exceptions import DagIsPaused
from tradewind.sdk.standard.trigger_dagrun import TriggerDagRunOperator
from tradewind.testing.clock import FakeClock


def trigger(**kwargs: Any) -> TriggerDagRunOperator:
    """Start the DAG `other`."""
    with DAG("starting"):
        return TriggerDagRunOperator(**{"task_id": "start", "trigger_dag_id": "other", **kwargs})


def asked(**kwargs: Any) -> DagRunTriggerException:
    """What the task asks for."""
    task = trigger(**kwargs)
    with pytest.raises(DagRunTriggerException) as asked_for:
        task.execute(context_of(task))
    return asked_for.value


def test_without_dates_the_run_is_for_now(clock: FakeClock) -> None:
    run = asked()

    assert (run.trigger_dag_id, run.dag_run_id) == ("other", "manual__2026-03-02T12:00:00+00:00")
    assert (run.logical_date, run.run_after) == (utc("2026-03-02 12:00"), None)
    assert (run.conf, run.note, run.deferrable) == (None, None, False)
    assert (run.reset_dag_run, run.skip_when_already_exists, run.wait_for_completion) == (False, False, False)
    assert (run.allowed_states, run.failed_states, run.poke_interval) == (["success"], ["failed"], 60)


def test_everything_the_author_said_is_asked_for() -> None:
    run = asked(
        trigger_run_id="mine",
        conf={"table": "orders"},
        logical_date="2026-03-01T00:00:00+00:00",
        run_after=datetime(2026, 3, 4, tzinfo=UTC),
        reset_dag_run=True,
        wait_for_completion=True,
        poke_interval=5,
        allowed_states=["success", DagRunState.FAILED],
        failed_states=[],
        skip_when_already_exists=True,
        note="by request",
        deferrable=True,
    )

    assert vars(run) == {
        "trigger_dag_id": "other",
        "dag_run_id": "mine",
        "conf": {"table": "orders"},
        "logical_date": utc("2026-03-01"),
        "run_after": utc("2026-03-04"),
        "reset_dag_run": True,
        "skip_when_already_exists": True,
        "wait_for_completion": True,
        "allowed_states": ["success", "failed"],
        "failed_states": [],
        "poke_interval": 5,
        "deferrable": True,
        "note": "by request",
    }


def test_runs_without_a_logical_date_have_names_of_their_own(clock: FakeClock) -> None:
    later = datetime(2026, 3, 4, tzinfo=UTC)

    one, two = asked(run_after=later), asked(run_after=later)
    undated = asked(logical_date=None)

    assert one.logical_date is None
    assert one.run_after == later
    assert one.dag_run_id.startswith("manual__2026-03-04T00:00:00+00:00_")
    assert one.dag_run_id != two.dag_run_id
    assert undated.logical_date is None
    assert undated.dag_run_id.startswith("manual__2026-03-02T12:00:00+00:00_")


def test_conf_may_come_as_text_from_a_template() -> None:
    assert asked(conf='{"a": 1}').conf == {"a": 1}


@pytest.mark.parametrize("conf", ["{", {"a": object()}])
def test_conf_that_is_no_json_is_refused(conf: Any) -> None:
    task = trigger(conf=conf)

    with pytest.raises(ValueError, match="conf of task 'start' must be JSON"):
        task.execute(context_of(task))


def test_dates_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="run_after of task 'start' must be a datetime, a text or None, not int"):
        trigger(run_after=5)
    task = trigger(logical_date=5)
    with pytest.raises(TypeError, match="logical_date of task 'start'"):
        task.execute(context_of(task))


def test_a_paused_dag_can_be_refused() -> None:
    task = trigger(fail_when_dag_is_paused=True)

    with (
        answering(dags={"other": DagResult(dag_id="other", is_paused=True)}),
        pytest.raises(DagIsPaused, match="DAG 'other' is paused"),
    ):
        task.execute(context_of(task))
    with answering(), pytest.raises(AirflowException, match="no DAG 'other'"):
        task.execute(context_of(task))
    with (
        answering(dags={"other": DagResult(dag_id="other", is_paused=False)}),
        pytest.raises(DagRunTriggerException),
    ):
        task.execute(context_of(task))


def test_the_link_to_the_run_is_left_as_an_xcom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__API__BASE_URL", "https://flows.example/")
    task = trigger(trigger_run_id="mine")
    context = context_of(task)

    with pytest.raises(DagRunTriggerException):
        task.execute(context)

    assert context["ti"].pushed == {"_link_TriggerDagRunLink": "https://flows.example/dags/other/runs/mine"}


def test_after_waiting_in_the_triggerer_a_failed_run_fails_the_task() -> None:
    task = trigger()
    event = ("path", {"run_ids": ["mine"], "mine": "failed"})

    with pytest.raises(AirflowException, match="run mine of DAG 'other' ended in a state of failed_states"):
        task.execute_complete(context_of(task), event)

    task.execute_complete(context_of(task), ("path", {"run_ids": ["mine"], "mine": "success"}))
    assert task.trigger_run_id == "mine"


def test_the_parent_is_told_to_openlineage_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    parent = {"parentRunId": "id", "parentJobName": "starting.start"}
    monkeypatch.setattr(openlineage_parent, "_parent_of", lambda ti: parent)

    assert asked(conf={"a": 1}).conf == {"a": 1, "openlineage": parent}
    assert asked(conf={"openlineage": {"parentRunId": "x"}}).conf == {"openlineage": {"parentRunId": "x"}}
    assert asked(conf={"a": 1}, openlineage_inject_parent_info=False).conf == {"a": 1}


def test_trouble_in_openlineage_does_not_keep_the_run_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(ti: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(openlineage_parent, "_parent_of", fail)

    assert asked(conf={"a": 1}).conf == {"a": 1}


def test_a_date_may_be_a_template(clock: FakeClock) -> None:
    task = trigger(logical_date="{{ logical_date }}")
    context = context_of(task)

    task.render_template_fields(context)
    with pytest.raises(DagRunTriggerException) as run:
        task.execute(context)

    assert run.value.logical_date == LOGICAL_DATE
