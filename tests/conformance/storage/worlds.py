"""Runs and task instances put into the database by the stores themselves, in as few words as a test can bear."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tradewind.model.dag_file import NewVersion
from tradewind.model.ids import UNMAPPED, AttemptKey, JobKey, RunKey, TaskKey, VersionKey
from tradewind.model.run import NewRun, Run
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.model.task import Candidate, NewTask, Started, TaskInstance
from tradewind.storage.database import Database
from tradewind.storage.interface import AttemptEnd, RunEnd, TaskAdvance
from tradewind.storage.transaction import SqlTransaction

NOW = datetime(2026, 3, 1, 12, 30, 15, 123456, tzinfo=UTC)
JOB = JobKey(7)
OTHER_JOB = JobKey(8)


def minutes(count: float) -> timedelta:
    """A span to add to `NOW`."""
    return timedelta(minutes=count)


def add_version(tx: SqlTransaction, dag_id: str, structure_hash: str, data: str = "{}") -> VersionKey:
    """The version that the DAG then has."""
    return tx.versions.add([NewVersion(dag_id, structure_hash, data)], NOW)[dag_id]


def new_task(run_key: RunKey, task_id: str = "load", map_index: int = UNMAPPED, **values: Any) -> NewTask:
    """A task instance with plain values where the test does not care."""
    plain = {
        "dag_id": "sales",
        "max_tries": 0,
        "pool": "default_pool",
        "pool_slots": 1,
        "priority_weight": 1,
        "max_active_per_dag": None,
        "queue": "default",
        "executor": None,
        "operator": "PythonOperator",
    }
    return NewTask(run_key=run_key, task_id=task_id, map_index=map_index, **{**plain, **values})


@dataclass(frozen=True, slots=True)
class World:
    """Shortcuts to states that take several steps, each of them in a transaction of its own."""

    store: Database

    def dag(self, dag_id: str = "sales", *, is_paused: bool = False) -> VersionKey:
        """A DAG with one version."""
        with self.store.begin() as tx:
            tx.dags.create(dag_id, is_paused=is_paused, now=NOW)
            return add_version(tx, dag_id, "abc")

    def run(self, run_id: str = "r1", dag_id: str = "sales", **values: Any) -> RunKey:
        """A queued run; its DAG is created on first use."""
        with self.store.begin() as tx:
            known = tx.dags.find(dag_id)
        version_key = (known.version_key if known else None) or self.dag(dag_id)
        plain = {"run_type": RunType.MANUAL, "run_after": NOW, "version_key": version_key}
        with self.store.begin() as tx:
            return tx.runs.create(NewRun(dag_id=dag_id, run_id=run_id, **{**plain, **values}), NOW)

    def running(self, run_id: str = "r1", dag_id: str = "sales", **values: Any) -> RunKey:
        """A running run."""
        run_key = self.run(run_id, dag_id, **values)
        with self.store.begin() as tx:
            assert tx.runs.start([(run_key, None)], NOW) == {run_key}
        return run_key

    def ended(self, run_id: str, state: RunState, dag_id: str = "sales", **values: Any) -> RunKey:
        """A run that ended."""
        run_key = self.running(run_id, dag_id, **values)
        with self.store.begin() as tx:
            assert tx.runs.finish([RunEnd(run_key, state)], NOW) == {run_key}
        return run_key

    def find(self, run_id: str = "r1", dag_id: str = "sales") -> Run:
        """A run that must exist."""
        with self.store.begin() as tx:
            run = tx.runs.find(dag_id, run_id)
        assert run is not None
        return run

    def tasks(self, tasks: Sequence[NewTask], *, turn: int = 0) -> None:
        """Instances that wait for slots."""
        with self.store.begin() as tx:
            tx.tasks.create(tasks)
            moved = tx.tasks.advance([scheduled(task, turn) for task in tasks], NOW)
        assert len(moved) == len(tasks)

    def task(self, state: TaskState, run_key: RunKey, task_id: str = "load", **values: Any) -> AttemptKey:
        """An instance led along the usual path to a state; `values` are of `NewTask`, `at` is when all happens."""
        at = values.pop("at", NOW)
        job = values.pop("job", JOB)
        turn = values.pop("turn", 0)
        wake_at = values.pop("wake_at", None)
        task = new_task(run_key, task_id, values.pop("map_index", UNMAPPED), **values)
        key = TaskKey(run_key, task_id, task.map_index)
        with self.store.begin() as tx:
            tx.tasks.create([task])
            if state is TaskState.NONE:
                return AttemptKey(*key, 0)
            tx.tasks.advance([scheduled(task, turn)], at)
            if state is TaskState.SCHEDULED:
                return AttemptKey(*key, 0)
            assert tx.queue.admit([candidate(task)], job, at) == {key}
            attempt = AttemptKey(*key, 1)
            if state is TaskState.QUEUED:
                return attempt
            assert tx.attempts.start([Started(attempt, at, "worker-1", 4711)], at) == {key}
            if state is TaskState.RUNNING:
                return attempt
            if state is TaskState.RESTARTING:
                found = tx.tasks.instances(run_key, [task_id])
                mine = [each for each in found if each.map_index == task.map_index]
                assert tx.tasks.set_state(mine, state, at, max_tries=[0], reason="cleared") == {key}
                return attempt
            assert tx.attempts.end([AttemptEnd(attempt, state, at, wake_at=wake_at)]) == {key}
            return attempt

    def instance(self, key: TaskKey | AttemptKey) -> TaskInstance:
        """An instance that must exist, as it is now."""
        with self.store.begin() as tx:
            return instance(tx, key)

    def state(self, key: TaskKey | AttemptKey) -> TaskState:
        """The state of an instance that must exist."""
        return self.instance(key).state


def instance(tx: SqlTransaction, key: TaskKey | AttemptKey) -> TaskInstance:
    """An instance that must exist, as this transaction sees it."""
    found = tx.tasks.instances(key.run_key, [key.task_id])
    (chosen,) = (task for task in found if task.map_index == key.map_index)
    return chosen


def scheduled(task: NewTask, turn: int = 0) -> TaskAdvance:
    """The first move of a new instance: from none to waiting for slots."""
    return TaskAdvance(task.run_key, task.task_id, task.map_index, 0, "none", "scheduled", 1, None, turn)


def candidate(task: NewTask, attempt: int = 0) -> Candidate:
    """The instance as admission sees it."""
    return Candidate(
        task.run_key,
        task.task_id,
        task.map_index,
        attempt,
        task.dag_id,
        task.pool,
        task.pool_slots,
        task.priority_weight,
        0,
        task.max_active_per_dag,
        task.executor,
        task.queue,
        1,
    )
