"""What every executor promises the scheduler (E1)."""

import time

import pytest

from tests.conformance.executors.places import NAME, Place, until, work_item, work_items
from tradewind.executors.interface import Executor
from tradewind.model.ids import AttemptKey

MOMENT_S = 10.0
"""Far more than any call may take, and far less than for ever."""


def keys(count: int) -> list[AttemptKey]:
    return [item.attempt for item in work_items(count)]


def hand_over(place: Place, executor: Executor, count: int = 3) -> None:
    """Submit, and wait until the workers have it."""
    executor.submit(work_items(count))
    until(lambda: len(place.arrived()) == count, "the work arrived")


def keeping(place: Place) -> Place:
    if not place.keeps_work:
        pytest.skip("its attempts end at once")
    return place


def test_it_has_the_name_that_it_was_given(place: Place) -> None:
    assert place.executor().name == NAME


def test_it_has_room_for_work_at_its_start(place: Place) -> None:
    assert place.executor().free_slots() > 0


def test_work_arrives_as_it_was_handed_over_with_queue_and_priority(place: Place) -> None:
    executor = place.executor()

    executor.submit(work_items(2))
    executor.submit([work_item(7)])

    expected = [*work_items(2), work_item(7)]
    until(lambda: len(place.arrived()) == 3, "the work arrived")
    assert place.arrived() == expected


def test_thousands_are_taken_at_once_and_none_is_lost(place: Place) -> None:
    executor = place.executor()

    executor.submit(work_items(5_000))

    until(lambda: len(place.arrived()) == 5_000, "all work arrived")
    assert place.arrived() == work_items(5_000)


def test_work_is_held_until_its_end(place: Place) -> None:
    executor = place.executor()

    hand_over(place, executor)
    assert executor.holds(keys(5)) == set(keys(3))
    for attempt in keys(3):
        place.let_end(attempt)

    until(lambda: place.ended() == set(keys(3)), "the ends were told")
    until(lambda: not executor.holds(keys(5)), "nothing is held any more")


def test_what_was_never_handed_over_is_not_held(place: Place) -> None:
    executor = place.executor()

    assert executor.holds(keys(1)) == set()
    assert executor.holds([]) == set()


def test_another_attempt_of_the_same_task_is_other_work(place: Place) -> None:
    executor = place.executor()
    hand_over(place, executor, 1)

    assert executor.holds([work_item(0, attempt=2).attempt]) == set()


def test_work_that_it_has_is_not_taken_again(place: Place) -> None:
    executor = keeping(place).executor()
    hand_over(place, executor, 2)
    free = executor.free_slots()

    executor.submit(work_items(2))

    assert place.arrived() == work_items(2)
    assert executor.free_slots() == free


def test_work_takes_slots_and_its_end_gives_them_back(place: Place) -> None:
    executor = place.executor()
    free = executor.free_slots()
    hand_over(place, executor, 1)
    assert executor.free_slots() <= free

    place.let_end(keys(1)[0])

    until(lambda: bool(place.ended()), "the end was told")
    until(lambda: executor.free_slots() == free, "its slot is free again")


def test_there_are_never_less_than_no_slots(place: Place) -> None:
    executor = place.executor()

    executor.submit(work_items(300))

    assert executor.free_slots() >= 0


def test_revoked_work_is_held_no_more_and_does_not_stay_with_the_workers(place: Place) -> None:
    executor = keeping(place).executor()
    hand_over(place, executor, 3)

    executor.revoke([keys(3)[1]])

    assert executor.holds(keys(3)) == {keys(3)[0], keys(3)[2]}
    until(lambda: [item.priority_weight for item in place.arrived()] == [0, 2], "the workers have heard it")


def test_what_is_unknown_can_be_revoked(place: Place) -> None:
    executor = place.executor()

    executor.revoke(keys(2))
    executor.revoke([])

    assert executor.holds(keys(2)) == set()


def test_nothing_is_adopted_that_nobody_has(place: Place) -> None:
    executor = place.executor()
    hand_over(place, executor, 1)

    assert executor.adopt([]) == set()
    assert executor.adopt([work_item(9).attempt]) == set()
    assert executor.holds([work_item(9).attempt]) == set()


def test_the_next_scheduler_finds_what_goes_on(place: Place) -> None:
    """D5: a restarted scheduler takes over the tasks that it left running."""
    former = keeping(place).executor()
    hand_over(place, former, 2)
    former.close()

    executor = place.executor()
    found = executor.adopt(keys(3))

    if not place.outlives_schedulers:
        assert found == set()
        return
    assert found == executor.holds(keys(3)) == set(keys(2))
    place.let_end(keys(2)[0])
    until(lambda: executor.holds(keys(3)) == {keys(2)[1]}, "the end of what was adopted is known")


def test_work_goes_on_after_the_executor_was_closed(place: Place) -> None:
    former = keeping(place).executor()
    hand_over(place, former, 2)

    former.close()

    assert place.arrived() == work_items(2)


def test_what_workers_took_to_their_grave_reaches_the_next_ones(place: Place) -> None:
    """D5: the engine lets nobody begin twice, so handing over again is safe, and nothing is forgotten."""
    if not place.outlives_schedulers:
        pytest.skip("its workers die with it")
    executor = place.executor()
    hand_over(place, executor, 3)
    place.let_end(keys(1)[0])
    until(lambda: keys(1)[0] not in executor.holds(keys(3)), "one has ended")

    place.replace_workers()

    until(lambda: len(place.arrived()) == 2, "the next workers have the rest")
    assert [item.attempt for item in place.arrived()] == keys(3)[1:]
    assert executor.holds(keys(3)) == set(keys(3)[1:])


def test_frozen_workers_hold_up_nobody(place: Place) -> None:
    """The scheduler has one thread: whatever hangs elsewhere, it goes on."""
    executor = keeping(place).executor()
    hand_over(place, executor, 1)
    place.freeze()
    began = time.monotonic()

    executor.submit(work_items(5_000))
    executor.reports()
    executor.free_slots()
    executor.holds(keys(3))
    executor.revoke(keys(2)[1:])
    found = executor.adopt([work_item(6_000).attempt])

    assert time.monotonic() - began < MOMENT_S
    assert found == set()
    assert executor.holds(keys(3)) == {keys(3)[0], keys(3)[2]}
