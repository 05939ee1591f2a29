"""What a supervisor that was killed has left running."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

MARK: Final = "TRADEWIND_WORKER"
"""The environment variable by which all processes of a supervisor are known, whoever has forked them."""


def marked(folder: Path) -> dict[str, str]:
    """The variables that a supervisor gives to its processes."""
    # The second keeps the titles of processes from being written over where the first can be read.
    return {MARK: str(folder), "SPT_NOENV": "1"}


def end_leftovers(folder: Path) -> int:
    """Kill all processes that bear the mark of this folder, until there are none. Returns how many there were."""
    mark = f"{MARK}={folder}".encode()
    killed = 0
    while True:
        found = list(_marked(mark))
        if not found:
            return killed
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed += len(found)


def _marked(mark: bytes) -> Iterator[int]:
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            variables = (entry / "environ").read_bytes().split(b"\0")
            state = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:  # gone, or somebody else's
            continue
        if mark in variables and state not in "ZX" and int(entry.name) != os.getpid():
            yield int(entry.name)
