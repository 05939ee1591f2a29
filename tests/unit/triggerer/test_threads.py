"""What triggers and watchers ask in threads is answered as anywhere else (E7)."""

from pathlib import Path

import pytest

from tests.unit.triggerer.runner_programs import PROGRAMS, running
from tradewind.triggerer.protocol import NOBODY

_FILE = """
import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from airflow.sdk import Variable
from airflow.triggers.base import BaseEventTrigger, TriggerEvent

class Asks(BaseEventTrigger):
    def serialize(self):
        return "noisy.Asks", {}

    async def run(self):
        loop, found = asyncio.get_running_loop(), []
        ask = lambda: found.append(Variable.get("stored"))
        await asyncio.to_thread(ask)
        await loop.run_in_executor(None, ask)
        with ThreadPoolExecutor(1) as own:
            await loop.run_in_executor(own, ask)
        thread = threading.Thread(target=ask)
        thread.start()
        await asyncio.to_thread(thread.join)
        yield TriggerEvent(found)
"""


@pytest.mark.parametrize("program", PROGRAMS)
def test_variables_are_found_in_whatever_thread_they_are_asked_for(program: str, tmp_path: Path) -> None:
    """In those of asyncio by the trigger; those that it makes by itself belong to nobody, and are answered too."""
    with running(program, tmp_path, _FILE, {"stored": "here"}) as runner:
        runner.start(7, "Asks")

        assert runner.until_event().count(b"here") == 4

    assert runner.askers == [7, 7, NOBODY, NOBODY]
