"""Which triggers a triggerer takes, and who is dead."""

from datetime import UTC, datetime

import pytest

from tradewind.decide.liveness import Suspects
from tradewind.decide.triggerers import most_to_claim, silent_triggerers
from tradewind.model.ids import JobKey

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("capacity", "running", "at_once", "most"), [(10, 0, 50, 10), (1000, 990, 50, 10), (1000, 0, 50, 50), (5, 7, 50, 0)]
)
def test_no_more_are_claimed_than_fit_and_few_at_a_time(capacity: int, running: int, at_once: int, most: int) -> None:
    assert most_to_claim(capacity, running, at_once) == most


def test_who_is_silent_for_too_long_is_dead_and_who_let_go_of_its_lock_at_once() -> None:
    """E6."""
    suspects = Suspects(30.0)
    first, second, third = JobKey(1), JobKey(2), JobKey(3)
    heard = [(first, NOON), (second, NOON), (third, NOON)]

    assert silent_triggerers(heard, {third, JobKey(9)}, suspects, 0.0) == {third}
    later = [(first, NOON), (second, NOON.replace(second=5))]
    assert silent_triggerers(later, (), suspects, 29.0) == set()
    assert silent_triggerers(later, (), suspects, 30.0) == {first}
