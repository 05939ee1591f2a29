"""Whether and when a failed attempt is tried again."""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from tradewind.model.dag import Retry

LONGEST_DELAY_S = 86_400.0
"""Airflow's default for `[core] max_task_retry_delay`."""


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """The next try's instant, or why there is none."""

    at: datetime | None
    reason: str


def decide_retry(
    retry: Retry,
    *,
    try_number: int,
    max_tries: int,
    failed_at: datetime,
    jitter_seed: str,
    may_retry: bool = True,
    delay_override_s: float | None = None,
    longest_delay_s: float = LONGEST_DELAY_S,
) -> RetryDecision:
    """What follows the failure of try `try_number`. `max_tries` retries are allowed in all."""
    if not may_retry:
        return RetryDecision(None, "the failure is final by its nature: no retry")
    if try_number > max_tries:
        return RetryDecision(None, f"try {try_number} of {max_tries + 1} failed: no try is left")
    if delay_override_s is None or math.isnan(delay_override_s):
        delay_s = retry_delay_s(retry, try_number, jitter_seed, longest_delay_s)
    else:
        # It comes from user code: whatever it is, it must become an instant.
        delay_s = max(0.0, min(delay_override_s, longest_delay_s))
    return RetryDecision(
        failed_at + timedelta(seconds=delay_s),
        f"try {try_number} of {max_tries + 1} failed: again in {delay_s:g} s",
    )


def retry_delay_s(retry: Retry, try_number: int, jitter_seed: str, longest_delay_s: float = LONGEST_DELAY_S) -> float:
    """The delay after try `try_number`: fixed, or growing with a jitter that is the same for the same seed.

    The jitter is drawn from the seed, not from chance, so that every scheduler (and the explanation) sees the same.
    """
    longest = min(longest_delay_s, longest_delay_s if retry.max_delay_s is None else retry.max_delay_s)
    if not retry.multiplier:
        return min(retry.delay_s, longest)
    try:
        backoff = math.ceil(retry.delay_s * retry.multiplier ** (try_number - 1))
    except OverflowError:
        return longest
    if backoff >= longest:
        return longest
    return min(backoff + backoff * _fraction(f"{jitter_seed}#{try_number}"), longest)


def _fraction(seed: str) -> float:
    """A number in [0, 1) that depends on `seed` only."""
    digest = hashlib.blake2b(seed.encode(), digest_size=6).digest()
    return int.from_bytes(digest) / 2**48
