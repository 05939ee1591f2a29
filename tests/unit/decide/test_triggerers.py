"""Which triggers a triggerer takes, and who is dead."""

from datetime import UTC, datetime

import pytest

from tradewind.decide.liveness import Suspects
from tradewind.decide.triggerers import (
    Patience,
    Sentence,
    keeps_blocking,
    most_to_claim,
    sentence,
    silent_triggerers,
    stored_together,
)
from tradewind.model.ids import AttemptKey, JobKey, RunKey, TriggerKey
from tradewind.model.states import TaskState
from tradewind.model.trigger import Broke, EndedTask, Fired, Happened

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("capacity", "running", "at_once", "most"), [(10, 0, 50, 10), (1000, 990, 50, 10), (1000, 0, 50, 50), (5, 7, 50, 0)]
)
def test_no_more_are_claimed_than_fit_and_few_at_a_time(capacity: int, running: int, at_once: int, most: int) -> None:
    assert most_to_claim(capacity, running, at_once) == most


def test_workers_need_not_wait_until_all_events_are_stored() -> None:
    """B9, E1: those who came first go on first, and who has ended holds up nobody."""
    said: list[Happened | Broke | EndedTask] = [
        Happened(1),
        EndedTask(TaskState.SUCCESS, {}),
        Broke(()),
        Happened(2),
        EndedTask(TaskState.FAILED, {}),
    ]
    fired = [
        Fired(TriggerKey(number), AttemptKey(RunKey(1), f"t{number}", -1, 1), what) for number, what in enumerate(said)
    ]

    first, later = stored_together(fired, 2)

    assert [each.trigger for each in first] == [0, 1, 2, 4]
    assert stored_together(later, 2) == ([fired[3]], [])
    assert stored_together(fired, 3) == (fired, [])


def test_who_is_silent_for_too_long_is_dead_and_who_let_go_of_its_lock_at_once() -> None:
    """E6."""
    suspects = Suspects(30.0)
    first, second, third = JobKey(1), JobKey(2), JobKey(3)
    heard = [(first, NOON), (second, NOON), (third, NOON)]

    assert silent_triggerers(heard, {third, JobKey(9)}, suspects, 0.0) == {third}
    later = [(first, NOON), (second, NOON.replace(second=5))]
    assert silent_triggerers(later, (), suspects, 29.0) == set()
    assert silent_triggerers(later, (), suspects, 30.0) == {first}


def test_who_blocks_often_in_a_short_time_keeps_blocking() -> None:
    """E8."""
    patience = Patience(blocks=3, within_s=60.0)

    assert keeps_blocking([0.0, 30.0, 59.0], 59.0, patience)
    assert not keeps_blocking([0.0, 30.0, 61.0], 61.0, patience)
    assert not keeps_blocking([59.0], 59.0, patience)


@pytest.mark.parametrize(
    ("suspects", "strikes", "is_quarantine", "expected"),
    [
        (1, 1, False, Sentence.QUARANTINE),
        (5, 9, False, Sentence.QUARANTINE),
        (1, 1, True, Sentence.QUARANTINE),
        (1, 2, True, Sentence.FAILURE),
        (2, 2, True, Sentence.SOLITUDE),
    ],
)
def test_nobody_fails_for_what_another_one_may_have_done(
    suspects: int, strikes: int, is_quarantine: bool, expected: Sentence
) -> None:
    """E8."""
    assert sentence(suspects=suspects, strikes=strikes, is_quarantine=is_quarantine) is expected
