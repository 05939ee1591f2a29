"""When something that fell silent counts as lost (B7)."""

from datetime import timedelta

import pytest

from tests.instants import utc
from tradewind.decide.liveness import StuckAction, Suspects, decide_stuck

T0 = utc("2026-01-01")


def test_silence_alone_makes_a_suspect_and_lasting_silence_makes_it_lost() -> None:
    suspects = Suspects(confirm_s=15.0)

    assert suspects.confirm([("a", T0)], 100.0) == set()
    assert suspects.confirm([("a", T0)], 114.9) == set()
    assert suspects.confirm([("a", T0)], 115.0) == {"a"}


def test_a_sign_of_life_clears_the_suspicion() -> None:
    suspects = Suspects(confirm_s=15.0)
    suspects.confirm([("a", T0)], 100.0)

    assert suspects.confirm([("a", T0 + timedelta(seconds=5))], 116.0) == set()
    assert suspects.confirm([("a", T0 + timedelta(seconds=5))], 131.0) == {"a"}


def test_a_clock_that_jumps_makes_suspects_of_all_and_kills_none() -> None:
    suspects = Suspects(confirm_s=15.0)
    everyone = [(number, T0) for number in range(100)]

    assert suspects.confirm(everyone, 100.0) == set()
    assert suspects.confirm([], 105.0) == set()
    assert suspects.confirm(everyone, 120.0) == set()


def test_who_was_lost_is_told_again_only_after_another_while() -> None:
    suspects = Suspects(confirm_s=15.0)
    suspects.confirm([("a", None)], 100.0)
    assert suspects.confirm([("a", None)], 120.0) == {"a"}

    assert suspects.confirm([("a", None)], 121.0) == set()


def test_each_suspect_has_its_own_time() -> None:
    suspects = Suspects(confirm_s=10.0)
    suspects.confirm([("a", T0)], 100.0)
    suspects.confirm([("a", T0), ("b", T0)], 105.0)

    assert suspects.confirm([("a", T0), ("b", T0)], 112.0) == {"a"}


@pytest.mark.parametrize(
    ("requeues", "most", "action"),
    [
        (0, 2, StuckAction.REQUEUE),
        (1, 2, StuckAction.REQUEUE),
        (2, 2, StuckAction.FAIL),
        (0, 0, StuckAction.FAIL),
    ],
)
def test_a_stuck_task_is_put_back_in_line_so_often_and_then_fails(
    requeues: int, most: int, action: StuckAction
) -> None:
    decision = decide_stuck(requeues, most, 600.0)

    assert decision.action is action
    assert "600 s" in decision.reason
