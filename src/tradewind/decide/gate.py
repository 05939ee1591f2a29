"""The limits inside one run: which of its scheduled tasks may compete for slots at all.

A run never lets more tasks through than `max_active_tasks` (and `max_active_tis_per_dagrun` of a task) allow, so the
queue that schedulers share holds only tasks that nothing but slots keeps waiting. That keeps admission cheap and
strict: the head of the queue is always something that could run.
"""

import heapq

from tradewind.decide.cells import Cell
from tradewind.decide.structure import Structure
from tradewind.model.states import HeldBy, TaskState

_Entry = tuple[int, int, int, int, Cell]


class Gate:
    """Counts who is through, and keeps the others in order of priority."""

    __slots__ = ("_held", "_limit", "_parked", "_pushes", "_structure", "_through", "_through_by_task")

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._limit = structure.dag.max_active_tasks
        self._held: list[_Entry] = []
        self._parked: dict[int, list[_Entry]] = {}
        """Instances of tasks that are at their own limit: out of the way, so that nobody looks at them again."""
        self._pushes = 0
        self._through: dict[Cell, None] = {}
        self._through_by_task: dict[int, int] = {}

    def count(self, cell: Cell, amount: int) -> None:
        """A task instance became (+1) or ceased to be (-1) one that is through."""
        if amount > 0:
            self._through[cell] = None
        else:
            self._through.pop(cell, None)
        if self._structure.tasks[cell.number].max_active_per_run is None:
            return
        self._through_by_task[cell.number] = self._through_by_task.get(cell.number, 0) + amount
        if amount < 0:
            self._unpark(cell.number)

    def hold(self, cell: Cell) -> None:
        """Put a scheduled instance in line. Its `held_by` must be set."""
        self._pushes += 1
        entry = (-self._structure.priority[cell.number], cell.number, cell.map_index, self._pushes, cell)
        heapq.heappush(self._held, entry)

    def release(self) -> list[Cell]:
        """Let through, by priority, all that the limits allow now."""
        released: list[Cell] = []
        while len(self._through) < self._limit and self._head() is not None:
            cell = heapq.heappop(self._held)[4]
            cell.held_by = None
            self.count(cell, +1)
            released.append(cell)
        return released

    def yielding(self) -> list[Cell]:
        """Instances that are through but must give way: the run is full, and something more urgent is in line.

        They may have got their slots meanwhile, which only a guarded write can tell: `took_back` or `kept` follows.
        """
        head = self._head() if len(self._through) >= self._limit else None
        if head is None:
            return []
        urgent = -head[0]
        priority = self._structure.priority
        return [cell for cell in self._through if cell.state is TaskState.SCHEDULED and priority[cell.number] < urgent]

    def took_back(self, cell: Cell) -> None:
        """A yielding instance is in line again."""
        self.count(cell, -1)
        cell.held_by = HeldBy.MAX_ACTIVE_TASKS
        self.hold(cell)

    def kept(self, cell: Cell) -> None:
        """A yielding instance turned out to have its slots already."""
        cell.state = TaskState.QUEUED

    def _head(self) -> _Entry | None:
        """Whose turn it is. Who is no longer in line, or is at the limit of its own task, is put away on the way."""
        while self._held:
            entry = self._held[0]
            cell = entry[4]
            if cell.is_held and not self._is_task_full(cell.number):
                return entry
            heapq.heappop(self._held)
            if cell.is_held:
                cell.held_by = HeldBy.MAX_ACTIVE_PER_RUN
                heapq.heappush(self._parked.setdefault(cell.number, []), entry)
            else:
                # It may be the very one that came back from the parked when a place came free.
                self._unpark(cell.number)
        return None

    def _unpark(self, number: int) -> None:
        parked = self._parked.get(number)
        if parked:
            heapq.heappush(self._held, heapq.heappop(parked))

    def _is_task_full(self, number: int) -> bool:
        limit = self._structure.tasks[number].max_active_per_run
        return limit is not None and self._through_by_task.get(number, 0) >= limit
