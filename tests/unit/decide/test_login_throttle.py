"""How long whoever fails to log in has to wait."""

from datetime import UTC, datetime, timedelta

import pytest

from tradewind.decide.login_throttle import (
    FORGOTTEN_AFTER,
    LONGEST_WAIT,
    Counted,
    counting_one_more,
    remaining_wait,
    wait_until,
)
from tradewind.model.account import LoginFailures

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("count", "seconds"), [(1, 0), (4, 0), (5, 1), (6, 2), (7, 4), (13, 256), (14, 300), (1_000_000, 300)]
)
def test_the_wait_doubles_up_to_a_limit(count: int, seconds: int) -> None:
    assert wait_until(LoginFailures(count, NOW), Counted.NAME) == NOW + timedelta(seconds=seconds)


def test_the_longest_wait_counts() -> None:
    known = {Counted.NAME: LoginFailures(6, NOW), Counted.ADDRESS: LoginFailures(25, NOW)}

    assert remaining_wait(known, NOW) == timedelta(seconds=32)
    assert remaining_wait(known, NOW + LONGEST_WAIT) < timedelta()
    assert remaining_wait({}, NOW) == timedelta()


def test_what_is_old_does_not_count() -> None:
    failures = LoginFailures(7, NOW)

    assert counting_one_more(None, NOW) == LoginFailures(1, NOW)
    assert counting_one_more(failures, NOW) == LoginFailures(8, NOW)
    later = NOW + FORGOTTEN_AFTER
    assert counting_one_more(failures, later) == LoginFailures(1, later)
