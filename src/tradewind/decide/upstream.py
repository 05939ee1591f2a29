"""How the upstream instances of each task stand, counted as they change so that nobody has to look at them again."""

from tradewind.decide.agenda import Agenda
from tradewind.decide.cells import Cell
from tradewind.decide.structure import NO_GROUP, Structure
from tradewind.decide.trigger_rules import UpstreamCounts
from tradewind.model.ids import UNMAPPED
from tradewind.model.states import TaskState


class UpstreamTally:
    """Counts by task; inside a mapped group by instance, since there each depends on its own index only."""

    __slots__ = ("_by_instance", "_by_task", "_structure")

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._by_task = [UpstreamCounts() for _ in structure.tasks]
        self._by_instance: dict[tuple[int, int], UpstreamCounts] = {}

    def of(self, cell: Cell) -> UpstreamCounts:
        """How the upstream instances of this instance stand."""
        counts = self._by_task[cell.number]
        if not self._by_instance:
            return counts
        # What ended before it got instances ended for each of them.
        for map_index in {cell.map_index, UNMAPPED}:
            within = self._by_instance.get((cell.number, map_index))
            if within is not None and within.total:
                counts = counts.plus(within)
        return counts

    def count(self, cell: Cell, old: TaskState | None, new: TaskState | None, agenda: Agenda) -> None:
        """An instance went from one state to another (None: it does not exist). Whom it concerns goes on `agenda`."""
        structure, number = self._structure, cell.number
        is_setup = structure.is_setup[number]
        group = structure.mapped_group[number]
        for down in structure.downstream[number]:
            is_within = group != NO_GROUP and structure.mapped_group[down] == group
            counts = self._within(down, cell.map_index) if is_within else self._by_task[down]
            if old is not None:
                counts.add(old, -1, is_setup)
            if new is not None:
                counts.add(new, +1, is_setup)
            agenda.add(down, cell.map_index if is_within else None)

    def _within(self, number: int, map_index: int) -> UpstreamCounts:
        counts = self._by_instance.get((number, map_index))
        if counts is None:
            counts = self._by_instance[number, map_index] = UpstreamCounts()
        return counts
