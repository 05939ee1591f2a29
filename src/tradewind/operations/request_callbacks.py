"""Have callbacks of authors called, e-mail sent, listeners told and links looked up where no worker will: at the begin
and the end of runs, and at the end of tasks that ended without one.

The scheduler has no user code. It leaves a request in the same transaction as the change, and a DAG processor, which
can import the file, answers it.
"""

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from tradewind.errors import DagUnusable
from tradewind.model.callback_request import AnsweredCallback, CallbackRequest
from tradewind.model.dag import CallbackEvent, CallbackRef, Task
from tradewind.model.ids import TaskKey
from tradewind.model.run import Run, RunHead
from tradewind.model.states import RunState, TaskState
from tradewind.model.task import TaskSnapshot
from tradewind.operations.structures import Structures
from tradewind.storage.interface import RunEnd, Transaction
from tradewind.storage.interface.kept_stores import XComValue

_OF_RUN: Final = {RunState.SUCCESS: CallbackEvent.SUCCESS, RunState.FAILED: CallbackEvent.FAILURE}
_OF_TASK: Final = {
    TaskState.FAILED: CallbackEvent.FAILURE,
    TaskState.UP_FOR_RETRY: CallbackEvent.RETRY,
    TaskState.SUCCESS: CallbackEvent.SUCCESS,
    TaskState.SKIPPED: CallbackEvent.SKIPPED,
}
_STARTED: Final = "started"
_MAIL_OPTIONS: Final = {CallbackEvent.FAILURE: "email_on_failure", CallbackEvent.RETRY: "email_on_retry"}


def request_run_callbacks(
    tx: Transaction,
    ends: Iterable[tuple[Run | RunHead, RunEnd]],
    structures: Structures,
    now: datetime,
    *,
    heard: Collection[CallbackEvent],
) -> None:
    """For runs that have just ended. Costs nothing for DAGs without such callbacks, where no listener of a plugin wants
    to hear of it."""
    requests = []
    for run, end in ends:
        event = _OF_RUN.get(end.state)
        if event is None:
            continue
        request = _of_run(run, event, end.reason or _reason(end.state))
        with suppress(DagUnusable):  # a DAG that cannot be read has no callback that could be found
            if _has(structures.get(tx, run.version_key).dag.callbacks, event):
                task_id, map_index = _telling_task(tx.tasks.of_runs([run.key]), end.state)
                requests.append(replace(request, task_id=task_id, map_index=map_index))
                continue
        if event in heard:
            requests.append(request)
    if requests:
        tx.callbacks.add(requests, now)


def request_run_begins(
    tx: Transaction, runs: Iterable[Run | RunHead], now: datetime, *, heard: Collection[CallbackEvent]
) -> None:
    """For runs that have just begun, if a listener of a plugin wants to hear of it."""
    if CallbackEvent.EXECUTE not in heard:
        return
    requests = [_of_run(run, CallbackEvent.EXECUTE, _STARTED) for run in runs]
    if requests:
        tx.callbacks.add(requests, now)


def request_listeners(tx: Transaction, run: Run | RunHead, state: RunState, reason: str, now: datetime) -> None:
    """For a run that was ended without its callbacks, by a person or because nobody can decide about it: listeners
    hear of that too."""
    event = _OF_RUN.get(state)
    if event is not None and run.state is not state and event in tx.bundles.heard():
        tx.callbacks.add([_of_run(run, event, reason)], now)


def request_task_callbacks(
    tx: Transaction,
    keys: Collection[TaskKey],
    reason: str,
    structures: Structures,
    now: datetime,
    *,
    listened: Collection[TaskKey] = (),
    with_links: bool = False,
) -> None:
    """For task instances that ended without a worker: theirs was lost, or their trigger said so.

    Of those that are `listened` to, somebody wants to hear in any case; `with_links`, also links of operators count.
    """
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
            if number is None:
                continue
            task = structure.tasks[number]
            if snapshot.key in listened or _tells(task, event) or (with_links and _has_links(task)):
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


def end_callbacks(tx: Transaction, answered: Collection[AnsweredCallback], now: datetime) -> None:
    """These were answered. Links that they brought are kept, unless the task has begun another try meanwhile."""
    brought = {each.stored.request.task: each for each in answered if each.links}
    found = tx.tasks.snapshots([key for key in brought if key is not None]) if brought else []
    values = [
        XComValue(snapshot.key, name, value)
        for snapshot in found
        if snapshot.state in _OF_TASK and snapshot.try_number == brought[snapshot.key].stored.request.try_number
        for name, value in brought[snapshot.key].links
    ]
    if values:
        tx.xcoms.put(values, now)
    tx.callbacks.delete([each.stored.key for each in answered])


def _of_run(run: Run | RunHead, event: CallbackEvent, reason: str) -> CallbackRequest:
    return CallbackRequest(run.dag_id, run.key, run.version_key, event, reason)


def _tells(task: Task, event: CallbackEvent) -> bool:
    """Whether somebody may want to hear of it. Whether an e-mail is sent, the task itself says where it is read."""
    option = _MAIL_OPTIONS.get(event)
    details = task.details if isinstance(task.details, Mapping) else {}
    mails = option is not None and bool(details.get("email")) and details.get(option) is not False
    return mails or _has(task.callbacks, event)


def _has_links(task: Task) -> bool:
    return isinstance(task.details, Mapping) and bool(task.details.get("extra_links"))


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
