"""A module beside the DAG files, with a trigger that rings when a file appears."""

import asyncio
import os
from pathlib import Path

from airflow.triggers.base import BaseTrigger, TriggerEvent


def note(path, text):
    """Add to a file."""
    with Path(path).open("a") as file:
        file.write(text)


class Bell(BaseTrigger):
    """Fires with the content of a file, once it is there."""

    def __init__(self, path, words=""):
        super().__init__()
        self.path = path
        self.words = words

    def serialize(self):
        return "bells.Bell", {"path": self.path, "words": self.words}

    async def run(self):
        self.log.info("waiting for the bell of %s", self.task_instance.task_id)
        note(f"{self.path}.started", f"{os.getpid()}\n")
        while not Path(self.path).exists():
            await asyncio.sleep(0.02)
        yield TriggerEvent({"rang": Path(self.path).read_text(), "words": self.words})
        raise AssertionError("nobody asks for a second event")

    async def cleanup(self):
        note(f"{self.path}.cleaned", "!")

    async def on_kill(self):
        note(f"{self.path}.killed", "!")
