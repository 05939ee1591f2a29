"""Retry delays, for any settings (D4)."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import retries
from tradewind.decide.retry import decide_retry, retry_delay_s
from tradewind.model.dag import Retry

FAILED_AT = datetime(2026, 1, 1, tzinfo=UTC)
tries = st.integers(1, 500)
limits = st.floats(1.0, 1e6)


@given(retries, tries, st.text(), limits)
def test_a_delay_is_within_every_limit(retry: Retry, try_number: int, seed: str, longest_s: float) -> None:
    delay_s = retry_delay_s(retry, try_number, seed, longest_s)

    assert 0.0 <= delay_s <= longest_s
    assert retry.max_delay_s is None or delay_s <= max(retry.max_delay_s, 0.0)


@given(retries, tries, st.text())
def test_a_delay_depends_on_nothing_but_what_is_given(retry: Retry, try_number: int, seed: str) -> None:
    assert retry_delay_s(retry, try_number, seed) == retry_delay_s(retry, try_number, seed)


@given(st.floats(1.0, 1e4), st.floats(1.0, 10.0), st.integers(1, 20), st.text())
def test_a_growing_delay_is_never_shorter_than_its_back_off(
    delay_s: float, multiplier: float, try_number: int, seed: str
) -> None:
    retry = Retry(delay_s=delay_s, multiplier=multiplier)
    back_off = min(delay_s * multiplier ** (try_number - 1), 86_400.0)

    delay = retry_delay_s(retry, try_number, seed)

    assert back_off * (1 - 1e-9) <= delay <= min(2 * back_off + 2, 86_400.0)


@given(retries, st.integers(1, 20), st.integers(0, 20), st.booleans())
def test_a_task_is_tried_once_and_as_often_again_as_it_may(
    retry: Retry, try_number: int, max_tries: int, may_retry: bool
) -> None:
    decision = decide_retry(
        retry,
        try_number=try_number,
        max_tries=max_tries,
        failed_at=FAILED_AT,
        jitter_seed="x",
        may_retry=may_retry,
    )

    assert (decision.at is not None) == (may_retry and try_number <= max_tries)
    assert decision.at is None or decision.at >= FAILED_AT
    assert decision.reason
