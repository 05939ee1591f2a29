"""Calling the callbacks of a DAG when its run ended. In production the DAG processor does so."""

from typing import Any

from tradewind.model.assignment import Asker
from tradewind.model.ids import TaskKey
from tradewind.model.run import Run
from tradewind.model.states import RunState
from tradewind.operations.task_requests.runs import as_result
from tradewind.sdk.dags import DAG
from tradewind.sdk.runtime import use_runtime
from tradewind.sdk.task_clock import use_clock
from tradewind.testing.memory.premises import Premises
from tradewind.testing.memory.runtime import MemoryRuntime
from tradewind.testing.records import AttemptRecord, History
from tradewind.worker.task_life.callbacks import run_callbacks
from tradewind.worker.task_life.outcome import Failure


def tell_dag(dag: DAG, run: Run, history: History, premises: Premises) -> None:
    """Call them with the context of a task that says something about the end: one that failed, or the last one."""
    has_succeeded = run.state is RunState.SUCCESS
    kind = "on_success_callback" if has_succeeded else "on_failure_callback"
    callbacks: Any = getattr(dag, kind)
    if not callbacks:
        return
    if not isinstance(callbacks, list | tuple | set | frozenset):
        callbacks = [callbacks]
    record = _telling(history, run, has_succeeded)
    context: Any = {} if record is None or record.ti is None else dict(record.ti.get_template_context())
    context.update(dag=dag, dag_run=as_result(run), run_id=run.run_id, reason=run.reason or run.state.value)
    key = TaskKey(run.key, "") if record is None else record.attempt.task
    runtime = MemoryRuntime(premises, Asker(key, run.dag_id, run.run_id))
    with use_runtime(runtime), use_clock(premises.clock):
        run_callbacks(f"{kind} of the DAG", callbacks, context)


def _telling(history: History, run: Run, has_succeeded: bool) -> AttemptRecord | None:
    records = [record for record in history.attempts if record.attempt.run_key == run.key]
    failed = [record for record in records if isinstance(record.outcome, Failure)]
    return next(reversed(records if has_succeeded else failed or records), None)
