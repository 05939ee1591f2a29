"""Tasks that take turns, and loops in which waiting takes no time."""

import asyncio
import contextvars
import threading
from typing import Any

import pytest

from tradewind.sdk.exceptions import AirflowTaskTimeout
from tradewind.sdk.task_clock import TaskClock
from tradewind.testing.clock import FakeClock
from tradewind.testing.fibres import FibreStage, MainStage
from tradewind.testing.jumping_loop import JumpingLoop
from tradewind.worker.task_life.time_limit import TimeLimit


@pytest.fixture
def clock() -> FakeClock:
    """Time that passes only when told to."""
    return FakeClock()


def work_off(stage: FibreStage, clock: FakeClock) -> None:
    """Let all fibres come to their end."""
    while (seconds := stage.next_wake_s()) is not None:
        clock.advance(seconds)
        assert stage.wake_due()


def test_sleepers_wake_in_the_order_of_their_time(clock: FakeClock) -> None:
    order: list[str] = []
    stage = FibreStage(clock)

    def sleeper(name: str, *naps: float) -> Any:
        def body(own: TaskClock, _: TimeLimit) -> None:
            for nap in naps:
                own.sleep(nap)
                order.append(f"{name} at {clock.monotonic() - 10_000:g}")

        return body

    for name, naps in (("a", (30, 30)), ("b", (20, 20, 20)), ("c", (0,))):
        stage.start(sleeper(name, *naps))
    work_off(stage, clock)
    stage.close()

    assert order == ["c at 0", "b at 20", "a at 30", "b at 40", "a at 60", "b at 60"]


def test_never_do_two_run_at_the_same_time(clock: FakeClock) -> None:
    inside: list[int] = []
    stage = FibreStage(clock)

    def body(own: TaskClock, _: TimeLimit) -> None:
        for _round in range(50):
            inside.append(1)
            assert len(inside) == 1
            inside.pop()
            own.sleep(1)

    for _ in range(8):
        stage.start(body)
    work_off(stage, clock)
    stage.close()


def test_threads_are_used_again_and_end_with_the_stage(clock: FakeClock) -> None:
    before = threading.active_count()
    names: set[int] = set()
    stage = FibreStage(clock)

    for _ in range(20):
        stage.start(lambda *_: names.add(threading.get_ident()))
    stage.start(lambda own, _: own.sleep(1_000_000))
    assert len(names) == 1
    assert threading.active_count() == before + 1
    stage.close()

    assert threading.active_count() == before


def test_a_sleeper_that_is_abandoned_cleans_up(clock: FakeClock) -> None:
    left: list[str] = []
    stage = FibreStage(clock)

    def body(own: TaskClock, _: TimeLimit) -> None:
        try:
            own.sleep(60)
        finally:
            left.append("cleaned up")
            own.sleep(60)  # stubborn

    stage.start(body)
    stage.close()

    assert left == ["cleaned up"]


def test_what_gets_out_of_a_body_reaches_whoever_gave_the_turn(clock: FakeClock) -> None:
    stage = FibreStage(clock)

    def body(own: TaskClock, _: TimeLimit) -> None:
        own.sleep(1)
        raise KeyboardInterrupt

    stage.start(body)
    clock.advance(1)
    with pytest.raises(KeyboardInterrupt):
        stage.wake_due()
    stage.close()


def test_a_limit_interrupts_the_sleep_in_which_it_is_reached(clock: FakeClock) -> None:
    ends: list[Any] = []
    stage = FibreStage(clock)

    def body(own: TaskClock, limit: TimeLimit) -> None:
        try:
            with limit(100, 100):
                own.sleep(60)
                own.sleep(60)
        except AirflowTaskTimeout:
            ends.append(clock.monotonic() - 10_000)
        own.sleep(500)
        ends.append(clock.monotonic() - 10_000)

    stage.start(body)
    work_off(stage, clock)
    stage.close()

    assert ends == [100, 600]


def test_each_body_sees_the_context_of_its_start_and_changes_only_its_own(clock: FakeClock) -> None:
    word: contextvars.ContextVar[str] = contextvars.ContextVar("word", default="none")
    seen: list[str] = []
    stage = FibreStage(clock)

    def body(own: TaskClock, _: TimeLimit) -> None:
        seen.append(word.get())
        word.set("changed")
        own.sleep(1)
        seen.append(word.get())

    word.set("outer")
    stage.start(body)
    assert word.get() == "outer"
    work_off(stage, clock)
    stage.close()

    assert seen == ["outer", "changed"]


def test_in_the_main_thread_bodies_run_at_once(clock: FakeClock) -> None:
    seen: list[Any] = []
    stage = MainStage(clock)

    stage.start(lambda own, _: seen.extend([threading.current_thread(), own]))

    assert seen == [threading.main_thread(), clock]
    assert (stage.wake_due(), stage.next_wake_s()) == (False, None)
    stage.close()


def run(clock: FakeClock, main: Any) -> Any:
    loop = JumpingLoop(clock)
    try:
        return loop.run_until_complete(main)
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def test_sleeping_in_a_loop_moves_the_clock(clock: FakeClock) -> None:
    async def main() -> list[str]:
        order: list[str] = []

        async def nap(name: str, seconds: float) -> None:
            await asyncio.sleep(seconds)
            order.append(name)

        await asyncio.gather(nap("long", 86_400), nap("short", 60))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(3600):
                await asyncio.Event().wait()
        return order

    start = clock.monotonic()
    assert run(clock, main()) == ["short", "long"]
    assert clock.monotonic() - start == pytest.approx(90_000)


def test_the_clock_stands_still_while_something_real_is_under_way(clock: FakeClock) -> None:
    """A timeout must not run out because a thread needed a moment."""
    ready = threading.Event()

    async def main() -> str:
        async def give() -> None:
            ready.set()

        async with asyncio.timeout(3600):
            waiting = asyncio.create_task(asyncio.to_thread(ready.wait))
            await give()
            await waiting
        return "done"

    start = clock.monotonic()
    assert run(clock, main()) == "done"
    assert clock.monotonic() == start
