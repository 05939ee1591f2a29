"""Tasks begin with a trigger: from scheduled to deferred, without a worker. Many tasks, a handful of statements."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from tradewind.errors import DagUnusable
from tradewind.model.dag import Task
from tradewind.model.ids import AttemptKey, TaskKey
from tradewind.model.states import TaskState
from tradewind.model.task import Candidate
from tradewind.model.trigger import NewTrigger
from tradewind.operations.resumptions import FAILED_METHOD, failure
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral
from tradewind.storage.interface.start_store import TriggerStart
from tradewind.telemetry.events import TasksMoved

_UNPREPARED: Final = failure(("the trigger fired before it was known",))


class _Beginning(NamedTuple):
    task: Task
    candidate: Candidate
    times_out_at: datetime | None

    @property
    def before(self) -> AttemptKey:
        return AttemptKey(*self.candidate.key, self.candidate.attempt)

    @property
    def attempt(self) -> AttemptKey:
        return AttemptKey(*self.candidate.key, self.candidate.attempt + 1)


def begin_waits(
    tx: Transaction, candidates: Sequence[Candidate], structures: Structures, now: datetime, *, has_queues: bool
) -> set[TaskKey]:
    """Each of them leaves a trigger, free. Returns those that were still to begin.

    What a trigger gets is in its DAG; where only the author's code can tell, that is asked by whoever runs it.
    `has_queues`: triggers are for triggerers that serve the queue of their task.
    """
    beginnings = _beginnings(tx, candidates, structures, now)
    if not beginnings:
        return set()
    begun = tx.starts.begin([TriggerStart(each.before, each.times_out_at) for each in beginnings], now)
    in_time = [each for each in beginnings if each.candidate.key in begun]
    tx.deferrals.put([_deferral(each, now) for each in in_time])
    tx.triggers.add([_trigger(each, now, has_queues=has_queues) for each in in_time])
    if begun:
        tx.emit(TasksMoved(TaskState.DEFERRED, tuple(sorted(begun))))
    return begun


def wait_limit(task: Task, timeout_s: float | None) -> timedelta | None:
    """How long a task that begins with a trigger may wait for it: `execution_timeout` counts from the start."""
    known = [seconds for seconds in (timeout_s, task.execution_timeout_s) if seconds is not None]
    return timedelta(seconds=min(known)) if known else None


def _beginnings(
    tx: Transaction, candidates: Sequence[Candidate], structures: Structures, now: datetime
) -> list[_Beginning]:
    versions = {run.key: run.version_key for run in tx.runs.read({each.run_key for each in candidates})}
    found = []
    for candidate in candidates:
        # A DAG that cannot be read is fenced off by who decides about its runs.
        with suppress(DagUnusable, KeyError):
            structure = structures.get(tx, versions[candidate.run_key])
            task = structure.tasks[structure.index[candidate.task_id]]
            limit = wait_limit(task, None if task.start_trigger is None else task.start_trigger.timeout_s)
            found.append(_Beginning(task, candidate, None if limit is None else now + limit))
    return found


def _deferral(beginning: _Beginning, now: datetime) -> StoredDeferral:
    start = beginning.task.start_trigger
    return StoredDeferral(
        attempt=beginning.attempt,
        next_method=FAILED_METHOD if start is None else start.next_method,
        created_at=now,
        next_kwargs=_UNPREPARED if start is None else start.next_kwargs,
        times_out_at=beginning.times_out_at,
    )


def _trigger(beginning: _Beginning, now: datetime, *, has_queues: bool) -> NewTrigger:
    task, start = beginning.task, beginning.task.start_trigger
    return NewTrigger(
        attempt=beginning.attempt,
        class_path=task.operator if start is None else start.class_path,
        kwargs="{}",
        is_encrypted=False,
        created_at=now,
        queue=beginning.candidate.queue if has_queues else None,
        is_prepared=False,
    )
