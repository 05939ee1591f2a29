"""A module beside the DAG files: a source that keeps its messages until it is told that they are done."""

import asyncio
from pathlib import Path

from airflow.triggers.base import BaseEventTrigger, TriggerEvent
from airflow.triggers.shared_stream import SharedStreamProducer, reject_shared_stream_event


class Postman(SharedStreamProducer):
    """Hands out the files of a folder; what is done is renamed to tell how."""

    def __init__(self, folder):
        self.folder = Path(folder)

    async def open_stream(self):
        handed_out = set()
        with (self.folder / "opened").open("a") as file:
            file.write("!")
        while True:
            for path in sorted(self.folder.glob("*.letter")):
                if path not in handed_out:
                    handed_out.add(path)
                    yield path.read_text(), path
            await asyncio.sleep(0.02)

    async def advance(self, batch):
        for path, outcome in batch:
            path.rename(path.with_suffix(".done" if outcome.is_clean else ".dropped"))


class Letters(BaseEventTrigger):
    """Fires for the letters to one person."""

    def __init__(self, folder, person):
        super().__init__()
        self.folder = folder
        self.person = person

    def serialize(self):
        return "letters.Letters", {"folder": self.folder, "person": self.person}

    def shared_stream_key(self):
        return ("mailbox", self.folder)

    @classmethod
    def create_shared_stream_producer(cls, kwargs):
        return Postman(kwargs["folder"])

    async def filter_shared_stream(self, shared_stream):
        async for letter in shared_stream:
            person, _, text = letter.partition(":")
            if person == "nobody":
                reject_shared_stream_event()
            elif person == self.person:
                yield TriggerEvent({"letter": text})

    async def run(self):
        raise NotImplementedError
        yield
