"""Waiting that takes no time, for code that knows nothing of our clock."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from tradewind.sdk.task_clock import MachineClock, current_clock
from tradewind.testing.jumping_loop import JumpingLoop


@contextmanager
def jumping() -> Iterator[None]:
    """Let `time.sleep` and event loops follow the clock of the test, in its tasks and nowhere else."""
    real_sleep = time.sleep  # noqa: TID251 - for everybody else
    real_loop = asyncio.new_event_loop

    def sleep(seconds: float) -> None:
        clock = current_clock()
        if isinstance(clock, MachineClock):
            real_sleep(seconds)
        else:
            clock.sleep(seconds)

    def new_event_loop() -> asyncio.AbstractEventLoop:
        clock = current_clock()
        return real_loop() if isinstance(clock, MachineClock) else JumpingLoop(clock)

    with (
        patch.object(time, "sleep", sleep),
        patch.object(asyncio, "new_event_loop", new_event_loop),
        # `asyncio.run` asks here.
        patch.object(asyncio.events, "new_event_loop", new_event_loop),
    ):
        yield
