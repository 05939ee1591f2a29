"""What the pages of the benchmark show: DAGs with groups, and runs whose tasks are in all states."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from benchmarks.harness import World
from tradewind.model.dag import Dag, Task, TaskGroup
from tradewind.model.ids import UNMAPPED
from tradewind.model.pool import DEFAULT_POOL
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.storage.schema import dag_run, task_instance

_WITHIN_GROUP: Final = 25
_BETWEEN_RUNS: Final = timedelta(minutes=10)
_STATES: Final = (*[TaskState.SUCCESS] * 17, TaskState.FAILED, TaskState.SKIPPED, TaskState.UPSTREAM_FAILED)


def grouped(dag_id: str, count: int) -> Dag:
    """Groups one after the other; in each, tasks that follow the first one and that the last one follows."""
    groups: list[TaskGroup] = []
    tasks: list[Task] = []
    before: tuple[str, ...] = ()
    for number in range(0, count, _WITHIN_GROUP):
        group = f"step_{number // _WITHIN_GROUP:03}"
        names = [f"{group}.task_{each:02}" for each in range(min(_WITHIN_GROUP, count - number))]
        groups.append(TaskGroup(group))
        first, *middle = names
        last = middle.pop() if len(middle) > 1 else None
        tasks.append(Task(first, "PythonOperator", before, group))
        tasks += [Task(name, "PythonOperator", (first,), group) for name in middle]
        if last is not None:
            tasks.append(Task(last, "PythonOperator", tuple(middle), group))
        before = (names[-1],)
    return Dag(dag_id, tuple(tasks), tuple(groups))


def fill(world: World, dag: Dag, runs: int, *, newest: TaskState = TaskState.SUCCESS) -> None:
    """Put in runs with all their task instances, by SQL. All tasks of the newest run are in one state."""
    world.publish(dag)
    record = world.wiring.database.read(lambda tx: tx.dags.find(dag.dag_id))
    assert record is not None
    now = world.wiring.clock.now()
    with world.wiring.database.engine.begin() as connection:
        for number in range(runs):
            is_newest = number == runs - 1
            at = now - _BETWEEN_RUNS * (runs - number)
            is_open = is_newest and newest is not TaskState.SUCCESS
            row = _run(dag.dag_id, number, record.version_key, at, RunState.RUNNING if is_open else RunState.SUCCESS)
            key = connection.execute(sa.insert(dag_run).values(row).returning(dag_run.c.run_key)).scalar_one()
            connection.execute(sa.insert(task_instance), list(_instances(dag, key, at, newest if is_newest else None)))
    world.tidy()


def _run(dag_id: str, number: int, version_key: Any, at: Any, state: RunState) -> dict[str, Any]:
    return {
        "dag_id": dag_id,
        "run_id": f"run_{number:04}",
        "run_type": RunType.SCHEDULED.value,
        "state": state.value,
        "version_key": version_key,
        "logical_date": at,
        **dict.fromkeys(("run_after", "ordering_at", "queued_at", "started_at", "updated_at"), at),
        "finished_at": None if state is RunState.RUNNING else at + timedelta(seconds=60 + number % 100),
    }


def _instances(dag: Dag, run_key: int, at: Any, state: TaskState | None) -> Iterator[dict[str, Any]]:
    for number, task in enumerate(dag.tasks):
        shown = state or _STATES[(run_key * 7 + number) % len(_STATES)]
        is_over = shown in _STATES
        yield {
            "run_key": run_key,
            "task_id": task.task_id,
            "map_index": UNMAPPED,
            "dag_id": dag.dag_id,
            "state": shown.value,
            **dict.fromkeys(("attempt", "try_number"), 1),
            **dict.fromkeys(("max_tries", "queue_turn", "requeues", "reschedules"), 0),
            "pool": DEFAULT_POOL,
            "pool_slots": 1,
            "priority_weight": 1,
            "queue": "default",
            "operator": task.operator,
            **dict.fromkeys(("scheduled_at", "queued_at"), at),
            "started_at": at if is_over else None,
            "finished_at": at + timedelta(seconds=number % 100) if is_over else None,
        }
