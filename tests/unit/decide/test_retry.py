"""Whether and when a failed attempt is tried again (D4)."""

import math
from datetime import timedelta

import pytest

from tests.instants import utc
from tradewind.decide.retry import LONGEST_DELAY_S, decide_retry, retry_delay_s
from tradewind.model.dag import Retry

FAILED_AT = utc("2026-01-01 12:00")


@pytest.mark.parametrize(
    ("try_number", "max_tries", "is_retried"), [(1, 0, False), (1, 1, True), (2, 1, False), (3, 5, True), (6, 5, False)]
)
def test_a_task_has_one_try_and_as_many_retries_as_it_says(try_number: int, max_tries: int, is_retried: bool) -> None:
    decision = decide_retry(
        Retry(delay_s=60.0), try_number=try_number, max_tries=max_tries, failed_at=FAILED_AT, jitter_seed="x"
    )

    assert (decision.at is not None) is is_retried
    assert f"try {try_number} of {max_tries + 1}" in decision.reason


def test_a_fixed_delay_is_kept_to_the_second() -> None:
    decision = decide_retry(Retry(delay_s=90.0), try_number=1, max_tries=3, failed_at=FAILED_AT, jitter_seed="x")

    assert decision.at == utc("2026-01-01 12:01:30")


def test_a_failure_that_is_final_by_its_nature_is_not_tried_again() -> None:
    decision = decide_retry(Retry(), try_number=1, max_tries=9, failed_at=FAILED_AT, jitter_seed="x", may_retry=False)

    assert decision.at is None
    assert "no retry" in decision.reason


def test_a_policy_of_its_own_wins_over_the_delay_but_not_over_the_number_of_tries() -> None:
    policy = {"failed_at": FAILED_AT, "jitter_seed": "x", "delay_override_s": 5.0}

    assert decide_retry(Retry(), try_number=1, max_tries=1, **policy).at == utc("2026-01-01 12:00:05")  # type: ignore[arg-type]
    assert decide_retry(Retry(), try_number=2, max_tries=1, **policy).at is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("override_s", "delay_s"),
    [(-5.0, 0.0), (math.inf, LONGEST_DELAY_S), (-math.inf, 0.0), (1e300, LONGEST_DELAY_S), (math.nan, 60.0)],
)
def test_a_policy_that_answers_nonsense_still_gives_an_instant(override_s: float, delay_s: float) -> None:
    decision = decide_retry(
        Retry(delay_s=60.0),
        try_number=1,
        max_tries=1,
        failed_at=FAILED_AT,
        jitter_seed="x",
        delay_override_s=override_s,
    )

    assert decision.at == FAILED_AT + timedelta(seconds=delay_s)


@pytest.mark.parametrize("multiplier", [1.0, 2.0, 3.5])
@pytest.mark.parametrize("try_number", [1, 2, 5])
def test_a_growing_delay_lies_between_once_and_twice_the_back_off(multiplier: float, try_number: int) -> None:
    retry = Retry(delay_s=10.0, multiplier=multiplier)

    delay_s = retry_delay_s(retry, try_number, "seed")

    base = 10.0 * multiplier ** (try_number - 1)
    assert base <= delay_s < 2 * base + 2


def test_the_jitter_is_the_same_for_the_same_seed_and_differs_otherwise() -> None:
    retry = Retry(delay_s=100.0, multiplier=2.0)
    delays = {retry_delay_s(retry, 2, f"dag/task/{number}") for number in range(50)}

    assert retry_delay_s(retry, 2, "a") == retry_delay_s(retry, 2, "a")
    assert len(delays) == 50
    assert max(delays) - min(delays) > 100


def test_the_maximum_of_the_task_and_the_maximum_of_all_hold() -> None:
    growing = Retry(delay_s=10.0, multiplier=10.0, max_delay_s=500.0)

    assert retry_delay_s(growing, 9, "x") == 500.0
    assert retry_delay_s(growing, 9, "x", longest_delay_s=60.0) == 60.0
    assert retry_delay_s(Retry(delay_s=1e9), 1, "x") == LONGEST_DELAY_S
    assert retry_delay_s(Retry(delay_s=100.0, max_delay_s=20.0), 1, "x") == 20.0


def test_a_back_off_beyond_all_numbers_is_the_longest() -> None:
    assert retry_delay_s(Retry(delay_s=1.0, multiplier=10.0), 10_000, "x") == LONGEST_DELAY_S


def test_no_delay_at_all_is_possible() -> None:
    assert retry_delay_s(Retry(delay_s=0.0), 1, "x") == 0.0
    assert retry_delay_s(Retry(delay_s=0.0, multiplier=2.0), 3, "x") == 0.0
