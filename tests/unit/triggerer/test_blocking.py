"""A trigger that blocks the event loop is noticed, with the place where it stands (E8)."""

import asyncio
from collections.abc import Iterator

import pytest

from tradewind.sdk.task_clock import current_clock, use_clock
from tradewind.testing.clock import FakeClock
from tradewind.triggerer.board import Board
from tradewind.triggerer.runner.blocking import Timed
from tradewind.triggerer.runner.busy import Busy, Step
from tradewind.triggerer.runner.logs import CURRENT_TRIGGER
from tradewind.triggerer.runner.threads import NotedThreads
from tradewind.triggerer.runner.watch import Watch


@pytest.fixture
def board() -> Iterator[Board]:
    """One of this process alone."""
    made = Board()
    yield made
    made.close()


def told_of(coroutine_steps: list[float], board: Board) -> list[float]:
    """Of which steps is told, if a coroutine has these."""
    told: list[float] = []

    async def steps() -> str:
        for seconds in coroutine_steps:
            current_clock().sleep(seconds)
            await asyncio.sleep(0)
        return "done"

    async def main() -> str:
        return str(await Timed(steps(), 0.2, lambda _, took_s: told.append(took_s), busy=Busy(board), whose=lambda: 1))

    with use_clock(FakeClock()):
        assert asyncio.run(main()) == "done"
    return [round(each, 3) for each in told]


def test_only_steps_that_are_too_long_are_told_of(board: Board) -> None:
    assert told_of([0.1, 0.3, 0.15, 5.0], board) == [0.3, 5.0]
    assert told_of([], board) == []


def test_it_is_known_whose_code_runs_and_where_it_is(board: Board) -> None:
    """Of the stack only what belongs to the trigger is shown: the loop above it helps nobody."""
    seen: list[object] = []

    async def looks() -> None:
        stack = busy.stack()
        seen.extend((board.executing(), stack[0].splitlines()[0].rpartition("in ")[2], len(stack)))
        await asyncio.sleep(0)

    async def main() -> None:
        await Timed(looks(), 0.2, lambda *told: seen.append(told), busy=busy, whose=lambda: 7)

    busy = Busy(board)
    asyncio.run(main())
    assert (seen, busy.step, board.executing()) == ([{7}, "looks", 2], None, set())


def test_who_holds_up_others_is_seen_while_they_wait(board: Board) -> None:
    """Where it stands is looked up in time, and told once for each step."""
    busy, clock = Busy(board), FakeClock()
    told: list[tuple[int, float]] = []
    watch = Watch(busy, 0.2, lambda step, took_s: told.append((step.trigger, round(took_s, 2))), clock)

    watch.look()
    step = busy.enter(7, clock.monotonic())
    watch.look()
    assert (step.stack, told) == ((), [])
    clock.sleep(0.15)
    watch.look()
    assert "test_who_holds_up_others" in step.stack[-3]
    assert told == []
    clock.sleep(0.15)
    watch.look()
    watch.look()
    assert told == [(7, 0.3)]
    clock.sleep(0.4)
    watch.look()
    assert told == [(7, 0.3), (7, 0.7)]

    busy.leave()
    clock.sleep(5)
    watch.look()
    assert told == [(7, 0.3), (7, 0.7)]


def test_whose_code_runs_in_a_thread_is_known_too(board: Board) -> None:
    """A thread can kill the process as well as the loop can."""
    seen: list[set[int]] = []

    with NotedThreads(board) as threads:
        threads.submit(lambda: seen.append(board.executing())).result()
        token = CURRENT_TRIGGER.set(9)
        threads.submit(lambda: seen.append(board.executing())).result()
        CURRENT_TRIGGER.reset(token)

    assert (seen, board.executing()) == ([set(), {9}], set())


def test_errors_and_cancellations_pass_through(board: Board) -> None:
    heard: list[str] = []

    def tell(_: Step, took_s: float) -> None:
        heard.append(f"took {took_s}")

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
        busy = Busy(board)
        task = asyncio.ensure_future(_awaited(Timed(waits(), 0.2, tell, busy=busy, whose=lambda: 1)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(ValueError, match="no"):
            await Timed(fails(), 0.2, tell, busy=busy, whose=lambda: 1)

    asyncio.run(main())
    assert heard == ["cancelled"]


async def _awaited(timed: Timed) -> object:
    return await timed
