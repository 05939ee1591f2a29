"""Which task instances a person means: "this task and everything after it, in this run and the later ones"."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from tradewind.decide.structure import NO_GROUP, Structure
from tradewind.errors import UnknownDag, UnknownRun, UnknownTask
from tradewind.model.ids import VersionKey
from tradewind.model.run import Run
from tradewind.model.states import FAILED_STATES, TaskState
from tradewind.model.task import TaskInstance
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class Selection:
    """Tasks of one run or of many, and how far around them to go."""

    dag_id: str
    run_id: str | None
    """None: all runs whose logical dates lie within `since` and `until`."""
    task_ids: tuple[str, ...] | None = None
    """None: all tasks, unless there are `instances`."""
    map_indexes: tuple[int, ...] | None = None
    """None: all instances. Only for the named tasks, not for those that come with them."""
    instances: tuple[tuple[str, int], ...] = ()
    """More, by task and map index."""
    upstream: bool = False
    downstream: bool = False
    past: bool = False
    future: bool = False
    since: datetime | None = None
    until: datetime | None = None
    only_failed: bool = False
    only_running: bool = False

    @property
    def named(self) -> tuple[str, ...] | None:
        """The tasks that were named, in whichever way; None: all."""
        if self.task_ids is None and not self.instances:
            return None
        return tuple(dict.fromkeys((*(self.task_ids or ()), *(task_id for task_id, _ in self.instances))))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The instances chosen in one run, which is locked."""

    run: Run
    structure: Structure
    instances: tuple[TaskInstance, ...]


def choose_tasks(
    tx: Transaction, selection: Selection, structures: Structures, *, with_setups: bool = False, locks: bool = True
) -> list[Chosen]:
    """Lock the DAG and the runs concerned, and read the instances.

    Args:
        tx: the transaction.
        selection: what is meant.
        structures: compiled DAGs.
        with_setups: adds setups and teardowns in whose scope the tasks are.
        locks: False only to look, which nobody need wait for.

    Raises:
        UnknownDag, UnknownRun, UnknownTask: as the name says.
    """
    runs = _runs(tx, selection, locks=locks)
    if not runs:
        return []
    structure = structures.get(tx, runs[0].version_key if selection.run_id else _latest_version(tx, selection))
    meant = _Meant(structure, selection)
    names = _task_ids(structure, selection, with_setups=with_setups)
    if selection.past or selection.future:
        runs = _around(tx, runs[0], selection)
    chosen = []
    for run in tx.runs.lock([each.key for each in runs]) if locks else runs:
        instances = tuple(task for task in tx.tasks.instances(run.key, names) if meant(task))
        chosen.append(Chosen(run, structures.get(tx, run.version_key), instances))
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


def _runs(tx: Transaction, selection: Selection, *, locks: bool) -> list[Run]:
    if selection.run_id is not None:
        if locks:
            return [lock_dag_and_find_run(tx, selection.dag_id, selection.run_id)]
        run = tx.runs.find(selection.dag_id, selection.run_id)
        if run is None:
            raise UnknownRun(selection.dag_id, selection.run_id)
        return [run]
    if not (tx.dags.lock([selection.dag_id]) if locks else tx.dags.find(selection.dag_id)):
        raise UnknownDag(selection.dag_id)
    return [run for run in tx.runs.of_dag(selection.dag_id) if _is_within(run, selection.since, selection.until)]


def _is_within(run: Run, since: datetime | None, until: datetime | None) -> bool:
    if run.logical_date is None:
        return since is None and until is None
    return (since is None or run.logical_date >= since) and (until is None or run.logical_date <= until)


def _latest_version(tx: Transaction, selection: Selection) -> VersionKey:
    record = tx.dags.find(selection.dag_id)
    if record is None or record.version_key is None:
        raise UnknownDag(selection.dag_id)
    return record.version_key


def _task_ids(structure: Structure, selection: Selection, *, with_setups: bool) -> list[str] | None:
    if selection.named is None:
        return None
    numbers = set()
    for task_id in selection.named:
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


class _Meant:
    """Whether an instance of one of the chosen tasks is meant."""

    def __init__(self, structure: Structure, selection: Selection) -> None:
        self._structure = structure
        self._selection = selection
        self._whole = set(selection.task_ids or ()) if selection.map_indexes is None else set()
        self._indexes: dict[str, set[int]] = {}
        """By task: the map indexes that were named."""
        for task_id, map_index in selection.instances:
            self._indexes.setdefault(task_id, set()).add(map_index)
        if selection.map_indexes is not None:
            for task_id in selection.task_ids or ():
                self._indexes.setdefault(task_id, set()).update(selection.map_indexes)
        self._of_groups = self._indexes_of_groups()

    def __call__(self, task: TaskInstance) -> bool:
        if self._selection.only_failed and task.state not in FAILED_STATES:
            return False
        if self._selection.only_running and task.state is not TaskState.RUNNING:
            return False
        if task.task_id in self._whole:
            return True
        named = self._indexes.get(task.task_id)
        if named is None:
            named = self._of_groups.get(self._group(task.task_id))
        return named is None or task.map_index in named

    def _indexes_of_groups(self) -> dict[int, set[int]]:
        """Tasks that come along from the same mapped group come with the same map indexes."""
        found: dict[int, set[int]] = {}
        for task_id, indexes in self._indexes.items():
            if self._group(task_id) != NO_GROUP:
                found.setdefault(self._group(task_id), set()).update(indexes)
        for task_id in self._whole:
            found.pop(self._group(task_id), None)
        return found

    def _group(self, task_id: str) -> int:
        number = self._structure.index.get(task_id)
        return NO_GROUP if number is None else self._structure.mapped_group[number]


def _refuse_missing_instances(selection: Selection, chosen: Iterable[Chosen]) -> None:
    if selection.only_failed or selection.only_running:
        return
    named = set(selection.instances)
    if selection.map_indexes is not None:
        named |= {(task_id, index) for task_id in selection.task_ids or () for index in selection.map_indexes}
    found = {(task.task_id, task.map_index) for each in chosen for task in each.instances}
    for task_id, map_index in sorted(named - found):
        raise UnknownTask(selection.dag_id, task_id, map_index)
