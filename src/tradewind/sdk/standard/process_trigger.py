"""A trigger that fires when a process ends."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tradewind.sdk.triggers import BaseTrigger, TriggerEvent


def process_start(pid: int) -> str | None:
    """What tells a process from a later one of the same number; nothing if there is none, or it has ended already."""
    try:
        # The name, in brackets, may have anything in it. After it come the state and, as the 20th, when it began.
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return _without_proc(pid)
    return None if words[0] in "ZX" else words[19]


def _without_proc(pid: int) -> str | None:
    if Path("/proc/self").exists():
        return None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "unknown"


class ProcessExitTrigger(BaseTrigger):
    """Fires when a process on the machine of the triggerer has ended, or was not there to begin with.

    `started` is what `process_start` said of it, so that a later process of the same number is not waited for.
    """

    def __init__(self, pid: int, started: str | None = None, poke_interval: float = 1.0) -> None:
        super().__init__()
        self.pid = pid
        self.started = process_start(pid) if started is None else started
        self.poke_interval = poke_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        arguments = {"pid": self.pid, "started": self.started or "ended", "poke_interval": self.poke_interval}
        return f"{__name__}.ProcessExitTrigger", arguments

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until it is gone."""
        while self.started and process_start(self.pid) == self.started:  # noqa: ASYNC110 - it is no child of ours
            await asyncio.sleep(self.poke_interval)
        yield TriggerEvent({"pid": self.pid, "status": "exited"})
