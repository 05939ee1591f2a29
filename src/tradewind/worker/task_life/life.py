"""One attempt of one task, from its context to its outcome.

`run` gives the outcome, which the host reports; `finish` does what follows for the author: links, callbacks, e-mail. It
comes after the report, so that a callback that hangs or dies changes nothing.
"""

import logging
import os
from collections.abc import MutableMapping, Sequence
from dataclasses import replace
from typing import Any, cast

from tradewind.model.assignment import Assignment
from tradewind.model.attempt_end import Deferral
from tradewind.sdk.asset_events import ConsumedAssetEvents
from tradewind.sdk.context import Context, set_current_context
from tradewind.sdk.dags import DAG
from tradewind.sdk.exceptions import (
    AirflowRescheduleException,
    AirflowSkipException,
    DagRunTriggerException,
    DownstreamTasksSkipped,
    TaskAwaitingInput,
    TaskDeferred,
)
from tradewind.sdk.runtime import Runtime, use_runtime
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.task_clock import current_clock
from tradewind.sdk.task_instance import RuntimeTaskInstance
from tradewind.sdk.timezone import coerce_datetime
from tradewind.sdk.xcom import resolve_xcom_backend
from tradewind.worker.task_life.alert_email import send_alert
from tradewind.worker.task_life.callbacks import run_callbacks
from tradewind.worker.task_life.execution import execute, kill
from tradewind.worker.task_life.extra_links import push_extra_links
from tradewind.worker.task_life.failure import failure_of, log_failure
from tradewind.worker.task_life.forked_copy import end_copy
from tradewind.worker.task_life.listeners import (
    Listeners,
    tell_ended,
    tell_running,
    tell_starting,
    tell_stopping,
)
from tradewind.worker.task_life.outcome import Failure, Outcome, Reschedule, Skip, Success, state_after
from tradewind.worker.task_life.outlets import outlet_events
from tradewind.worker.task_life.plain_text import plain_text
from tradewind.worker.task_life.preparation import prepare, show_map_index, show_rendered_fields
from tradewind.worker.task_life.result import push_result
from tradewind.worker.task_life.run_request import RunRequestFailed, carry_out
from tradewind.worker.task_life.time_limit import TimeLimit, alarm
from tradewind.worker.task_life.waiting import deferral_of, first_deferral, input_awaited

log = logging.getLogger(__name__)


