"""Time that passes only when told to."""

from collections.abc import Iterator

import pytest

from tests.instants import utc
from tradewind.sdk.task_clock import use_clock
from tradewind.testing.clock import FakeClock


@pytest.fixture
def clock() -> Iterator[FakeClock]:
    """The clock that the SDK looks at."""
    clock = FakeClock(utc("2026-03-02 12:00"))
    with use_clock(clock):
        yield clock
