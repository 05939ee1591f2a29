"""Attempts begin: from queued to running, and with all that a supervisor needs to run them."""

import json
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from tradewind.decide.retry import decide_retry
from tradewind.errors import DagUnusable
from tradewind.model.assignment import Assignment, WorkOrder
from tradewind.model.dag import Retry, Task
from tradewind.model.dag_file import VersionOrigin
from tradewind.model.ids import UNMAPPED, AttemptKey, JobKey, RunKey, TaskKey, VersionKey, try_id
from tradewind.model.run import Run
from tradewind.model.states import RunType, TaskState
from tradewind.model.task import Failed, Started, TaskInstance, WorkItem
from tradewind.model.task_answers import AssetEventResult
from tradewind.model.timetable import AssetAndTime, AssetTriggered
from tradewind.operations.report_tasks import report_tasks
from tradewind.operations.structures import Structures
from tradewind.operations.task_requests.assets import as_event_result
from tradewind.operations.task_requests.runs import as_result
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral
from tradewind.telemetry.events import TasksMoved
from tradewind.telemetry.measurements import AttemptsBegan

_MOST_REMEMBERED: Final = 10_000
_MOST_TOLD: Final = 100
"""Updates of assets that each task of a run is told of at its begin, whether it wants to know or not."""


@dataclass(slots=True)
class Beginner:
    """Begins attempts for one supervisor. Remembers what never changes."""

    structures: Structures
    hostname: str
    pid: int
    worker: JobKey | None = None
    _origins: dict[VersionKey, VersionOrigin] = field(default_factory=dict)
    _map_lengths: OrderedDict[tuple[RunKey, str, int], int] = field(default_factory=OrderedDict)

    def begin(self, tx: Transaction, work: Sequence[WorkItem], now: datetime) -> list[WorkOrder]:
        """Orders for those that were still queued at that attempt. One whose DAG has no file fails."""
        starts = [Started(item.attempt, now, self.hostname, self.pid, self.worker) for item in work]
        instances, found = tx.attempts.begin(starts, now)
        started = {instance.key for instance in instances}
        if started:
            tx.emit(TasksMoved(TaskState.RUNNING, tuple(sorted(started))))
        if len(started) < len(work):
            instances += self._begun_before(tx, [item.attempt for item in work if item.attempt.task not in started])
        if not instances:
            return []
        runs = {run.key: run for run in found}
        runs |= {run.key: run for run in tx.runs.read({instance.run_key for instance in instances} - runs.keys())}
        tx.emit(AttemptsBegan(tuple(instances), runs))
        self._learn_origins(tx, {run.version_key for run in runs.values()})
        known = _Known(tx, instances, self._consumers(tx, runs.values()))
        orders = []
        for instance in instances:
            order = self._order(tx, instance, runs[instance.run_key], known, now)
            if isinstance(order, WorkOrder):
                orders.append(order)
            else:
                report_tasks(tx, [Failed(instance.attempt_key, now, now, reason=order)], now, self.structures)
        return orders

    def _consumers(self, tx: Transaction, runs: Iterable[Run]) -> list[Run]:
        return [run for run in runs if self._may_consume(tx, run)]

    def _may_consume(self, tx: Transaction, run: Run) -> bool:
        """Whether it was made for updates of assets, or for a tick that waited for some; also by a backfill."""
        if run.run_type not in (RunType.SCHEDULED, RunType.BACKFILL):
            return run.run_type is RunType.ASSET_TRIGGERED
        try:
            return isinstance(self.structures.get(tx, run.version_key).dag.timetable, AssetAndTime | AssetTriggered)
        except DagUnusable:
            return False

    def _begun_before(self, tx: Transaction, attempts: Sequence[AttemptKey]) -> list[TaskInstance]:
        """Those that this very supervisor has begun, and got no answer about."""
        found = tx.attempts.lock(attempts)
        return [task for task in found if task.state is TaskState.RUNNING and task.worker == self.worker is not None]

    def _learn_origins(self, tx: Transaction, versions: set[VersionKey]) -> None:
        unknown = versions - self._origins.keys()
        if unknown:
            if len(self._origins) > _MOST_REMEMBERED:
                self._origins.clear()
            self._origins |= tx.versions.origins(unknown)

    def _order(
        self, tx: Transaction, instance: TaskInstance, run: Run, known: "_Known", now: datetime
    ) -> WorkOrder | str:
        """The order, or why there can be none."""
        origin = self._origins.get(run.version_key)
        if origin is None or origin.name is None:
            return "its DAG comes from no file, so there is no code to run"
        try:
            structure = self.structures.get(tx, run.version_key)
            task = structure.tasks[structure.index[instance.task_id]]
        except (DagUnusable, KeyError) as error:
            return f"the version of its DAG that the run has cannot be used: {error}"
        return WorkOrder(
            attempt=instance.attempt_key,
            assignment=self.assignment(
                tx,
                instance,
                run,
                task,
                now,
                deferral=known.deferrals.get(instance.key),
                old_xcoms=known.old_xcoms.get(instance.key, ()),
                consumed=None if run.key in known.big_consumers else known.consumed.get(run.key, ()),
            ),
            bundle_name=origin.name.bundle,
            bundle_version=run.bundle_version,
            path=origin.name.path,
            executor_config=_executor_config(task),
        )

    def assignment(
        self,
        tx: Transaction,
        instance: TaskInstance,
        run: Run,
        task: Task,
        now: datetime,
        *,
        deferral: StoredDeferral | None = None,
        old_xcoms: tuple[str, ...] = (),
        consumed: Sequence[AssetEventResult] | None = (),
    ) -> Assignment:
        """What the host of an attempt is told about it. `old_xcoms`: what earlier tries have left; `consumed`: the
        updates of assets that the run was made for. `None`: they are so many that the task has to ask for them."""
        return Assignment(
            id=instance_id(instance),
            task_id=instance.task_id,
            dag_run=as_result(run, consumed or (), has_too_many_asset_events=consumed is None),
            started_at=instance.started_at or now,
            map_index=instance.map_index,
            try_number=instance.try_number,
            max_tries=instance.max_tries,
            has_tries_left=has_tries_left(instance, task.retry, now),
            reschedule_count=instance.reschedules,
            map_length=self._map_length(tx, instance, run),
            next_method=None if deferral is None else deferral.next_method,
            next_kwargs=None if deferral is None else json.dumps(deferral.next_kwargs),
            xcoms_to_clear=old_xcoms,
            hostname=self.hostname,
        )

    def _map_length(self, tx: Transaction, instance: TaskInstance, run: Run) -> int | None:
        """How many instances the task has in its run. Ten thousand of them ask, and get the same answer."""
        if instance.map_index == UNMAPPED:
            return None
        key = (instance.run_key, instance.task_id, run.clear_number)
        if key not in self._map_lengths:
            counts = tx.tasks.count_states(instance.run_key, [instance.task_id])
            self._map_lengths[key] = sum(counts[instance.task_id].values())
            if len(self._map_lengths) > _MOST_REMEMBERED:
                self._map_lengths.popitem(last=False)
        return self._map_lengths[key]


