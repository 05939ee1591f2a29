"""Calls callbacks of a DAG, or of a task whose worker was lost, in the child that has just imported the file."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import UUID

import msgspec

from tradewind.dag_processor.parse_child.explain import explain
from tradewind.dag_processor.protocol import CallbackCall, Problem
from tradewind.model.task_answers import DagRunResult
from tradewind.sdk.context import set_current_context
from tradewind.sdk.dags import DAG
from tradewind.sdk.task_instance import RuntimeTaskInstance


def call_back(call: CallbackCall, dags: Sequence[DAG], roots: Sequence[str], depth: int) -> list[Problem]:
    """Call what the author has registered. Each is called, whatever the others raise; returns what they raised."""
    dag = next((dag for dag in dags if dag.dag_id == call.run.dag_id), None)
    if dag is None:
        return [Problem("the file has no such DAG any more, so nobody was called", call.run.dag_id)]
    owner: Any = dag
    if call.is_of_task:
        if call.task_id not in dag.task_dict:
            return [Problem(f"the DAG has no task {call.task_id!r} any more, so nobody was called", dag.dag_id)]
        owner = dag.get_task(str(call.task_id))
    context = _context(dag, call)
    problems = []
    with set_current_context(context):
        for callback in _listed(getattr(owner, f"on_{call.event}_callback", None)):
            try:
                callback(context)
            except (Exception, SystemExit) as error:
                problems.append(Problem(explain(error, roots, depth), dag.dag_id))
    return problems


def _listed(callbacks: Any) -> Iterable[Callable[[Any], Any]]:
    if callbacks is None:
        return ()
    return list(callbacks) if isinstance(callbacks, list | tuple | set) else [callbacks]


def _context(dag: DAG, call: CallbackCall) -> Any:
    """The template context of the task that it is about; without one, as much of it as the run alone gives."""
    run = DagRunResult(**msgspec.structs.asdict(call.run))
    known: dict[str, Any] = {"dag": dag, "dag_run": run, "run_id": run.run_id, "reason": call.reason}
    if call.is_of_task:
        known["exception"] = call.reason
    if call.task_id not in dag.task_dict:
        return known
    task = dag.get_task(call.task_id)
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
        state=None,
        is_mapped=bool(task.is_mapped),
    )
    known |= {"ti": ti, "task_instance": ti, "task": task}
    try:
        return {**ti.get_template_context(), **known}
    except Exception:  # such as params that are wrong: no reason to keep the alarm from anybody
        return known
