"""What triggers and watchers print is told as what they log, without secrets; so is what is nobody's (E9, D6)."""

from pathlib import Path

import pytest

from tests.unit.triggerer.runner_programs import PROGRAMS, Program, running
from tradewind.triggerer.protocol import FrameKind, decode_logged

_FILE = """
import asyncio
import os
import sys
import threading

from airflow.sdk import Variable
from airflow.triggers.base import BaseEventTrigger, TriggerEvent

class Prints(BaseEventTrigger):
    def serialize(self):
        return "noisy.Prints", {}

    async def run(self):
        secret = Variable.get("password")
        print("printed", secret)
        print("half a line", end="")
        await asyncio.sleep(0)
        sys.stderr.write(" and an error of " + secret + "\\n")
        await asyncio.to_thread(print, " in a thread")
        thread = threading.Thread(target=print, args=("nobody says", secret))
        thread.start()
        await asyncio.to_thread(thread.join)
        child = os.fork()
        if not child:
            print("a copy says", secret)
            os._exit(0)
        os.waitpid(child, 0)
        yield TriggerEvent("done")

class Beside(Prints):
    async def run(self):
        for _ in range(3):
            print("beside it", end="")
            await asyncio.sleep(0)
            print()
        await asyncio.Event().wait()
        yield
"""


def printed(runner: Program, number: int) -> list[tuple[object, object, object]]:
    """What was told of one of them."""
    logged = [decode_logged(content) for kind, content in runner.frames if kind == FrameKind.LOG]
    return [
        (record["level"], record["logger"], record["event"])
        for each in logged
        if each.trigger == number
        for record in each.records
    ]


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_printed_is_told_by_whom_it_is_from_and_without_secrets(
    program: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with running(program, tmp_path, _FILE, {"password": "s3cret-word"}) as runner:
        runner.start(8, "Beside")
        runner.start(7, "Prints")
        runner.until_event()
        runner.until(lambda _: len(printed(runner, 8)) == 3)

    assert printed(runner, 7)[:3] == [
        ("info", "task.stdout", "printed ***"),
        ("error", "task.stderr", " and an error of ***"),
        ("info", "task.stdout", "half a line in a thread"),
    ]
    assert printed(runner, 8) == [("info", "task.stdout", "beside it")] * 3
    assert sorted(capfd.readouterr().out.splitlines()) == ["a copy says ***", "nobody says ***"]


def test_a_line_without_an_end_is_told_when_its_trigger_ends(tmp_path: Path) -> None:
    text = _FILE.replace('print("printed", secret)', 'print("unfinished", end=""); raise ValueError')
    with running("triggers", tmp_path, text, {"password": "s3cret-word"}) as runner:
        runner.start(7, "Prints")
        runner.until_event()

    assert ("info", "task.stdout", "unfinished") in printed(runner, 7)
