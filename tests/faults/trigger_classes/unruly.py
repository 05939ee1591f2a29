"""Triggers that wait well, and triggers that do whatever a trigger must not do."""

import asyncio
import ctypes
import os
import threading
import time
from pathlib import Path

from airflow.triggers.base import BaseTrigger, TriggerEvent

_bells = {}
"""By path: what is set when there is a file. One look for all triggers of a process, for there may be thousands."""


async def rung(path):
    """Return when there is a file."""
    if path not in _bells:
        _bells[path] = asyncio.Event()
        _bells[path].looks = asyncio.ensure_future(_look(path))
    await _bells[path].wait()


async def _look(path):
    while not Path(path).exists():
        await asyncio.sleep(0.05)
    _bells[path].set()


class Patient(BaseTrigger):
    """Waits for a file, notes each start in a file of its process, and each kill."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def serialize(self):
        return f"unruly.{type(self).__name__}", {"folder": self.folder}

    def note(self, what):
        with Path(self.folder, f"{what}.{os.getpid()}").open("a") as file:
            file.write(f"{self.task_instance.task_id}\n")

    async def run(self):
        self.note("started")
        await rung(f"{self.folder}/bell")
        yield TriggerEvent({"pid": os.getpid()})

    async def on_kill(self):
        self.note("killed")


class Slow(Patient):
    """Takes its time to end what it waits for, at first."""

    async def on_kill(self):
        self.note("killing")
        if not Path(self.folder, "second").exists():
            await asyncio.sleep(1000)
        self.note("killed")

    async def cleanup(self):
        self.note("cleaned")


class Tells(Patient):
    """Which event loop it is in."""

    async def run(self):
        yield TriggerEvent(type(asyncio.get_running_loop()).__module__)


class Raising(Patient):
    async def run(self):
        await asyncio.sleep(0)
        raise ValueError("the bell is cracked")
        yield


class GivesUp(Patient):
    """Waits for what is cancelled, though nobody told it to stop."""

    async def run(self):
        other = asyncio.ensure_future(asyncio.Event().wait())
        other.cancel()
        await other
        yield TriggerEvent(None)


class Silent(Patient):
    async def run(self):
        return
        yield


class Twice(Patient):
    async def run(self):
        yield TriggerEvent("first")
        yield TriggerEvent("second")


class Large(Patient):
    async def run(self):
        yield TriggerEvent("x" * 10_000_000)


class Unspeakable(Patient):
    """What it says cannot leave the process."""

    async def run(self):
        yield TriggerEvent({"lock": threading.Lock()})


class Threads(Patient):
    """Starts threads of all sorts, and waits for one."""

    async def run(self):
        for _ in range(20):
            threading.Thread(target=time.sleep, args=(0.01,), daemon=True).start()
        value = await asyncio.to_thread(lambda: "from a thread")
        yield TriggerEvent(value)


class Busy(Patient):
    """Never lets others run."""

    async def run(self):
        while True:
            pass
        yield


class Hiccups(Patient):
    """Holds up others again and again, until it is moved to another process, and works nevertheless."""

    async def run(self):
        while not self.was_moved():
            time.sleep(0.3)
            self.note("hiccups")
            await asyncio.sleep(0)
        yield TriggerEvent({"pid": os.getpid()})

    def was_moved(self):
        others = [path for path in Path(self.folder).glob("hiccups.*") if path.suffix != f".{os.getpid()}"]
        return any(len(path.read_text().splitlines()) >= 3 for path in others)


class Exits(Patient):
    async def run(self):
        self.note("exits")
        os._exit(3)
        yield


class Crashes(Patient):
    async def run(self):
        self.note("crashes")
        ctypes.string_at(0)
        yield


class ExitsInThread(Patient):
    async def run(self):
        self.note("exits")
        await asyncio.to_thread(os._exit, 3)
        yield


class Unmade(Patient):
    def __init__(self, folder):
        raise TypeError("no")
