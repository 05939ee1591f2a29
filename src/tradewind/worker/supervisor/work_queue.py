"""Work that waits for a free slot on this machine."""

from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import count

from tradewind.model.ids import AttemptKey
from tradewind.model.task import WorkItem


class WorkQueue:
    """By priority, then in the order in which it came."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, WorkItem]] = []
        self._turn_of: dict[AttemptKey, int] = {}
        """What is in line, and since when. What was dropped stays in the heap until it comes to its top."""
        self._turns = count()

    def __len__(self) -> int:
        return len(self._turn_of)

    def __contains__(self, attempt: AttemptKey) -> bool:
        return attempt in self._turn_of

    def add(self, item: WorkItem) -> None:
        """Put it in line, unless it is there."""
        if item.attempt not in self._turn_of:
            turn = self._turn_of[item.attempt] = next(self._turns)
            heappush(self._heap, (-item.priority_weight, turn, item))

    def drop(self, attempts: Iterable[AttemptKey]) -> list[AttemptKey]:
        """Take these out of the line. Returns those that were there."""
        found = [attempt for attempt in attempts if attempt in self._turn_of]
        for attempt in found:
            del self._turn_of[attempt]
        return found

    def first(self, most: int) -> list[WorkItem]:
        """The first so many. They stay until they are dropped: who wants them may not get an answer."""
        entries: list[tuple[int, int, WorkItem]] = []
        while self._heap and len(entries) < most:
            entry = heappop(self._heap)
            if self._turn_of.get(entry[2].attempt) == entry[1]:
                entries.append(entry)
        for entry in entries:
            heappush(self._heap, entry)
        return [entry[2] for entry in entries]
