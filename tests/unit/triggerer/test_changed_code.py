"""Code of triggers that changes while a runner runs: no process is started anew for it (E9)."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tradewind.triggerer.protocol import Code, FrameKind, Start, TaskName, Watch, decode_outcome, decode_seen
from tradewind.triggerer.runner_process import WATCHER_RUNNER, Frame, RunnerProcess

FILE: Final = """
import asyncio
from pathlib import Path
from airflow.triggers.base import BaseEventTrigger, TriggerEvent

class Bell(BaseEventTrigger):
    def serialize(self):
        return "bells.Bell", {}

    async def run(self):
        folder = Path(__file__).parent
        (folder / "runs.<number>").touch()
        while not (folder / "rung").exists():
            await asyncio.sleep(0.01)
        (folder / "rung").unlink()
        yield TriggerEvent(<number>)
        await asyncio.Event().wait()
"""
PATIENCE_S: Final = 60.0


class Listening:
    """A runner, and all that it said."""

    def __init__(self, runner: RunnerProcess, heard: threading.Event) -> None:
        self.runner = runner
        self._heard = heard
        self.frames: list[Frame] = []

    def until(self, is_enough: Callable[[list[Frame]], bool]) -> None:
        """Listen until it has said enough. Asked for a sign of life, it says something, whatever happens."""
        while not is_enough(self.frames):
            self.runner.send(FrameKind.PING)
            assert self._heard.wait(PATIENCE_S), "the runner says nothing"
            self._heard.clear()
            self.frames += self.runner.frames()


@contextmanager
def running(**program: str) -> Iterator[Listening]:
    heard = threading.Event()
    runner = RunnerProcess(dict(os.environ), heard.set, lambda *_: None, **program)
    try:
        yield Listening(runner, heard)
    finally:
        runner.kill()
        runner.close()


def write(folder: Path, number: int) -> Code:
    (folder / "bells.py").write_text(FILE.replace("<number>", str(number)))
    return Code("files", str(folder), "dag.py", "")


def test_new_triggers_have_the_new_code_and_old_ones_finish_on_the_old(tmp_path: Path) -> None:
    with running() as listening:
        for number in (1, 2):
            start = Start(number, "bells.Bell", "{}", TaskName("d", "r", "t", -1, 1), write(tmp_path, number))
            listening.runner.send(FrameKind.START, [start])
            listening.until(lambda _, number=number: (tmp_path / f"runs.{number}").exists())  # type: ignore[misc]
        for count in (1, 2):
            (tmp_path / "rung").touch()
            listening.until(lambda frames, count=count: sum(kind == FrameKind.FIRED for kind, _ in frames) == count)  # type: ignore[misc]
        fired = [decode_outcome(content) for kind, content in listening.frames if kind == FrameKind.FIRED]

    assert {each.trigger: json.loads(each.content) for each in fired} == {1: 1, 2: 2}


def test_a_watcher_is_made_anew_when_its_code_changes(tmp_path: Path) -> None:
    """It never ends by itself, so it cannot finish on the old code."""
    with running(program=WATCHER_RUNNER) as listening:
        listening.runner.send(FrameKind.WATCH, Watch(1, "bells.Bell", "{}", write(tmp_path, 1), [], 0))
        listening.until(lambda _: (tmp_path / "runs.1").exists())
        write(tmp_path, 2)
        listening.until(lambda _: (tmp_path / "runs.2").exists())
        (tmp_path / "rung").touch()
        listening.until(lambda frames: any(kind == FrameKind.SEEN for kind, _ in frames))
        seen = [decode_seen(content) for kind, content in listening.frames if kind == FrameKind.SEEN]

    assert [(each.watcher, json.loads(each.payload)) for each in seen] == [(1, 2)]
