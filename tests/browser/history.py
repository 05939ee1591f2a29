"""A past for the DAGs of the demonstration: runs as if they had happened, with the durations that real work has."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

import sqlalchemy as sa

from tradewind.bootstrap import Wiring
from tradewind.decide.structure import Structure
from tradewind.model.dag import Task
from tradewind.model.ids import UNMAPPED
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.operations.structures import Structures
from tradewind.storage.schema import dag_run, task_instance

_BAD_STATES: Final = frozenset({TaskState.FAILED, TaskState.UPSTREAM_FAILED})
_COPIES: Final = 8


@dataclass(frozen=True, slots=True)
class Past:
    """Of one DAG."""

    dag_id: str
    every: timedelta
    runs: int
    fails: Mapping[str, int]
    """By task: one of so many runs."""
    minutes: float
    """That a task takes, more or less."""
    skips: Sequence[str] = ()


PASTS: Final = (
    Past(
        "sales_report",
        timedelta(days=1),
        90,
        {"transform.exchange_rates": 17, "extract.refunds": 31},
        4,
        ("close_month",),
    ),
    Past("ingest_events", timedelta(minutes=15), 120, {"load": 23}, 1),
    Past("train_model", timedelta(days=7), 26, {"train": 9}, 55),
    Past("refresh_prices", timedelta(hours=1), 80, {"fetch_stock": 40}, 2),
    Past("publish_catalogue", timedelta(hours=1), 60, {}, 3),
    Past("nightly_backup", timedelta(days=1), 60, {"upload": 6}, 20),
    Past("release_shop", timedelta(days=3), 14, {"roll_out": 7}, 6),
    Past("tax_return", timedelta(days=30), 6, {}, 1),
)


def write_history(wiring: Wiring, pasts: Sequence[Past] = PASTS) -> None:
    """All of it, in one transaction: by SQL, since nothing of it happened."""
    structures = Structures()
    for past in pasts:
        now = wiring.clock.now()
        with wiring.database.begin() as tx:
            record = tx.dags.find(past.dag_id)
            assert record is not None
            assert record.version_key is not None
            structure = structures.get(tx, record.version_key)
        with wiring.database.engine.begin() as connection:
            for number in range(past.runs, 0, -1):
                made = _Run(past, structure, Random(f"{past.dag_id} {number}"), number)
                at = now - past.every * (number + 0.3)
                instances = list(made.instances(at))
                row = made.run(at, record.version_key, instances)
                key = connection.execute(sa.insert(dag_run).values(row).returning(dag_run.c.run_key)).scalar_one()
                connection.execute(sa.insert(task_instance), [{**each, "run_key": key} for each in instances])


@dataclass(slots=True)
class _Run:
    past: Past
    structure: Structure
    chance: Random
    number: int

    def run(self, at: datetime, version_key: int, instances: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        is_bad = any(TaskState(each["state"]) in _BAD_STATES for each in instances)
        is_manual = self.past.dag_id == "release_shop"
        ended = max(each["finished_at"] or at for each in instances)
        kind = RunType.MANUAL if is_manual else RunType.SCHEDULED
        return {
            "dag_id": self.past.dag_id,
            "run_id": f"{kind}__{at.isoformat(timespec='seconds')}",
            "run_type": kind.value,
            "state": (RunState.FAILED if is_bad else RunState.SUCCESS).value,
            "version_key": version_key,
            "logical_date": at,
            "interval_start": at - self.past.every,
            "interval_end": at,
            **dict.fromkeys(("run_after", "ordering_at", "queued_at"), at),
            "started_at": at + timedelta(seconds=1),
            **dict.fromkeys(("finished_at", "updated_at", "decided_at"), ended),
            "triggering_user_name": "admin" if is_manual else None,
        }

    def instances(self, at: datetime) -> Iterator[dict[str, Any]]:
        ends: dict[str, datetime] = {}
        states: dict[str, TaskState] = {}
        for number in self.structure.order:
            task = self.structure.tasks[number]
            state = self._state(task, [states[name] for name in task.upstream])
            begins = max((ends[name] for name in task.upstream), default=at) + timedelta(
                seconds=self.chance.uniform(1, 4)
            )
            copies = range(_COPIES) if task.mapping is not None else (UNMAPPED,)
            rows = [self._instance(task, copy, state if copy <= 0 else self._of_copy(state), begins) for copy in copies]
            states[task.task_id] = state
            ends[task.task_id] = max(row["finished_at"] for row in rows)
            yield from rows

    def _state(self, task: Task, upstream: Sequence[TaskState]) -> TaskState:
        if task.trigger_rule.value == "all_done":
            return TaskState.SUCCESS
        if _BAD_STATES & set(upstream):
            return TaskState.UPSTREAM_FAILED
        if task.task_id in self.past.skips:
            return TaskState.SKIPPED
        every = self.past.fails.get(task.task_id)
        return TaskState.FAILED if every and self.number % every == every // 2 else TaskState.SUCCESS

    @staticmethod
    def _of_copy(state: TaskState) -> TaskState:
        """Only the first copy of a mapped task fails."""
        return TaskState.SUCCESS if state is TaskState.FAILED else state

    def _instance(self, task: Task, copy: int, state: TaskState, at: datetime) -> dict[str, Any]:
        ran = state in (TaskState.SUCCESS, TaskState.FAILED)
        usual_s = self.past.minutes * 60 * (0.4 + len(task.task_id) % 5 / 3)
        takes_s = usual_s * self.chance.uniform(0.8, 1.3) if ran else 0
        tries = 3 if state is TaskState.FAILED and task.retry.retries else 1
        return {
            "task_id": task.task_id,
            "map_index": copy,
            "dag_id": self.past.dag_id,
            "state": state.value,
            **dict.fromkeys(("attempt", "try_number"), tries if ran else 0),
            "max_tries": task.retry.retries,
            **dict.fromkeys(("queue_turn", "requeues", "reschedules"), 0),
            "pool": task.pool,
            "pool_slots": 1,
            "priority_weight": 1,
            "queue": "default",
            "operator": task.operator,
            "scheduled_at": at if ran else None,
            "queued_at": at + timedelta(seconds=0.4) if ran else None,
            "started_at": at + timedelta(seconds=self.chance.uniform(1, 9)) if ran else None,
            "finished_at": at + timedelta(seconds=9 + takes_s),
            "hostname": "worker-1" if ran else None,
            "pid": 4_711 if ran else None,
            "cpu_s": takes_s * 0.6 if ran else None,
            "peak_memory_bytes": int(self.chance.uniform(60, 400) * 2**20) if ran else None,
        }
