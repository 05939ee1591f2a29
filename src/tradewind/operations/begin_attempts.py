"""Attempts begin: from queued to running, and with all that a supervisor needs to run them."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
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
from tradewind.model.states import TaskState
from tradewind.model.task import Failed, Started, TaskInstance, WorkItem
from tradewind.operations.report_tasks import report_tasks
from tradewind.operations.structures import Structures
from tradewind.operations.task_requests.runs import as_result
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.kept_stores import StoredDeferral
from tradewind.telemetry.events import TasksMoved
from tradewind.telemetry.measurements import AttemptsBegan

_MOST_REMEMBERED: Final = 10_000


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
        instances = tx.attempts.begin(starts, now)
        started = {instance.key for instance in instances}
        if started:
            tx.emit(TasksMoved(TaskState.RUNNING, tuple(sorted(started))))
        if len(started) < len(work):
            instances += self._begun_before(tx, [item.attempt for item in work if item.attempt.task not in started])
        if not instances:
            return []
        runs = {run.key: run for run in tx.runs.read({instance.run_key for instance in instances})}
        tx.emit(AttemptsBegan(tuple(instances), runs))
        self._learn_origins(tx, {run.version_key for run in runs.values()})
        known = _Known(tx, instances, now)
        orders = []
        for instance in instances:
            order = self._order(tx, instance, runs[instance.run_key], known, now)
            if isinstance(order, WorkOrder):
                orders.append(order)
            else:
                report_tasks(tx, [Failed(instance.attempt_key, now, now, reason=order)], now, self.structures)
        return orders

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
            assignment=self._assignment(tx, instance, run, task, known, now),
            bundle_name=origin.name.bundle,
            bundle_version=run.bundle_version,
            path=origin.name.path,
            executor_config=_executor_config(task),
        )

    def _assignment(
        self, tx: Transaction, instance: TaskInstance, run: Run, task: Task, known: "_Known", now: datetime
    ) -> Assignment:
        deferral = known.deferrals.get(instance.key)
        return Assignment(
            id=instance_id(instance),
            task_id=instance.task_id,
            dag_run=as_result(run),
            started_at=instance.started_at or now,
            map_index=instance.map_index,
            try_number=instance.try_number,
            max_tries=instance.max_tries,
            has_tries_left=has_tries_left(instance, task.retry, now),
            reschedule_count=instance.reschedules,
            map_length=self._map_length(tx, instance, run),
            next_method=None if deferral is None else deferral.next_method,
            next_kwargs=None if deferral is None else deferral.next_kwargs,
            xcoms_to_clear=known.old_xcoms.get(instance.key, ()),
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

    def __init__(self, tx: Transaction, instances: Sequence[TaskInstance], now: datetime) -> None:
        again = [instance for instance in instances if instance.attempt > 1]
        # A try that goes on keeps the date of its first start; one that begins has that of this very moment.
        going_on = [instance.key for instance in again if (instance.started_at or now) < now]
        anew = [instance.key for instance in again if (instance.started_at or now) >= now]
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
