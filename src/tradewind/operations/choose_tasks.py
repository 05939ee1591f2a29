"""Which task instances a person means: "this task and everything after it, in this run and the later ones"."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from tradewind.decide.structure import Structure
from tradewind.errors import UnknownDag, UnknownRun, UnknownTask
from tradewind.model.run import Run
from tradewind.model.states import FAILED_STATES, TaskState
from tradewind.model.task import TaskInstance
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class Selection:
    """Tasks of one run, and how far around them to go."""

    dag_id: str
    run_id: str
    task_ids: tuple[str, ...] | None = None
    """None: all tasks of the run."""
    map_indexes: tuple[int, ...] | None = None
    """None: all instances. Only for the named tasks, not for those that come with them."""
    upstream: bool = False
    downstream: bool = False
    past: bool = False
    future: bool = False
    only_failed: bool = False
    only_running: bool = False


@dataclass(frozen=True, slots=True)
class Chosen:
    """The instances chosen in one run, which is locked."""

    run: Run
    structure: Structure
    instances: tuple[TaskInstance, ...]


def choose_tasks(
    tx: Transaction, selection: Selection, structures: Structures, *, with_setups: bool = False
) -> list[Chosen]:
    """Lock the DAG and the runs concerned, and read the instances. `with_setups` adds setups and teardowns in scope.

    Raises:
        UnknownDag, UnknownRun, UnknownTask: as the name says.
    """
    run = lock_dag_and_find_run(tx, selection.dag_id, selection.run_id)
    structure = structures.get(tx, run.version_key)
    names = _task_ids(structure, selection, with_setups=with_setups)
    runs = [run] if not (selection.past or selection.future) else _around(tx, run, selection)
    chosen = []
    for locked in tx.runs.lock([each.key for each in runs]):
        instances = tuple(task for task in tx.tasks.instances(locked.key, names) if _is_meant(task, selection))
        chosen.append(Chosen(locked, structures.get(tx, locked.version_key), instances))
    _refuse_missing_instances(selection, chosen)
    return chosen


def lock_dag_and_find_run(tx: Transaction, dag_id: str, run_id: str) -> Run:
    """The lock comes first: it keeps the scheduler from starting or creating runs of the DAG meanwhile."""
    if not tx.dags.lock([dag_id]):
        raise UnknownDag(dag_id)
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    return run


def touch_run(tx: Transaction, run: Run, now: datetime) -> None:
    """A person changed something in the run: every memory of it is old, and a scheduler must look at it."""
    tx.runs.decided([run.key], None, now)
    tx.changes.record_runs([run.key], now)


def reach(structure: Structure, start: Iterable[int], *, upstream: bool, downstream: bool) -> set[int]:
    """The tasks with these numbers, and all before or after them."""
    numbers = set(start)
    found = set(numbers)
    for wanted, edges in ((upstream, structure.upstream), (downstream, structure.downstream)):
        stack = list(numbers) if wanted else []
        while stack:
            for other in edges[stack.pop()]:
                if other not in found:
                    found.add(other)
                    stack.append(other)
    return found


def _task_ids(structure: Structure, selection: Selection, *, with_setups: bool) -> list[str] | None:
    if selection.task_ids is None:
        return None
    numbers = set()
    for task_id in selection.task_ids:
        if task_id not in structure.index:
            raise UnknownTask(selection.dag_id, task_id)
        numbers.add(structure.index[task_id])
    numbers = reach(structure, numbers, upstream=selection.upstream, downstream=selection.downstream)
    if with_setups:
        numbers |= _setups_and_teardowns(structure, numbers)
    return sorted(structure.tasks[number].task_id for number in numbers)


def _setups_and_teardowns(structure: Structure, numbers: Collection[int]) -> set[int]:
    setups = {setup for number in numbers for setup in structure.setups_required[number]}
    setups |= {up for number in numbers for up in structure.upstream[number] if structure.is_setup[up]}
    teardowns = {down for setup in setups for down in structure.downstream[setup] if structure.is_teardown[down]}
    return setups | teardowns


def _around(tx: Transaction, run: Run, selection: Selection) -> list[Run]:
    return [
        other
        for other in tx.runs.of_dag(run.dag_id)
        if other.key == run.key
        or (selection.past and other.ordering_at < run.ordering_at)
        or (selection.future and other.ordering_at > run.ordering_at)
    ]


def _is_meant(task: TaskInstance, selection: Selection) -> bool:
    if selection.only_failed and task.state not in FAILED_STATES:
        return False
    if selection.only_running and task.state is not TaskState.RUNNING:
        return False
    if selection.map_indexes is None or selection.task_ids is None or task.task_id not in selection.task_ids:
        return True
    return task.map_index in selection.map_indexes


def _refuse_missing_instances(selection: Selection, chosen: Iterable[Chosen]) -> None:
    if selection.map_indexes is None or selection.task_ids is None:
        return
    if selection.only_failed or selection.only_running:
        return
    found = {(task.task_id, task.map_index) for each in chosen for task in each.instances}
    for task_id in selection.task_ids:
        for map_index in selection.map_indexes:
            if (task_id, map_index) not in found:
                raise UnknownTask(selection.dag_id, task_id, map_index)
