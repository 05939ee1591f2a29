"""Triggerers of one home: who was killed is known to be dead at once (E6)."""

from pathlib import Path

from tradewind.model.ids import JobKey
from tradewind.triggerer.neighbours import Neighbours


def test_who_lives_holds_its_lock_and_who_left_is_not_missed(tmp_path: Path) -> None:
    one, other = Neighbours(tmp_path / "n"), Neighbours(tmp_path / "n")
    assert other.dead() == set()
    one.enter(JobKey(1))
    other.enter(JobKey(2))

    assert (one.dead(), other.dead()) == (set(), set())
    one.leave()
    one.leave()
    assert other.dead() == set()
    other.leave()


def test_a_file_without_its_owner_names_a_dead_one_once(tmp_path: Path) -> None:
    (tmp_path / "7").touch()
    neighbours = Neighbours(tmp_path)

    assert neighbours.dead() == {JobKey(7)}
    assert neighbours.dead() == set()


def test_a_new_life_has_a_new_file(tmp_path: Path) -> None:
    neighbours = Neighbours(tmp_path)
    neighbours.enter(JobKey(1))
    neighbours.enter(JobKey(2))

    assert [path.name for path in tmp_path.iterdir()] == ["2"]
    neighbours.leave()
