"""A task that starts a run of another DAG (`DagRunTriggerException`), and may wait for it."""

import logging
from importlib import import_module
from typing import Any, Final

from tradewind.sdk.exceptions import AirflowException, AirflowSkipException, DagRunTriggerException, TaskDeferred
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.task_clock import current_clock
from tradewind.sdk.task_instance import RuntimeTaskInstance

log = logging.getLogger(__name__)

TRIGGERED_RUN_KEY: Final = "trigger_run_id"
"""The XCom under which the task leaves the id of the run; the link of `TriggerDagRunOperator` reads it."""


class RunRequestFailed(AirflowException):
    """The run cannot be started, or did not end as it should. The same request would fail again."""


def carry_out(request: DagRunTriggerException, ti: RuntimeTaskInstance) -> None:
    """Start the run, and wait for it if asked to. Raises what the task shall end with, if not with success."""
    log.info("Starting run %s of DAG %s", request.dag_run_id, request.trigger_dag_id)
    is_new = current_runtime().trigger_dag_run(
        request.trigger_dag_id,
        request.dag_run_id,
        logical_date=request.logical_date,
        run_after=request.run_after,
        conf=request.conf,
        reset_dag_run=request.reset_dag_run,
        note=request.note,
    )
    if not is_new:
        message = f"DAG {request.trigger_dag_id!r} already has a run {request.dag_run_id!r}"
        raise AirflowSkipException(message) if request.skip_when_already_exists else RunRequestFailed(message)
    # Before waiting: whoever looks at the task while it waits follows the link.
    ti.xcom_push(TRIGGERED_RUN_KEY, request.dag_run_id)
    if not request.wait_for_completion:
        return
    if request.deferrable:
        raise TaskDeferred(trigger=_trigger(request), method_name="execute_complete")
    _wait(request)


def _trigger(request: DagRunTriggerException) -> Any:
    # Few tasks need it, and with it comes an event loop.
    trigger = import_module("tradewind.sdk.standard.external_task_triggers").DagStateTrigger
    return trigger(
        dag_id=request.trigger_dag_id,
        states=[*request.allowed_states, *request.failed_states],
        run_ids=[request.dag_run_id],
        execution_dates=None if request.logical_date is None else [request.logical_date],
        poll_interval=request.poke_interval,
    )


def _wait(request: DagRunTriggerException) -> None:
    clock = current_clock()
    while True:
        log.info("Waiting for run %s of DAG %s", request.dag_run_id, request.trigger_dag_id)
        clock.sleep(request.poke_interval)
        state = current_runtime().get_dag_run_state(request.trigger_dag_id, request.dag_run_id)
        if state in request.failed_states:
            raise RunRequestFailed(f"run {request.dag_run_id!r} of DAG {request.trigger_dag_id!r} ended {state}")
        if state in request.allowed_states:
            log.info("Run %s of DAG %s ended %s", request.dag_run_id, request.trigger_dag_id, state)
            return
