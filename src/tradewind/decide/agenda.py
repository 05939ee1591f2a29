"""What a run has to look at again, in the order of its tasks."""

import heapq
from collections.abc import Iterator

from tradewind.decide.structure import Structure


class Agenda:
    """Tasks (or single instances of them), each once, upstream before downstream.

    The order is what makes the result the same however the changes came: a task is decided when everything before it
    is, so that of a skip and a failure upstream, known at the same time, the failure counts.
    """

    __slots__ = ("_instances", "_order", "_rank", "_ranks")

    def __init__(self, structure: Structure) -> None:
        self._rank = structure.rank
        self._order = structure.order
        self._instances: dict[int, set[int | None]] = {}
        self._ranks: list[int] = []

    def add(self, number: int, map_index: int | None) -> None:
        """Look at this instance of the task; None: at all of them."""
        instances = self._instances.get(number)
        if instances is None:
            self._instances[number] = {map_index}
            heapq.heappush(self._ranks, self._rank[number])
        else:
            instances.add(map_index)

    def add_all(self) -> None:
        """Look at everything."""
        self._instances = {number: {None} for number in self._order}
        self._ranks = list(range(len(self._order)))

    def __iter__(self) -> Iterator[tuple[int, int | None]]:
        """Take from the agenda until it is empty; what is added meanwhile comes in its place."""
        while self._ranks:
            number = self._order[heapq.heappop(self._ranks)]
            instances = self._instances.pop(number)
            if None in instances:
                yield number, None
            else:
                for map_index in sorted(index for index in instances if index is not None):
                    yield number, map_index
