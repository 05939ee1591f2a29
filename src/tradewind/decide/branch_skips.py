"""What branches and short circuits decided against. It holds for as long as they stand, so also after a clear."""

from collections.abc import Iterator

from tradewind.decide.cells import Cell
from tradewind.decide.structure import NO_GROUP, Structure


class BranchSkips:
    """Which tasks are skipped by which instances."""

    __slots__ = ("_by", "_structure")

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._by: dict[int, set[tuple[int, int]]] = {}

    def remember(self, cell: Cell) -> Iterator[int]:
        """The cell succeeded: what it decided against is skipped. Yields those tasks."""
        for task_id in cell.skips:
            target = self._structure.index.get(task_id)
            if target is not None:
                self._by.setdefault(target, set()).add((cell.number, cell.map_index))
                yield target

    def forget(self, cell: Cell) -> None:
        """The cell may decide anew."""
        for task_id in cell.skips:
            target = self._structure.index.get(task_id)
            if target is not None:
                self._by.get(target, set()).discard((cell.number, cell.map_index))

    def applies_to(self, cell: Cell) -> bool:
        """Whether something decided against this instance; inside a mapped group, something of the same index."""
        sources = self._by.get(cell.number)
        if not sources:
            return False
        mapped_group = self._structure.mapped_group
        group = mapped_group[cell.number]
        if group == NO_GROUP:
            return True
        return any(mapped_group[number] != group or map_index == cell.map_index for number, map_index in sources)