class _Known:
    """What earlier attempts of the same task instances have left. A first attempt has nothing, and costs nothing."""

    def __init__(self, tx: Transaction, instances: Sequence[TaskInstance], runs: Iterable[Run]) -> None:
        run_keys = {run.key for run in runs}
        self.big_consumers = tx.deliveries.consumed_more(run_keys, _MOST_TOLD) if run_keys else set()
        self.consumed = _consumed(tx, run_keys - self.big_consumers)
        again = [instance for instance in instances if instance.attempt > 1]
        going_on = [instance.key for instance in again if not begins_a_try(instance)]
        anew = [instance.key for instance in again if begins_a_try(instance)]
        attempts = {instance.key: instance.attempt for instance in again}
        self.deferrals: Mapping[TaskKey, StoredDeferral] = {
            key: replace(deferral, resumed_by=attempts[key])
            for key, deferral in tx.deferrals.of_tasks(going_on).items()
            # Who was begun before, and has not heard of it, goes on there too; an attempt after that one does not.
            if deferral.resumed_by in (None, attempts[key])
        }
        if self.deferrals:
            tx.deferrals.put(list(self.deferrals.values()))
        self.old_xcoms: Mapping[TaskKey, tuple[str, ...]] = tx.xcoms.keys_of(anew) if anew else {}
        tx.deferrals.drop(anew)


def begins_a_try(instance: TaskInstance) -> bool:
    """Whether the attempt that was just begun is the first of its try: one that goes on keeps the date of that start.

    The date is compared with that of the begin of the attempt, not with now: who was begun before, and has not heard
    of it, is told the same again. Nor with any other: it is of another machine, whose clock may be ahead of ours.
    """
    return instance.started_at == instance.heartbeat_at


def _consumed(tx: Transaction, run_keys: Collection[RunKey]) -> dict[RunKey, list[AssetEventResult]]:
    """The updates of assets that runs were made for."""
    found = tx.asset_events.consumed_by(run_keys) if run_keys else {}
    return {key: [as_event_result(event) for event in events] for key, events in found.items()}


def instance_id(instance: TaskInstance) -> UUID:
    """Of the try that it is at."""
    return try_id(instance.dag_id, instance.run_id, instance.task_id, instance.map_index, instance.try_number)


def has_tries_left(instance: TaskInstance, retry: Retry, now: datetime) -> bool:
    """Whether there would be another try if this one failed now."""
    decision = decide_retry(
        retry, try_number=instance.try_number, max_tries=instance.max_tries, failed_at=now, jitter_seed=""
    )
    return decision.at is not None


def _executor_config(task: Task) -> object:
    return task.details.get("executor_config") if isinstance(task.details, dict) else None
