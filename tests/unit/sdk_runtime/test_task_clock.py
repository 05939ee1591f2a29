"""The time as running user code sees it."""

import asyncio
from datetime import datetime

from tests.instants import utc
from tradewind.sdk import timezone
from tradewind.sdk.task_clock import MachineClock, current_clock, use_clock
from tradewind.testing.clock import FakeClock


def test_without_a_test_the_clock_is_that_of_the_machine() -> None:
    clock = current_clock()

    assert isinstance(clock, MachineClock)
    assert utc("2026-01-01") < clock.now() <= timezone.utcnow()


def test_the_clock_of_a_test_counts_within_its_block_and_in_threads_that_the_block_awaits() -> None:
    async def from_a_thread() -> datetime:
        return await asyncio.to_thread(timezone.utcnow)

    with use_clock(FakeClock(utc("2026-03-02 12:00"))) as clock:
        current_clock().sleep(60)
        seen = (timezone.utcnow(), asyncio.run(from_a_thread()))

    assert seen == (utc("2026-03-02 12:01"),) * 2
    assert clock.slept_s == [60]
    assert isinstance(current_clock(), MachineClock)
