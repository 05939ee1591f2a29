"""What a supervisor that was killed has left running."""

import os
import signal
from collections.abc import Mapping
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
    """Kill all processes that bear the mark of this folder, and all below them, until there are none.

    A program that a task started without the mark is found by who started it. That one must not be killed before: its
    orphans would be nobody's.

    Returns:
        How many there were.
    """
    mark = f"{MARK}={folder}".encode()
    killed = 0
    while found := _marked_and_below(mark):
        for number in (signal.SIGSTOP, signal.SIGKILL):  # while they stand still, nobody new appears
            for pid in found:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        killed += len(found)
    return killed


def _marked_and_below(mark: bytes) -> list[int]:
    parents: dict[int, int] = {}
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[:2]
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:  # gone, or somebody else's
            continue
        if state not in "ZX":
            parents[int(entry.name)] = int(parent)
            if mark in variables:
                found.add(int(entry.name))
    return sorted(_with_descendants(found, parents) - {os.getpid()})


def _with_descendants(found: set[int], parents: Mapping[int, int]) -> set[int]:
    below = {pid for pid, parent in parents.items() if parent in found} - found
    return _with_descendants(found | below, parents) if below else found
