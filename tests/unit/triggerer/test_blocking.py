"""A trigger that blocks the event loop is noticed (E8)."""

import asyncio

import pytest

from tradewind.sdk.task_clock import current_clock, use_clock
from tradewind.testing.clock import FakeClock
from tradewind.triggerer.runner.blocking import Timed
from tradewind.triggerer.runner.busy import Busy


def told_of(coroutine_steps: list[float]) -> list[float]:
    """Of which steps is told, if a coroutine has these."""
    told: list[float] = []

    async def steps() -> str:
        for seconds in coroutine_steps:
            current_clock().sleep(seconds)
            await asyncio.sleep(0)
        return "done"

    async def main() -> str:
        return str(await Timed(steps(), 0.2, told.append, busy=Busy(), trigger=1))

    with use_clock(FakeClock()):
        assert asyncio.run(main()) == "done"
    return [round(each, 3) for each in told]


def test_only_steps_that_are_too_long_are_told_of() -> None:
    assert told_of([0.1, 0.3, 0.15, 5.0]) == [0.3, 5.0]
    assert told_of([]) == []


def test_it_is_known_whose_code_runs_and_where_it_is() -> None:
    seen: list[object] = []

    async def looks() -> None:
        seen.extend((busy.trigger, busy.stack()[-2].splitlines()[0].rpartition("in ")[2]))
        await asyncio.sleep(0)

    async def main() -> None:
        await Timed(looks(), 0.2, seen.append, busy=busy, trigger=7)

    busy = Busy()
    asyncio.run(main())
    assert (seen, busy.trigger) == ([7, "looks"], None)


def test_errors_and_cancellations_pass_through() -> None:
    heard: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            heard.append("cancelled")
            raise

    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    async def main() -> None:
        task = asyncio.ensure_future(
            _awaited(Timed(waits(), 0.2, lambda took_s: heard.append(f"took {took_s}"), busy=Busy(), trigger=1))
        )
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(ValueError, match="no"):
            await Timed(fails(), 0.2, lambda took_s: heard.append(f"took {took_s}"), busy=Busy(), trigger=1)

    asyncio.run(main())
    assert heard == ["cancelled"]


async def _awaited(timed: Timed) -> object:
    return await timed
