"""Waiting for instants: one timer for all, however many wait (A3)."""

import asyncio
from contextlib import suppress
from datetime import timedelta

from tradewind.sdk.standard.alarm_clock import wait_until
from tradewind.sdk.task_clock import use_clock
from tradewind.testing.clock import FakeClock
from tradewind.testing.jumping_loop import JumpingLoop


def waited(clock: FakeClock, *seconds: float, cancelled: int | None = None) -> list[float]:
    """When those return who wait for so long, in the order in which they do."""
    begin, returned = clock.now(), list[float]()

    async def wait(after_s: float) -> None:
        await wait_until(begin + timedelta(seconds=after_s))
        returned.append((clock.now() - begin).total_seconds())

    async def wait_for_all() -> None:
        tasks = [asyncio.create_task(wait(each)) for each in seconds]
        await asyncio.sleep(0)
        if cancelled is not None:
            tasks[cancelled].cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    loop = JumpingLoop(clock)
    with use_clock(clock):
        loop.run_until_complete(wait_for_all())
    loop.close()
    return returned


def test_each_returns_at_its_instant_and_what_is_past_at_once() -> None:
    assert waited(FakeClock(), 30, 10, 20, -5) == [0, 10, 20, 30]


def test_who_gave_up_keeps_nobody_waiting() -> None:
    assert waited(FakeClock(), 10, 20, cancelled=0) == [20]


def test_the_clock_is_looked_at_once_a_minute_however_many_wait() -> None:
    clock = FakeClock()

    assert waited(clock, *[150.0] * 500) == [150.0] * 500
    assert [seconds for seconds in clock.slept_s if seconds] == [60, 60, 30]


def test_a_clock_that_is_set_is_noticed() -> None:
    class SetForward(FakeClock):
        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            if len(self.slept_s) == 1:
                self.jump(3600)

    clock = SetForward()

    assert waited(clock, 1000) == [3660]
