"""How runners tell that a trigger or a watcher has ended, and what they do when they hear of it again (E6)."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tradewind.triggerer.board import Board
from tradewind.triggerer.protocol import FrameKind, Start, Stop, TaskName, Watch
from tradewind.triggerer.runner import runner as runner_module
from tradewind.triggerer.runner import watcher_main
from tradewind.triggerer.runner.last_words import LastWord, is_stopped, took_back
from tradewind.triggerer.runner.runner import Runner
from tradewind.triggerer.runner.watcher_main import WatcherRunner

PATIENCE_S = 10.0
WATCH = msgspec.msgpack.encode(Watch(7, "p.Bell", "{}", None, [], 0))
START = msgspec.msgpack.encode([Start(7, "p.Bell", "{}", TaskName("d", "r", "t", -1, 1), None)])
STOP = msgspec.msgpack.encode([Stop(7, kills=False)])


class Supervisor:
    """Has what it hears of the end of started again at once: before the runner gets to do anything else."""

    def __init__(self, kind: FrameKind, content: bytes) -> None:
        self._again = (kind, content)
        self._is_gone = False
        self.heard: list[LastWord] = []

    def listen(self, received: Callable[[int, bytes], None], gone: Callable[[], object]) -> None:
        self._received, self._gone = received, gone
        received(*self._again)

    def send(self, kind: FrameKind, content: object = b"") -> None:
        self.heard.append((kind, content))
        if not self._is_gone:
            self._received(*self._again)

    def stop(self) -> None:
        self._received(FrameKind.STOP, STOP)

    def go(self) -> None:
        self._is_gone = True
        self._gone()


class Lives:
    """Each life lasts until it is stopped."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[int] = asyncio.Queue()

    async def live(self, order: Start | Watch) -> LastWord:
        self.begun.put_nowait(1)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            return FrameKind.STOPPED if is_stopped(error) else FrameKind.FIRED, 7
        raise AssertionError("nobody sets the event")


def limited(scenario: Coroutine[Any, Any, None]) -> None:
    async def run() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await scenario

    asyncio.run(run())


@pytest.mark.parametrize("is_watcher", [False, True])
def test_who_is_started_again_as_soon_as_its_end_is_told_runs(
    is_watcher: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be taken for the one that ends, and its task would wait for ever."""

    async def scenario() -> None:
        lives = Lives()
        monkeypatch.setattr(watcher_main, "WatcherLives", lambda _link, _board: lives)
        monkeypatch.setattr(runner_module, "import_module", lambda _: SimpleNamespace(Lives=lambda *_: lives))
        supervisor: Any = Supervisor(*((FrameKind.WATCH, WATCH) if is_watcher else (FrameKind.START, START)))
        board = Board()
        running = asyncio.ensure_future((WatcherRunner if is_watcher else Runner)(supervisor, board).run())

        for _ in range(3):
            await lives.begun.get()
            supervisor.stop()
        await lives.begun.get()
        supervisor.go()
        await running

        assert supervisor.heard[:3] == [(FrameKind.STOPPED, 7)] * 3
        board.close()

    limited(scenario())


def test_a_cancellation_that_nobody_asked_for_is_a_failure() -> None:
    """Else who waits for something that is cancelled would be started again and again, and nobody would learn why."""

    async def scenario() -> None:
        other = asyncio.ensure_future(asyncio.Event().wait())
        other.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await other
        assert not is_stopped(caught.value)
        assert not is_stopped(ValueError())

    limited(scenario())


class DeafLives(Lives):
    """Each life loses the first word of its end, as clients of brokers may while they connect."""

    async def live(self, order: Start | Watch) -> LastWord:
        with suppress(asyncio.CancelledError):
            self.begun.put_nowait(0)
            await asyncio.Event().wait()
        return await super().live(order)


@pytest.mark.parametrize("is_watcher", [False, True])
def test_who_did_not_hear_that_it_shall_end_is_told_again(is_watcher: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its supervisor would wait for its end for ever, and with it whoever wants it to run in another version."""

    async def scenario() -> None:
        lives = DeafLives()
        monkeypatch.setattr(watcher_main, "WatcherLives", lambda _link, _board: lives)
        monkeypatch.setattr(watcher_main, "_TOLD_AGAIN_S", 0.001)
        monkeypatch.setattr(runner_module, "_TOLD_AGAIN_S", 0.001)
        monkeypatch.setattr(runner_module, "import_module", lambda _: SimpleNamespace(Lives=lambda *_: lives))
        supervisor: Any = Supervisor(*((FrameKind.WATCH, WATCH) if is_watcher else (FrameKind.START, START)))
        board = Board()
        running = asyncio.ensure_future((WatcherRunner if is_watcher else Runner)(supervisor, board).run())

        await lives.begun.get()
        supervisor.stop()
        while not supervisor.heard:
            await lives.begun.get()
        supervisor.go()
        await running

        assert supervisor.heard[0] == (FrameKind.STOPPED, 7)
        board.close()

    limited(scenario())


@pytest.mark.parametrize("is_stopped_too", [False, True])
def test_who_is_interrupted_and_told_to_end_at_once_ends(is_stopped_too: bool) -> None:
    """Both arrive as one cancellation: who took it for the interruption alone would run on for ever."""

    async def scenario() -> None:
        async def life() -> bool:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                task = asyncio.current_task()
                assert task is not None
                return took_back(task)
            raise AssertionError("nobody sets the event")

        task = asyncio.ensure_future(life())
        await asyncio.sleep(0)
        task.cancel()
        if is_stopped_too:
            task.cancel()

        assert await task is not is_stopped_too

    limited(scenario())
