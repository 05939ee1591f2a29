"""Many who ask at once are answered by one look."""

import asyncio
import threading

import pytest

from tradewind.api.shared_look import SharedLook

PATIENCE_S = 60


def test_who_asks_during_a_look_is_told_what_the_next_one_finds() -> None:
    looks: list[int] = []
    has_begun, may_end = threading.Event(), threading.Event()

    def look() -> int:
        number = len(looks) + 1
        looks.append(number)
        has_begun.set()
        assert may_end.wait(PATIENCE_S)
        return number

    async def ask() -> tuple[int, list[int]]:
        shared = SharedLook(look)
        first = asyncio.create_task(shared())
        assert await asyncio.to_thread(has_begun.wait, PATIENCE_S)
        late = [asyncio.create_task(shared()) for _ in range(5)]
        await asyncio.sleep(0)
        may_end.set()
        return await first, await asyncio.gather(*late)

    first, late = asyncio.run(ask())

    assert first == 1
    assert late == [2] * 5  # nobody is told what was true before they asked, and one look is enough for all
    assert looks == [1, 2]


def test_a_look_that_fails_fails_for_those_who_waited_and_for_nobody_else() -> None:
    answers: list[Exception | str] = [ValueError("away"), "back"]

    def look() -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def ask() -> str:
        shared = SharedLook(look)
        failed = await asyncio.gather(shared(), shared(), return_exceptions=True)
        assert [type(each) for each in failed] == [ValueError, ValueError]
        return await shared()

    assert asyncio.run(ask()) == "back"


def test_who_gives_up_waiting_does_not_end_the_look_of_the_others() -> None:
    may_end = threading.Event()

    def look() -> str:
        assert may_end.wait(PATIENCE_S)
        return "found"

    async def ask() -> str:
        shared = SharedLook(look)
        impatient, patient = asyncio.create_task(shared()), asyncio.create_task(shared())
        await asyncio.sleep(0)
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient
        may_end.set()
        return await patient

    assert asyncio.run(ask()) == "found"
