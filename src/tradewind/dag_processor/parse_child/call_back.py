"""Calls callbacks of a DAG, or of a task that ended without a worker, in the child that has just imported the file, and
tells listeners.

Of such a task it sends the e-mail too, and looks up the links of its operator.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final
from uuid import UUID

from tradewind.dag_processor.parse_child.asking import AfterwardsRuntime, AskingRuntime
from tradewind.dag_processor.parse_child.explain import explain
from tradewind.dag_processor.protocol import CallbackCall, ParseRequest, Problem
from tradewind.model.dag import CallbackEvent
from tradewind.sdk.context import set_current_context
from tradewind.sdk.dags import DAG
from tradewind.sdk.exceptions import AirflowException
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.task_instance import RuntimeTaskInstance

_MAIL_OPTIONS: Final = {CallbackEvent.FAILURE: "email_on_failure", CallbackEvent.RETRY: "email_on_retry"}
_STATES: Final = {
    CallbackEvent.FAILURE: TaskInstanceState.FAILED,
    CallbackEvent.RETRY: TaskInstanceState.UP_FOR_RETRY,
    CallbackEvent.SUCCESS: TaskInstanceState.SUCCESS,
    CallbackEvent.SKIPPED: TaskInstanceState.SKIPPED,
}


@dataclass(slots=True)
class Called:
    """What came of it."""

    problems: list[Problem] = field(default_factory=list)
    links: list[tuple[str, Any]] = field(default_factory=list)


def call_back(
    call: CallbackCall, request: ParseRequest, dags: Sequence[DAG], roots: Sequence[str], asking: AskingRuntime
) -> Called:
    """Call what the author has registered. Each is called, whatever the others raise; returns what they raised."""
    dag = dag_of(call, dags)
    if dag is None:
        return Called([Problem("the file has no such DAG any more, so nobody was called", call.run.dag_id)])
    owner: Any = dag
    if call.is_of_task:
        if call.task_id not in dag.task_dict:
            return Called([Problem(f"the DAG has no task {call.task_id!r} any more, so nobody was called", dag.dag_id)])
        owner = dag.get_task(str(call.task_id))
    context = _context(dag, call)
    called = Called()
    with set_current_context(context):
        if call.is_of_task:
            called.links = _afterwards().look_up_links(context["ti"], context, AfterwardsRuntime(asking))
        for callback in _listed(getattr(owner, f"on_{call.event}_callback", None)):
            try:
                callback(context)
            except (Exception, SystemExit) as error:
                called.problems.append(Problem(explain(error, roots, request.traceback_depth), dag.dag_id))
        if call.is_of_task and _mails(owner, call.event):
            # Brings what renders templates and speaks with mail servers, for which hardly any file has a use.
            alerts = import_module("tradewind.worker.task_life.alert_email")
            alerts.send_alert(owner, context, AirflowException(call.reason or "the task failed"))
        if call.is_of_task:
            _afterwards().tell_listeners(request.plugins, CallbackEvent(call.event), context["ti"], call.reason)
    return called


def dag_of(call: CallbackCall, dags: Iterable[DAG]) -> DAG | None:
    """The one that it is about, if the file still has it."""
    return next((dag for dag in dags if dag.dag_id == call.run.dag_id), None)


def tell_listeners_of_run(call: CallbackCall, request: ParseRequest, dags: Iterable[DAG]) -> None:
    """If anybody listens, also where the file cannot be imported any more: plugins are not of it."""
    if call.listened is not None:
        _listening().tell_run_listeners(request.plugins, call, dag_of(call, dags))


def _listening() -> Any:
    """Brings plugins, for which hardly any file has a use."""
    return import_module("tradewind.dag_processor.parse_child.run_listeners")


def _afterwards() -> Any:
    """Brings parts of what a worker has, for which hardly any file has a use."""
    return import_module("tradewind.dag_processor.parse_child.afterwards")


def _mails(task: Any, event: str) -> bool:
    option = _MAIL_OPTIONS.get(CallbackEvent(event))
    return option is not None and bool(getattr(task, option))


def _listed(callbacks: Any) -> Iterable[Callable[[Any], Any]]:
    if callbacks is None:
        return ()
    return list(callbacks) if isinstance(callbacks, list | tuple | set) else [callbacks]


def _context(dag: DAG, call: CallbackCall) -> Any:
    """The template context of the task that it is about; without one, as much of it as the run alone gives."""
    run = call.run
    known: dict[str, Any] = {"dag": dag, "dag_run": run, "run_id": run.run_id, "reason": call.reason}
    if call.is_of_task and call.event in (CallbackEvent.FAILURE, CallbackEvent.RETRY):
        known["exception"] = call.reason
    if call.task_id not in dag.task_dict:
        return known
    task: Any = dag.get_task(call.task_id)
    ti = RuntimeTaskInstance(
        id=UUID(int=0),
        dag_id=dag.dag_id,
        task_id=call.task_id,
        run_id=run.run_id,
        try_number=call.try_number,
        task=task,
        dag_run=run,
        start_date=run.start_date or run.run_after,
        map_index=call.map_index,
        max_tries=task.retries or 0,
        state=_STATES.get(CallbackEvent(call.event)) if call.is_of_task else None,
        is_mapped=bool(task.is_mapped),
    )
    known |= {"ti": ti, "task_instance": ti, "task": task}
    try:
        return {**ti.get_template_context(), **known}
    except Exception:  # such as params that are wrong: no reason to keep the alarm from anybody
        return known
