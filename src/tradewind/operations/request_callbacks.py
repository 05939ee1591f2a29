"""Have callbacks of authors called that no worker will call: those of a run's end, and of tasks whose worker was lost.

The scheduler has no user code. It leaves a request in the same transaction as the change, and a DAG processor, which
can import the file, answers it.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Final

from tradewind.errors import DagUnusable
from tradewind.model.callback_request import CallbackRequest
from tradewind.model.dag import CallbackEvent, CallbackRef
from tradewind.model.ids import TaskKey
from tradewind.model.run import Run, RunHead
from tradewind.model.states import RunState, TaskState
from tradewind.model.task import TaskSnapshot
from tradewind.operations.structures import Structures
from tradewind.storage.interface import RunEnd, Transaction

_OF_RUN: Final = {RunState.SUCCESS: CallbackEvent.SUCCESS, RunState.FAILED: CallbackEvent.FAILURE}
_OF_TASK: Final = {TaskState.FAILED: CallbackEvent.FAILURE, TaskState.UP_FOR_RETRY: CallbackEvent.RETRY}


def request_run_callbacks(
    tx: Transaction, ends: Iterable[tuple[Run | RunHead, RunEnd]], structures: Structures, now: datetime
) -> None:
    """For runs that have just ended. Costs nothing for DAGs without such callbacks."""
    requests = []
    for run, end in ends:
        with suppress(DagUnusable):  # a DAG that cannot be read has no callback that could be found
            callbacks = structures.get(tx, run.version_key).dag.callbacks
            event = _OF_RUN.get(end.state)
            if event is not None and _has(callbacks, event):
                task_id, map_index = _telling_task(tx.tasks.of_runs([run.key]), end.state)
                requests.append(
                    CallbackRequest(
                        run.dag_id,
                        run.key,
                        run.version_key,
                        event,
                        end.reason or _reason(end.state),
                        task_id=task_id,
                        map_index=map_index,
                    )
                )
    if requests:
        tx.callbacks.add(requests, now)


def request_task_callbacks(
    tx: Transaction, keys: Collection[TaskKey], reason: str, structures: Structures, now: datetime
) -> None:
    """For task instances that were given up because their worker was lost."""
    if not keys:
        return
    runs = {run.key: run for run in tx.runs.read({key.run_key for key in keys})}
    requests = []
    for snapshot in tx.tasks.snapshots(keys):
        run, event = runs.get(snapshot.run_key), _OF_TASK.get(snapshot.state)
        if run is None or event is None:
            continue
        with suppress(DagUnusable):
            structure = structures.get(tx, run.version_key)
            number = structure.index.get(snapshot.task_id)
            if number is not None and _has(structure.tasks[number].callbacks, event):
                requests.append(
                    CallbackRequest(
                        run.dag_id,
                        run.key,
                        run.version_key,
                        event,
                        reason,
                        is_of_task=True,
                        task_id=snapshot.task_id,
                        map_index=snapshot.map_index,
                        try_number=snapshot.try_number,
                    )
                )
    if requests:
        tx.callbacks.add(requests, now)


def _has(callbacks: Iterable[CallbackRef], event: CallbackEvent) -> bool:
    return any(callback.event is event for callback in callbacks)


def _reason(state: RunState) -> str:
    """Airflow's words, which people's callbacks look for."""
    return "task_failure" if state is RunState.FAILED else "success"


def _telling_task(snapshots: Iterable[TaskSnapshot], state: RunState) -> tuple[str | None, int]:
    """One that failed, if the run did; else any: callbacks expect to be told of one."""
    in_order = sorted(snapshots, key=lambda each: (each.task_id, each.map_index))
    failed = [each for each in in_order if each.state is TaskState.FAILED]
    chosen = failed[0] if failed and state is RunState.FAILED else in_order[-1] if in_order else None
    return (None, -1) if chosen is None else (chosen.task_id, chosen.map_index)
