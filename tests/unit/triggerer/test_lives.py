"""What triggers may do and know in the process that runs them, and what is said of those that do it wrong (E1)."""

import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.unit.triggerer.test_changed_code import Listening
from tradewind.model.ids import try_id
from tradewind.triggerer.protocol import (
    Code,
    Ending,
    FrameKind,
    Logged,
    Outcome,
    Start,
    Stop,
    TaskName,
    decode_outcome,
)
from tradewind.triggerer.runner_process import RunnerProcess

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
TASK: Final = TaskName("d", "r", "t", -1, 2, "gpu", NOON, "here")
FILE: Final = """
import asyncio
from pathlib import Path
from airflow.triggers.base import BaseTrigger, TriggerEvent

FOLDER = Path(__file__).parent

class Bell(BaseTrigger):
    def serialize(self):
        return "bells.Bell", {}

    async def on_kill(self):
        (FOLDER / "killed").touch()

    async def cleanup(self):
        (FOLDER / "cleaned").touch()

"""
RETURNS: Final = """
    async def run(self):
        return TriggerEvent("ding")
"""
BLOCKS: Final = """
    def run(self):
        return [TriggerEvent("ding")]
"""
ITERATES: Final = """
    def run(self):
        return self

    def __aiter__(self):
        return self

    async def __anext__(self):
        return TriggerEvent("ding")
"""
KNOWS: Final = """
    async def run(self):
        ti = self.task_instance
        yield TriggerEvent([str(ti.id), ti.queue, ti.start_date.isoformat(), ti.hostname, ti.try_number])
"""
SWALLOWS: Final = """
    async def run(self):
        (FOLDER / "runs").touch()
        while True:
            try:
                await asyncio.sleep(1000)
            except asyncio.CancelledError:
                pass
        yield TriggerEvent("late")
"""
SAYS_MORE: Final = """
    async def run(self):
        (FOLDER / "runs").touch()
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            yield TriggerEvent("interrupted")
"""


class Running:
    """A runner with one trigger, whose `run` is this."""

    def __init__(self, folder: Path, run: str) -> None:
        (folder / "bells.py").write_text(FILE + run)
        heard = threading.Event()
        self.runner = RunnerProcess(dict(os.environ), heard.set, lambda *_: None)
        self.listening = Listening(self.runner, heard)
        start = Start(1, "bells.Bell", "{}", TASK, Code("files", str(folder), "dag.py", ""))
        self.runner.send(FrameKind.START, [start])

    def until_heard(self, kind: FrameKind) -> bytes:
        self.listening.until(lambda frames: any(each == kind for each, _ in frames))
        return next(content for each, content in self.listening.frames if each == kind)

    def outcome(self) -> Outcome:
        return decode_outcome(self.until_heard(FrameKind.FIRED))

    def close(self) -> None:
        self.runner.kill()
        self.runner.close()


@pytest.mark.parametrize(("run", "returned"), [(RETURNS, "coroutine"), (BLOCKS, "list")], ids=["coroutine", "list"])
def test_a_trigger_that_yields_nothing_is_told_to(tmp_path: Path, run: str, returned: str) -> None:
    running = Running(tmp_path, run)
    try:
        outcome = running.outcome()
    finally:
        running.close()

    assert outcome.ending is Ending.ERROR
    last = json.loads(outcome.content)[-1]
    assert last == f"TypeError: run() has to yield events (`async def` with `yield`), but it returned a {returned}"


@pytest.mark.parametrize(
    ("run", "payload"),
    [
        (ITERATES, "ding"),
        (KNOWS, [str(try_id("d", "r", "t", -1, 2)), "gpu", "2026-01-01T12:00:00+00:00", "here", 2]),
    ],
    ids=["iterator", "task instance"],
)
def test_a_trigger_may_be_any_iterator_and_knows_whose_it_is(tmp_path: Path, run: str, payload: object) -> None:
    running = Running(tmp_path, run)
    try:
        outcome = running.outcome()
    finally:
        running.close()

    assert (outcome.ending, json.loads(outcome.content)) == (Ending.EVENT, payload)


@pytest.mark.parametrize(
    ("run", "last", "is_warned"),
    [(SWALLOWS, "killed", True), (SAYS_MORE, "cleaned", False)],
    ids=["swallows", "says more"],
)
def test_what_a_person_stopped_is_ended_whatever_its_trigger_makes_of_it(
    tmp_path: Path, run: str, last: str, is_warned: bool
) -> None:
    """One that does not end is named in its log, and what it waits for is ended all the same."""
    running = Running(tmp_path, run)
    try:
        running.listening.until(lambda _: (tmp_path / "runs").exists())
        running.runner.send(FrameKind.STOP, [Stop(1, kills=True)])
        running.listening.until(lambda _: (tmp_path / last).exists())
    finally:
        running.close()

    assert (tmp_path / "killed").exists()
    said = str(
        [
            msgspec.msgpack.decode(content, type=Logged).records
            for kind, content in running.listening.frames
            if kind == FrameKind.LOG
        ]
    )
    assert ("goes on, although it was told to end" in said) is is_warned
