"""What tasks that began with a trigger wait for, as it becomes known once a triggerer has claimed them."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tradewind.errors import DagUnusable, TransactionConflict, ValueRefused
from tradewind.model.dag import StartTrigger, Task
from tradewind.model.ids import JobKey, TaskKey, TriggerKey, VersionKey
from tradewind.model.task import TaskInstance
from tradewind.model.trigger import ClaimedTrigger, Prepared
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.resumptions import problem_with_method_arguments
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral
from tradewind.storage.interface.trigger_store import PreparedTrigger


def complete_claims(
    tx: Transaction, claimed: Sequence[ClaimedTrigger], beginner: Beginner, now: datetime
) -> list[ClaimedTrigger]:
    """The same, with what their DAGs say of them; where only code can tell, with what that code needs to know.

    A try that leaves something to clear is for code as well: values may lie where only their backend finds them. What
    was called off meanwhile is made only to be ended, and what only code can tell never began (see `store_prepared`).
    """
    bare = [each for each in claimed if not each.is_prepared]
    if not bare:
        return list(claimed)
    runs = {run.key: run for run in tx.runs.read({each.attempt.run_key for each in bare})}
    again = [each.attempt.task for each in bare if each.attempt.attempt > 1]
    old_xcoms = tx.xcoms.keys_of(again) if again else {}
    known: dict[TriggerKey, ClaimedTrigger] = {}
    for_code: list[tuple[ClaimedTrigger, Task]] = []
    for each in bare:
        task = _task(tx, each.attempt.task_id, runs[each.attempt.run_key].version_key, beginner.structures)
        if task is None:
            continue
        if task.start_trigger is not None and (each.is_called_off or each.attempt.task not in old_xcoms):
            known[each.key] = _as_in_dag(each, task.start_trigger)
        elif not each.is_called_off:
            for_code.append((each, task))
    for each, task, instance in _with_instances(tx, for_code):
        run, left = runs[each.attempt.run_key], old_xcoms.get(each.attempt.task, ())
        assignment = beginner.assignment(tx, instance, run, task, now, old_xcoms=left)
        known[each.key] = replace(each, assignment=assignment)
    return [known.get(each.key, each) for each in claimed]


def _with_instances(
    tx: Transaction, claimed: Sequence[tuple[ClaimedTrigger, Task]]
) -> Iterator[tuple[ClaimedTrigger, Task, TaskInstance]]:
    instances = {instance.attempt_key: instance for instance in tx.starts.read([each.attempt for each, _ in claimed])}
    for each, task in claimed:
        if each.attempt in instances:
            yield each, task, instances[each.attempt]


def store_prepared(tx: Transaction, job: JobKey, prepared: Sequence[Prepared]) -> set[TaskKey]:
    """What code found out, kept: whoever goes on with the trigger gets the same. Returns those that still wait.

    They begin only now. So a trigger that runs is known to whoever has to end it. What a triggerer says of triggers
    that were given to another one counts for nothing: that one may run them already, as its own code told it.

    Raises:
        TransactionConflict: another one took some of them at this very moment.
        ValueRefused: one of them has arguments that no method can be called with.
    """
    ours = tx.triggers.held([each.trigger for each in prepared], job)
    stored = tx.deferrals.of_tasks([each.attempt.task for each in prepared if each.trigger in ours])
    current = [
        (each, deferral)
        for each in prepared
        if (deferral := stored.get(each.attempt.task)) is not None and deferral.attempt == each.attempt
    ]
    waiting = tx.starts.limit([(each.attempt, _end_of(each, deferral)) for each, deferral in current])
    current = [(each, deferral) for each, deferral in current if each.attempt.task in waiting]
    written = {each.trigger for each, _ in current}
    if tx.triggers.held(written, job, locks=True) != written:
        raise TransactionConflict("triggers were given to another triggerer while what they are was stored")
    tx.deferrals.put([_completed(each, deferral) for each, deferral in current])
    tx.triggers.prepare(
        [PreparedTrigger(each.trigger, each.class_path, each.kwargs, each.is_encrypted) for each, _ in current]
    )
    _keep_rendered(tx, [each for each, _ in current])
    return waiting


def _keep_rendered(tx: Transaction, prepared: Sequence[Prepared]) -> None:
    fields = {each.attempt.task: each.rendered_fields for each in prepared if each.rendered_fields is not None}
    if fields:
        tx.rendered.put(fields)
    names = {each.attempt.task: each.rendered_map_index for each in prepared if each.rendered_map_index is not None}
    if names:
        tx.rendered.name_instances(names)


def keep_what_dag_says(tx: Transaction, dag_id: str, structures: Structures) -> None:
    """Tasks of the DAG are about to be deleted, with all that says what triggers are that somebody may have run."""
    known: list[PreparedTrigger] = []
    for each in tx.triggers.unknown_of_dag(dag_id):
        task = _task(tx, each.task_id, each.version_key, structures)
        if task is not None and task.start_trigger is not None:
            start = task.start_trigger
            known.append(PreparedTrigger(each.key, start.class_path, json.dumps(start.kwargs), is_encrypted=False))
    tx.triggers.prepare(known)


def _task(tx: Transaction, task_id: str, version_key: VersionKey, structures: Structures) -> Task | None:
    with suppress(DagUnusable, KeyError):
        structure = structures.get(tx, version_key)
        return structure.tasks[structure.index[task_id]]
    return None


def _as_in_dag(claimed: ClaimedTrigger, start: StartTrigger) -> ClaimedTrigger:
    kwargs = json.dumps(start.kwargs)
    return replace(claimed, class_path=start.class_path, kwargs=kwargs, is_encrypted=False, is_prepared=True)


def _end_of(prepared: Prepared, deferral: StoredDeferral) -> datetime | None:
    if prepared.timeout_s is None:
        return None
    return deferral.created_at + timedelta(seconds=prepared.timeout_s)


def _completed(prepared: Prepared, deferral: StoredDeferral) -> StoredDeferral:
    next_kwargs: Any = prepared.next_kwargs
    problem = problem_with_method_arguments(prepared.next_method, next_kwargs)
    if problem is not None:
        raise ValueRefused(problem)
    return replace(
        deferral,
        next_method=prepared.next_method,
        next_kwargs=next_kwargs,
        times_out_at=_end_of(prepared, deferral),
    )
