"""A DAG compiled for the engine: tasks by number, with everything a decision needs looked up ahead of time.

Made once per DAG version and shared by all its runs.
"""

from collections.abc import Iterator, Sequence

from tradewind.decide.priority import total_weights
from tradewind.model.dag import Dag, Task
from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip
from tradewind.model.states import TaskRole

NO_GROUP = -1


class Structure:
    """The compiled form of one DAG version. Never changed after it is made."""

    __slots__ = (
        "dag",
        "downstream",
        "group_members",
        "index",
        "is_setup",
        "is_teardown",
        "lengths",
        "map_dependents",
        "map_sources",
        "mapped_group",
        "order",
        "outcome_tasks",
        "past_readers",
        "priority",
        "rank",
        "setup_dependents",
        "setups_required",
        "tasks",
        "upstream",
    )

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self.tasks: tuple[Task, ...] = dag.tasks
        self.index = {task.task_id: number for number, task in enumerate(dag.tasks)}
        self.upstream = [tuple(sorted({self.index[up] for up in task.upstream})) for task in dag.tasks]
        self.downstream = _reverse(self.upstream)
        self.is_setup = [task.role is TaskRole.SETUP for task in dag.tasks]
        self.is_teardown = [task.role is TaskRole.TEARDOWN for task in dag.tasks]
        self.order = _topological_order(self.upstream, self.downstream)
        """Task numbers, each after all that it depends on."""
        self.rank = [0] * len(self.order)
        """By task number: its place in that order."""
        for rank, number in enumerate(self.order):
            self.rank[number] = rank
        self.priority = total_weights(dag.tasks, self.order, self.upstream, self.downstream)
        self.mapped_group, self.lengths = _mappings(dag)
        self.group_members: dict[int, list[int]] = {}
        """By mapped group: its tasks."""
        for number, group in enumerate(self.mapped_group):
            if group != NO_GROUP:
                self.group_members.setdefault(group, []).append(number)
        self.map_sources = [
            tuple(sorted({self.index[task_id] for task_id in _sources(length)})) if length else ()
            for length in self.lengths
        ]
        self.map_dependents = _reverse(self.map_sources)
        self.setups_required = self._indirect_setups()
        self.setup_dependents = _reverse(self.setups_required)
        self.outcome_tasks = self._outcome_tasks()
        self.past_readers = self._past_readers()

    def _indirect_setups(self) -> list[tuple[int, ...]]:
        """For each task, the setups whose scope it is in without being their direct downstream.

        A setup's scope is everything after it, up to its teardowns where it has any.
        """
        required: list[list[int]] = [[] for _ in self.tasks]
        for setup in (number for number, is_setup in enumerate(self.is_setup) if is_setup):
            teardowns = [down for down in self.downstream[setup] if self.is_teardown[down]]
            scope = _reachable([setup], self.downstream)
            if teardowns:
                scope &= _reachable(teardowns, self.upstream)
            for number in scope - {setup} - set(self.downstream[setup]):
                if not self.is_teardown[number]:
                    required[number].append(setup)
        return [tuple(setups) for setups in required]

    def _outcome_tasks(self) -> tuple[int, ...]:
        """The tasks whose ends make the run's end: leaves, looking through teardowns that do not count."""
        ignorable = [
            is_teardown and not task.fails_run for is_teardown, task in zip(self.is_teardown, self.tasks, strict=True)
        ]
        counted = tuple(
            number
            for number, downs in enumerate(self.downstream)
            if not ignorable[number] and all(ignorable[down] for down in downs)
        )
        return counted or tuple(number for number, downs in enumerate(self.downstream) if not downs)

    def _past_readers(self) -> dict[int, tuple[int, ...]]:
        """Whose end in this run may let which task of the next run go on (`depends_on_past`)."""
        readers: dict[int, set[int]] = {}
        for number, task in enumerate(self.tasks):
            if task.depends_on_past or task.wait_for_downstream:
                readers.setdefault(number, set()).add(number)
            if task.wait_for_downstream:
                for down in self.downstream[number]:
                    readers.setdefault(down, set()).add(number)
        return {number: tuple(sorted(who)) for number, who in readers.items()}


def _mappings(dag: Dag) -> tuple[list[int], list[MapLength | None]]:
    """For each task: the mapped group it is in (by number), and the length it is mapped over."""
    groups = {group.group_id: group for group in dag.groups}
    numbers = {group.group_id: number for number, group in enumerate(dag.groups)}
    mapped_group, lengths = [], []
    for task in dag.tasks:
        group_id = task.group_id
        while group_id is not None and groups[group_id].mapping is None:
            group_id = groups[group_id].parent_id
        mapped_group.append(NO_GROUP if group_id is None else numbers[group_id])
        lengths.append(task.mapping if group_id is None else groups[group_id].mapping)
    return mapped_group, lengths


def _sources(length: MapLength) -> Iterator[str]:
    match length:
        case FixedLength():
            return
        case OutputLength(task_id=task_id):
            yield task_id
        case Product(parts=parts) | Zip(parts=parts) | Concat(parts=parts):
            for part in parts:
                yield from _sources(part)


def _reverse(edges: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    reverse: list[list[int]] = [[] for _ in edges]
    for number, others in enumerate(edges):
        for other in others:
            reverse[other].append(number)
    return [tuple(numbers) for numbers in reverse]


def _reachable(start: Sequence[int], edges: Sequence[Sequence[int]]) -> set[int]:
    seen = set(start)
    stack = list(start)
    while stack:
        for other in edges[stack.pop()]:
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen


def _topological_order(upstream: Sequence[Sequence[int]], downstream: Sequence[Sequence[int]]) -> list[int]:
    missing = [len(ups) for ups in upstream]
    order = [number for number, count in enumerate(missing) if count == 0]
    for number in order:
        for down in downstream[number]:
            missing[down] -= 1
            if missing[down] == 0:
                order.append(down)
    if len(order) != len(upstream):
        raise ValueError("the tasks form a cycle")
    return order
