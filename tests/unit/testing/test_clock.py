"""The clock that stands still until told otherwise."""

from datetime import datetime, timedelta

import pytest

from tests.instants import utc
from tradewind.runtime.clock import Clock
from tradewind.testing.clock import FakeClock


def test_time_passes_only_when_told_to() -> None:
    clock = FakeClock(utc("2026-03-29"))
    before = clock.monotonic()

    clock.advance(90)
    clock.sleep(30)

    assert clock.now() == utc("2026-03-29 00:02")
    assert clock.monotonic() - before == 120
    assert clock.slept_s == [30]


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_setting_the_wall_clock_takes_no_time(seconds: float) -> None:
    clock = FakeClock(utc("2026-03-29"))
    before = clock.monotonic()

    clock.jump(seconds)

    assert clock.now() == utc("2026-03-29") + timedelta(seconds=seconds)
    assert clock.monotonic() == before


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        FakeClock(datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(ValueError, match="go back"):
        FakeClock().advance(-1)


def test_it_is_a_clock() -> None:
    clock: Clock = FakeClock()

    assert clock.now().tzinfo is not None
