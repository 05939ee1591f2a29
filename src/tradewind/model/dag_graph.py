"""The edges and groups of a DAG that may still be wrong, for `dag_check`.

Edges to unknown tasks or to the task itself are left out; they are problems of their own. Nothing here is
recursive: a chain of ten thousand tasks, or of as many groups, must not end on Python's stack.
"""

from collections.abc import Collection, Iterator
from functools import cached_property

from tradewind.model.dag import Dag, Task
from tradewind.model.mapping import FixedLength, MapLength, OutputLength


class DagGraph:
    """What leads where, and what is inside of what."""

    def __init__(self, dag: Dag) -> None:
        self._dag = dag
        self.tasks: dict[str, Task] = {task.task_id: task for task in dag.tasks}
        self._upstream = {
            task_id: [up for up in dict.fromkeys(task.upstream) if up in self.tasks and up != task_id]
            for task_id, task in self.tasks.items()
        }
        self._order = self._topological_order()

    def cycle(self) -> tuple[str, ...]:
        """The tasks of one cycle, each upstream of the next; empty where there is none."""
        ordered = set(self._order)
        if len(ordered) == len(self.tasks):
            return ()
        # Whatever could not be ordered waits for something else that could not: going up must come round.
        task_id = next(task_id for task_id in self.tasks if task_id not in ordered)
        walked: dict[str, None] = {}
        while task_id not in walked:
            walked[task_id] = None
            task_id = next(up for up in self._upstream[task_id] if up not in ordered)
        path = list(walked)
        return tuple(reversed(path[path.index(task_id) :]))

    def is_upstream(self, source: str, task_id: str) -> bool:
        """Whether a task, near or far, waits for one that is mapped over. Within a cycle everything does."""
        if source in self.tasks[task_id].upstream or task_id not in self._passed:
            return True
        return bool(self._passed[task_id] & self._marks.get(source, 0))

    def mapped_group(self, group_id: str | None) -> str | None:
        """The nearest mapped group, from the given one outwards."""
        return None if group_id is None else self._nesting[0].get(group_id)

    def mapped_members(self, group_id: str) -> Collection[str]:
        """The tasks for which this is the nearest mapped group."""
        return self._members.get(group_id, ())

    @property
    def group_circle(self) -> tuple[str, ...]:
        """Groups of which each is inside the next; empty where there are none."""
        return self._nesting[1]

    def _topological_order(self) -> list[str]:
        downstream: dict[str, list[str]] = {task_id: [] for task_id in self.tasks}
        for task_id, upstream in self._upstream.items():
            for up in upstream:
                downstream[up].append(task_id)
        missing = {task_id: len(upstream) for task_id, upstream in self._upstream.items()}
        order = [task_id for task_id, count in missing.items() if count == 0]
        for task_id in order:  # grows while it is walked
            for down in downstream[task_id]:
                missing[down] -= 1
                if missing[down] == 0:
                    order.append(down)
        return order

    @cached_property
    def _marks(self) -> dict[str, int]:
        """A bit for each task that something maps over from further away than one edge."""
        sources: dict[str, None] = {}
        for task in self._dag.tasks:
            if task.mapping is not None:
                sources.update((source, None) for source in mapped_over(task.mapping) if source not in task.upstream)
        for group in self._dag.groups:
            if group.mapping is not None:
                sources.update((source, None) for source in mapped_over(group.mapping))
        return {source: 1 << number for number, source in enumerate(sources)}

    @cached_property
    def _passed(self) -> dict[str, int]:
        """For each ordered task, the marks of everything above it: one pass, no search per mapping."""
        passed: dict[str, int] = {}
        for task_id in self._order:
            marks = 0
            for up in self._upstream[task_id]:
                marks |= passed[up] | self._marks.get(up, 0)
            passed[task_id] = marks
        return passed

    @cached_property
    def _nesting(self) -> tuple[dict[str, str | None], tuple[str, ...]]:
        """For each group the nearest mapped one; and a circle of groups, if there is one."""
        groups = {group.group_id: group for group in self._dag.groups}
        nearest: dict[str, str | None] = {}
        circle: tuple[str, ...] = ()
        for start in groups:
            path: dict[str, None] = {}
            group_id: str | None = start
            while group_id in groups and group_id not in nearest and group_id not in path:
                path[group_id] = None
                group_id = groups[group_id].parent_id
            if group_id in path:
                walked = list(path)
                circle = circle or tuple(walked[walked.index(group_id) :])
            found = nearest.get(group_id) if group_id is not None else None
            for inner in reversed(path):
                found = inner if groups[inner].mapping is not None else found
                nearest[inner] = found
        return nearest, circle

    @cached_property
    def _members(self) -> dict[str, dict[str, None]]:
        members: dict[str, dict[str, None]] = {}
        for task in self._dag.tasks:
            group_id = self.mapped_group(task.group_id)
            if group_id is not None:
                members.setdefault(group_id, {})[task.task_id] = None
        return members


def mapped_over(mapping: MapLength) -> Collection[str]:
    """The tasks on whose output a length depends."""
    return dict.fromkeys(part.task_id for part in parts_of(mapping) if isinstance(part, OutputLength))


def parts_of(mapping: MapLength) -> Iterator[MapLength]:
    """Every part of a length, itself included."""
    waiting: list[MapLength] = [mapping]
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, FixedLength | OutputLength):
            waiting.extend(reversed(part.parts))
