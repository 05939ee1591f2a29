"""Fair turns between DAGs of equal priority (B5)."""

from collections import Counter

from tradewind.decide import fairness
from tradewind.decide.fairness import FairTurns


class Line:
    """A pool's queue in order of turns, as the database would keep it."""

    def __init__(self) -> None:
        self.turns = FairTurns()
        self._waiting: list[tuple[int, int, str]] = []
        self._arrivals = 0

    def arrive(self, dag_id: str, count: int = 1) -> None:
        for _ in range(count):
            self._arrivals += 1
            self._waiting.append((self.turns.next_turn("pool", dag_id), self._arrivals, dag_id))

    def serve(self, count: int = 1) -> list[str]:
        self._waiting.sort()
        served, self._waiting = self._waiting[:count], self._waiting[count:]
        for turn, _, _ in served:
            self.turns.served("pool", turn)
        return [dag_id for _, _, dag_id in served]


def test_two_dags_alternate_however_much_each_has() -> None:
    line = Line()
    line.arrive("big", 1000)
    line.arrive("small", 5)

    assert line.serve(10) == ["big", "small"] * 5
    assert set(line.serve(10)) == {"big"}


def test_a_late_comer_is_served_within_one_round() -> None:
    line = Line()
    line.arrive("a", 100)
    line.arrive("b", 100)
    line.serve(50)

    line.arrive("late")

    assert "late" in line.serve(3)


def test_a_late_comer_does_not_get_what_it_missed() -> None:
    line = Line()
    line.arrive("old", 100)
    line.serve(50)

    line.arrive("late", 50)

    shares = Counter(line.serve(20))
    assert abs(shares["old"] - shares["late"]) <= 1


def test_nobody_starves_while_others_keep_coming() -> None:
    line = Line()
    line.arrive("patient", 3)
    served: list[str] = []
    for number in range(10):
        line.arrive(f"new{number}", 5)
        served += line.serve(2)

    assert served.count("patient") == 3


def test_pools_do_not_know_of_each_other() -> None:
    turns = FairTurns()
    turns.served("one", 500)

    assert (turns.next_turn("one", "dag"), turns.next_turn("two", "dag")) == (501, 1)


def test_turns_never_go_back() -> None:
    turns = FairTurns()
    turns.served("pool", 9)
    turns.served("pool", 3)

    assert turns.next_turn("pool", "dag") == 10


def test_what_is_served_already_is_forgotten() -> None:
    """Memory does not grow with every DAG that ever waited."""
    turns = FairTurns()
    for number in range(fairness._PRUNE_ABOVE + 10):
        turns.served("pool", turns.next_turn("pool", f"dag{number}"))

    assert len(turns._last) <= fairness._PRUNE_ABOVE + 1