class TaskLife:
    """Runs one attempt.

    `environment` is where programs that the task starts find out whose they are. With `clears_state`, what a task
    stored for its later tries goes when it succeeds.
    """

    def __init__(
        self,
        dag: DAG,
        assignment: Assignment,
        runtime: Runtime,
        *,
        environment: MutableMapping[str, str],
        limit: TimeLimit = alarm,
        listeners: Listeners | None = None,
        clears_state: bool = False,
    ) -> None:
        self._assignment = assignment
        self._runtime = runtime
        self._environment = environment
        self._limit = limit
        self._listeners = listeners
        self._clears_state = clears_state
        self._pid = os.getpid()
        self.ti = _task_instance(dag, assignment)
        self._context: Context | None = None
        self._is_prepared = False

    def run(self) -> Outcome:
        """Carry the attempt out."""
        with use_runtime(self._runtime):
            try:
                tell_starting(self._listeners)
                return self._work()
            except BaseException as error:  # whatever user code raises becomes an outcome
                self._end_if_copy(error)
                return self._ended_by(error)

    def first_wait(self) -> Deferral | None:
        """What the task waits for before it has a worker; `None`: it begins in one. Raises whatever its code raises."""
        with use_runtime(self._runtime):
            self._clear_xcoms()
            self._context = context = self.ti.unfinished_context()
            with set_current_context(context):
                return first_deferral(prepare(self.ti, context), context)

    def rehearse(self) -> Outcome:
        """Render the template fields of the task and let people see them, without executing it."""
        with use_runtime(self._runtime):
            try:
                self._context = context = self.ti.unfinished_context()
                with set_current_context(context):
                    prepare(self.ti, context)
                return Success()
            except Exception as error:  # a template may do whatever it likes
                return self._ended_by(error)

    def finish(self, outcome: Outcome) -> None:
        """What follows the report. Nothing that goes wrong here changes the outcome."""
        self.ti.end_date = current_clock().now()
        self.ti.state = state_after(outcome)
        with use_runtime(self._runtime), set_current_context(self._known_context()) as context:
            if self._is_prepared:
                push_extra_links(self.ti.task, self.ti)
                if self.ti.task.overwrite_rtif_after_execution:
                    show_rendered_fields(self.ti.task)
            self._tell(outcome, context)
            tell_ended(self._listeners, self.ti, outcome)
            tell_stopping(self._listeners)

    def kill(self) -> None:
        """The task is told to stop: let it end what it started elsewhere. May be called from a signal handler."""
        if self._is_prepared:
            kill(self.ti.task)

    def _work(self) -> Outcome:
        self._clear_xcoms()
        self._context = context = self.ti.unfinished_context()
        with set_current_context(context):
            task = prepare(self.ti, context)
            self._is_prepared = True
            if self._assignment.next_method is None and (deferral := first_deferral(task, context)) is not None:
                return deferral
            tell_running(self._listeners, self.ti)
            try:
                result = execute(task, context, self._assignment, limit=self._limit, environment=self._environment)
            finally:
                # A mapped task may set in its context what its name is made of, also one that fails.
                show_map_index(self.ti, context, has_run=True)
            self._end_if_copy(None)
            return self._succeeded(map_length=push_result(result, task, self.ti))

    def _end_if_copy(self, error: BaseException | None) -> None:
        if os.getpid() != self._pid:
            end_copy(error)

    def _clear_xcoms(self) -> None:
        for key in self._assignment.xcoms_to_clear:
            resolve_xcom_backend().delete(key, self.ti.task_id, self.ti.dag_id, self.ti.run_id, self.ti.map_index)

    def _succeeded(self, *, map_length: int | None = None, skips: tuple[str, ...] = ()) -> Success:
        context = self._known_context()
        if self._clears_state:
            context["task_state_store"].clear()
        events = outlet_events(self.ti.task.outlets, context["outlet_events"])
        return Success(map_length=map_length, skips=skips, outlet_events=events)

    def _ended_by(self, error: BaseException) -> Outcome:
        """What an exception, or a signal in the form of one, means."""
        try:
            with set_current_context(self._known_context()):
                return self._outcome_of(error)
        except BaseException as another:  # such as a trigger that cannot be serialized
            another.__cause__ = another.__cause__ or error
            return self._failed(another)

    def _outcome_of(self, error: BaseException) -> Outcome:
        match error:
            case TaskDeferred():
                return deferral_of(error, self.ti.task, current_clock().now() - self._assignment.started_at)
            case TaskAwaitingInput():
                return input_awaited(error)
            case AirflowSkipException():
                log.info("Skipped: %s", error)
                return Skip(plain_text(str(error)) or "the task asked to be skipped")
            case AirflowRescheduleException():
                return Reschedule(coerce_datetime(error.reschedule_date))
            case DownstreamTasksSkipped():
                return self._succeeded(skips=_skipped_tasks(error.tasks, self.ti.map_index))
            case DagRunTriggerException():
                return self._requested_run(error)
            case _:
                return self._failed(error)

    def _requested_run(self, request: DagRunTriggerException) -> Outcome:
        try:
            carry_out(request, self.ti)
        except BaseException as error:
            return self._outcome_of(error)
        return self._succeeded()

    def _failed(self, error: BaseException) -> Failure:
        log_failure(error)
        return failure_of(
            error,
            self.ti,
            self._context,
            has_tries_left=self._assignment.has_tries_left,
            is_final=isinstance(error, RunRequestFailed),
        )

    def _tell(self, outcome: Outcome, context: Context) -> None:
        task: Any = self.ti.task
        match outcome:
            case Success():
                run_callbacks("on_success_callback", task.on_success_callback, context)
            case Skip():
                run_callbacks("on_skipped_callback", task.on_skipped_callback, context)
            case Failure():
                context["exception"] = outcome.error
                kind = "on_retry_callback" if outcome.will_retry else "on_failure_callback"
                run_callbacks(kind, getattr(task, kind), context)
                if task.email_on_retry if outcome.will_retry else task.email_on_failure:
                    send_alert(task, context, outcome.error)
            case _:
                pass  # it goes on later

    def _known_context(self) -> Context:
        """The context; where it cannot be built (a param is wrong), as much of it as callbacks need."""
        if self._context is None:
            ti = self.ti
            known = {"dag": ti.task.dag, "dag_run": ti.dag_run, "task": ti.task, "ti": ti, "task_instance": ti}
            self._context = cast("Context", {**known, "run_id": ti.run_id, "try_number": ti.try_number})
        return self._context


def _task_instance(dag: DAG, assignment: Assignment) -> RuntimeTaskInstance:
    run = assignment.dag_run
    if run.has_too_many_asset_events:
        run = replace(run, consumed_asset_events=ConsumedAssetEvents())
    task = dag.get_task(assignment.task_id)
    return RuntimeTaskInstance(
        id=assignment.id,
        dag_id=run.dag_id,
        task_id=assignment.task_id,
        run_id=run.run_id,
        try_number=assignment.try_number,
        task=task,
        dag_run=run,
        start_date=assignment.started_at,
        map_index=assignment.map_index,
        max_tries=assignment.max_tries,
        dag_version_id=assignment.dag_version_id,
        hostname=assignment.hostname,
        state=TaskInstanceState.RUNNING,
        is_mapped=bool(task.is_mapped),
        task_reschedule_count=assignment.reschedule_count,
        expanded_ti_count=assignment.map_length,
    )


def _skipped_tasks(tasks: Sequence[str | tuple[str, int]], own_index: int) -> tuple[str, ...]:
    """The ids. Inside a mapped group the engine skips those of the same map index only, so the index is left out."""
    ids: dict[str, None] = {}
    for task in tasks:
        task_id, index = task if isinstance(task, tuple) else (task, own_index)
        if index not in (own_index, -1):
            raise ValueError(f"map index {own_index} cannot skip map index {index} of task {task_id!r}, only its own")
        ids[task_id] = None
    return tuple(ids)
