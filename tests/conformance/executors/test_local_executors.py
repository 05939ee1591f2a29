"""What the executors of this machine do beyond what all of them promise."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.executors.local_place import LocalPlace, SequentialPlace
from tests.conformance.executors.places import NAME, until, work_item, work_items
from tests.conformance.executors.test_executors import hand_over, keys
from tradewind.telemetry.events import ExecutorFailed
from tradewind.testing.clock import FakeClock


@pytest.fixture
def place(tmp_path: Path) -> Iterator[LocalPlace]:
    made = LocalPlace(tmp_path)
    yield made
    made.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def deserted(tmp_path: Path, clock: FakeClock) -> Iterator[LocalPlace]:
    """Where no supervisor ever comes up."""
    made = LocalPlace(tmp_path, clock, starts=False)
    yield made
    made.close()


def test_the_next_attempt_lies_ready_when_one_runs_at_a_time(tmp_path: Path) -> None:
    place = SequentialPlace(tmp_path)
    executor = place.executor()
    try:
        assert executor.free_slots() == 2
        executor.submit(work_items(2))
        assert executor.free_slots() == 0
    finally:
        place.close()


def test_twice_as_many_are_taken_as_run_at_once(place: LocalPlace) -> None:
    assert place.executor().free_slots() == 64


def test_one_supervisor_is_started_however_many_schedulers_ask(place: LocalPlace) -> None:
    first, second = place.executor(), place.executor()

    hand_over(place, first, 1)
    second.submit([work_item(1)])

    until(lambda: len(place.arrived()) == 2, "both reached the same supervisor")
    assert place.ask("submits") == 2


def test_who_adopted_hears_of_the_end_and_so_does_who_submitted(place: LocalPlace) -> None:
    first, second = place.executor(), place.executor()
    hand_over(place, first, 2)
    until(lambda: second.adopt(keys(2)) == set(keys(2)), "it was found")

    place.let_end(keys(2)[0])

    until(lambda: first.holds(keys(2)) == {keys(2)[1]}, "the first has heard")
    until(lambda: second.holds(keys(2)) == {keys(2)[1]}, "the second has heard")


def test_what_was_adopted_is_asked_for_again_after_the_supervisor_was_replaced(place: LocalPlace) -> None:
    """Only its key is known, so it cannot be handed over again: the scheduler does that, once it is not held."""
    former = place.executor()
    hand_over(place, former, 1)
    executor = place.executor()
    until(lambda: executor.adopt(keys(1)) == set(keys(1)), "it was found")
    former.close()

    place.replace_workers()

    until(lambda: executor.holds(keys(1)) == set(), "it is known that nobody has it")


def test_what_nobody_has_any_more_is_not_held_for_ever(tmp_path: Path, clock: FakeClock) -> None:
    """A word that gets lost must not cost a slot."""
    place = LocalPlace(tmp_path, clock)
    executor = place.executor()
    hand_over(place, executor, 2)
    place.ask("forget", attempt=list(keys(1)[0]))
    assert executor.holds(keys(2)) == set(keys(2))

    clock.advance(31)

    until(lambda: executor.holds(keys(2)) == {keys(2)[1]}, "it has asked")
    place.close()


def test_an_answer_that_was_overtaken_brings_nothing_back_that_was_revoked(place: LocalPlace) -> None:
    executor = place.executor()
    hand_over(place, executor, 2)
    place.ask("mute")
    assert executor.adopt(keys(3)) == set(), "nobody answers in time"

    executor.revoke(keys(1))
    place.ask("held", attempts=[list(key) for key in keys(3)])

    until(lambda: executor.holds(keys(3)) == set(keys(3)[1:]), "the answer was heard")


def test_a_supervisor_that_talks_nonsense_is_hung_up_on(place: LocalPlace) -> None:
    executor = place.executor()
    hand_over(place, executor, 1)

    place.ask("nonsense")

    until(lambda: bool(place.arrived()) and place.ask("submits") == 2, "it connected anew and handed over again")
    assert ExecutorFailed(NAME, "its worker went away") in place.events
    assert executor.holds(keys(1)) == set(keys(1))


def test_a_supervisor_that_does_not_come_up_is_started_again_at_growing_intervals(
    deserted: LocalPlace, clock: FakeClock
) -> None:
    executor = deserted.executor()

    starts = []
    for _ in range(64):
        executor.reports()
        starts.append(deserted.starts)
        clock.advance(1)

    assert [second for second in range(1, 64) if starts[second] > starts[second - 1]] == [2, 6, 14, 30, 60]


def test_no_work_is_taken_while_the_supervisor_stays_away_and_it_is_told_once(
    deserted: LocalPlace, clock: FakeClock
) -> None:
    executor = deserted.executor()
    assert executor.free_slots() == 64
    executor.submit(work_items(1))

    for _ in range(30):
        clock.advance(1)
        executor.reports()

    assert executor.free_slots() == 0
    assert executor.holds(keys(1)) == set(keys(1))
    (event,) = deserted.events
    assert isinstance(event, ExecutorFailed)
    assert event.error.endswith("/worker.log")
    assert executor.adopt(keys(1)) == set()


def test_a_supervisor_that_cannot_be_started_is_told_of(deserted: LocalPlace, clock: FakeClock) -> None:
    deserted.refusal = OSError("out of processes")

    deserted.executor().reports()

    (event,) = deserted.events
    assert dataclasses.asdict(event) == {"executor": NAME, "error": "its worker cannot be started: out of processes"}
