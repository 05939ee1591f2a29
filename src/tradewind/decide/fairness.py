"""Fair turns between DAGs of equal priority: start-time fair queueing.

Each task that competes for a pool gets a turn, one after the last turn of its DAG but not before the turn the pool is
serving now. A DAG with a thousand waiting tasks so gets turns far ahead, a DAG that comes later is served in between,
and whoever waited longest is never overtaken for ever. A turn is just a number in the row: the database's index
order is the fair order, and no scheduler has to look at all that waits.
"""

_PRUNE_ABOVE = 4096


class FairTurns:
    """Hands out turns. One per scheduler; what it forgets at a restart costs a little fairness, once."""

    __slots__ = ("_last", "_served")

    def __init__(self) -> None:
        self._served: dict[str, int] = {}
        self._last: dict[tuple[str, str], int] = {}

    def served(self, pool: str, turn: int) -> None:
        """The pool is now serving `turn`."""
        self._served[pool] = max(turn, self._served.get(pool, 0))

    def next_turn(self, pool: str, dag_id: str) -> int:
        """The turn of the next task of `dag_id` in `pool`."""
        turn = max(self._served.get(pool, 0), self._last.get((pool, dag_id), 0)) + 1
        if len(self._last) > _PRUNE_ABOVE:
            self._last = {key: last for key, last in self._last.items() if last > self._served.get(key[0], 0)}
        self._last[pool, dag_id] = turn
        return turn
