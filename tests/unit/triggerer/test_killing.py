"""Triggers whose tasks a person stops: what they do then is limited in time (E1)."""

import os
import threading
from pathlib import Path
from typing import Final

import msgspec
import pytest

from tests.unit.triggerer.test_changed_code import Listening
from tradewind.triggerer.protocol import Code, FrameKind, Logged, Start, Stop, TaskName
from tradewind.triggerer.runner_process import RunnerProcess

FILE: Final = """
import asyncio
from pathlib import Path
from airflow.triggers.base import BaseTrigger

FOLDER = Path(__file__).parent

class Bell(BaseTrigger):
    def serialize(self):
        return "bells.Bell", {}

    async def run(self):
        (FOLDER / "runs").touch()
        await asyncio.Event().wait()
        yield

    async def on_kill(self):
        (FOLDER / "begins to kill").touch()
        HOW
        (FOLDER / "killed").touch()

    async def cleanup(self):
        (FOLDER / "cleaned").touch()
"""


@pytest.mark.parametrize(
    ("how", "error"),
    [("await asyncio.sleep(1000)", "TimeoutError"), ("raise ValueError('no')", "ValueError"), ("pass", None)],
)
def test_who_takes_too_long_to_end_what_it_waits_for_is_left_and_cleaned_up(
    tmp_path: Path, how: str, error: str | None
) -> None:
    """`[triggerer] on_kill_timeout`; its log says what went wrong."""
    (tmp_path / "bells.py").write_text(FILE.replace("HOW", how))
    heard = threading.Event()
    runner = RunnerProcess({**os.environ, "AIRFLOW__TRIGGERER__ON_KILL_TIMEOUT": "0.05"}, heard.set, lambda *_: None)
    listening = Listening(runner, heard)
    start = Start(1, "bells.Bell", "{}", TaskName("d", "r", "t", -1, 1), Code("files", str(tmp_path), "dag.py", ""))
    try:
        runner.send(FrameKind.START, [start])
        listening.until(lambda _: (tmp_path / "runs").exists())
        runner.send(FrameKind.STOP, [Stop(1, kills=True)])
        listening.until(lambda frames: any(kind == FrameKind.STOPPED for kind, _ in frames))
    finally:
        runner.kill()
        runner.close()

    there = {path.name for path in tmp_path.iterdir()} & {"begins to kill", "killed", "cleaned"}
    assert there == {"begins to kill", "cleaned", *(() if error else ("killed",))}
    said = [
        str(msgspec.msgpack.decode(content, type=Logged).records)
        for kind, content in listening.frames
        if kind == FrameKind.LOG
    ]
    assert any(error in each and "on_kill of the trigger failed" in each for each in said) if error else not said
