"""A trigger or a watcher that blocks is named by its runner, and so is one whose shared source does (E8)."""

from pathlib import Path

import pytest

from tests.unit.triggerer.runner_programs import PROGRAMS, Program, running
from tradewind.triggerer.protocol import Blocked, FrameKind, decode_blocked

_FILE = """
import time
from airflow.triggers.base import BaseEventTrigger, TriggerEvent

class Blocks(BaseEventTrigger):
    def serialize(self):
        return "noisy.Blocks", {}

    async def run(self):
        time.sleep(0.5)
        yield TriggerEvent("done")

class Shares(Blocks):
    def serialize(self):
        return "noisy.Shares", {}

    def shared_stream_key(self):
        return "one"

    @classmethod
    async def open_shared_stream(cls, kwargs):
        time.sleep(0.5)
        yield "done"

    async def filter_shared_stream(self, stream):
        async for each in stream:
            yield TriggerEvent(each)
"""


def told_of(runner: Program) -> Blocked:
    """The step that took too long, once it is over."""

    def found() -> list[Blocked]:
        blocked = [decode_blocked(content) for kind, content in runner.frames if kind == FrameKind.BLOCKED]
        return [each for each in blocked if each.is_over and "time.sleep" in "".join(each.stack)]

    runner.until(lambda _: bool(found()))
    return found()[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_who_blocks_is_named_with_the_place_where_it_stood(program: str, tmp_path: Path) -> None:
    with running(program, tmp_path, _FILE) as runner:
        runner.start(7, "Blocks")

        blocked = told_of(runner)

    assert (blocked.trigger, "time.sleep(0.5)" in blocked.stack[-1]) == (7, True)


def test_who_shares_a_source_that_blocks_answers_for_it(tmp_path: Path) -> None:
    with running("watchers", tmp_path, _FILE) as runner:
        runner.start(7, "Shares")

        blocked = told_of(runner)

    assert (blocked.trigger, "open_shared_stream" in blocked.stack[-1]) == (7, True)
