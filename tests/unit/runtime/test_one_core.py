"""A8: a process whose threads take turns is quicker on one core, as long as nobody else needs that."""

import os
import threading

import pytest

from tradewind.runtime.one_core import OneCore, Times, next_cores, one_core

BOTH = frozenset({0, 1})
START = Times(0.0, 0.0, {0: 0.0, 1: 0.0}, {0: 0.0, 1: 0.0})


def after_a_second(*, own: float, busy: tuple[float, float]) -> Times:
    """`busy` is of each core, with what we take of it."""
    return Times(1.0, own, dict(enumerate(busy)), {core: 1.0 - share for core, share in enumerate(busy)})


def test_it_begins_on_the_core_that_has_most_room() -> None:
    assert next_cores(BOTH, BOTH, START, after_a_second(own=0.0, busy=(0.3, 0.1))) == {1}


def test_it_stays_while_nobody_else_needs_the_core_however_busy_it_is_itself() -> None:
    assert next_cores(frozenset({1}), BOTH, START, after_a_second(own=0.97, busy=(0.0, 1.0))) == {1}


def test_it_goes_where_there_is_room_when_others_come() -> None:
    assert next_cores(frozenset({1}), BOTH, START, after_a_second(own=0.5, busy=(0.1, 1.0))) == {0}


def test_it_takes_what_it_gets_where_there_is_room_nowhere() -> None:
    now = after_a_second(own=0.3, busy=(1.0, 1.0))

    assert next_cores(frozenset({1}), BOTH, START, now) == BOTH
    assert next_cores(BOTH, BOTH, START, now) == BOTH


def test_it_comes_back_to_one_core_when_the_others_are_gone() -> None:
    assert next_cores(BOTH, BOTH, START, after_a_second(own=1.2, busy=(0.6, 0.65))) == {0}


def test_a_clock_that_stands_still_moves_nobody() -> None:
    assert next_cores(BOTH, BOTH, START, START) == BOTH


def test_it_moves_only_when_there_is_something_to_change() -> None:
    moves: list[frozenset[int]] = []
    looks = iter([START, after_a_second(own=0.0, busy=(0.9, 0.0)), START._replace(at=2.0)])
    process = OneCore(BOTH, lambda: next(looks), lambda cores: moves.append(frozenset(cores)))

    process.settle()
    process.settle()

    assert moves == [{1}]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core only")
def test_all_threads_of_a_process_move() -> None:
    allowed = os.sched_getaffinity(0)
    has_moved = threading.Event()
    seen: list[set[int]] = []

    def note() -> None:
        assert has_moved.wait(60)
        seen.append(os.sched_getaffinity(0))

    other = threading.Thread(target=note)
    other.start()
    found = one_core()
    assert found is not None
    try:
        found._move(allowed - {max(allowed)})
        here = os.sched_getaffinity(0)
        has_moved.set()
        other.join()
    finally:
        found._move(allowed)

    assert here == allowed - {max(allowed)}
    assert seen == [here]
