"""Keeps the threads of a process on one core at a time.

Of the threads of a Python process one runs at a time, whatever their number. Spread over several cores, each hand-over
from one to the next wakes another core: a web server under load spends a third of its time on that, and on one core
answers one and a half times as many requests. The core is left for another one, or for all of them, while others
need it.
"""

import os
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_MOST_OTHERS: Final = 0.25
"""The share of a core that others may take before it is left."""
_ENOUGH: Final = 0.5
"""The share of a core that must be free before it is taken."""
_FIELDS_BUSY: Final = (0, 1, 2, 5, 6, 7)
_FIELD_IDLE: Final = slice(3, 5)
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")


class Times(NamedTuple):
    """Of a machine and a process, in seconds since they began."""

    at: float
    own: float
    busy: Mapping[int, float]
    """By core, for whomever."""
    idle: Mapping[int, float]


def next_cores(here: frozenset[int], allowed: frozenset[int], before: Times, now: Times) -> frozenset[int]:
    """Where to be from now on: on the core where we are unless others need it, else on the freest, else on all."""
    passed = now.at - before.at
    if passed <= 0:
        return here
    own = (now.own - before.own) / passed / len(here)
    if len(here) == 1:
        (core,) = here
        if (now.busy[core] - before.busy[core]) / passed - own <= _MOST_OTHERS:
            return here

    def free(core: int) -> float:
        return (now.idle[core] - before.idle[core]) / passed + (own if core in here else 0.0)

    best = max(sorted(allowed), key=free)
    return frozenset({best}) if free(best) >= _ENOUGH else allowed


class OneCore:
    """For the process that makes it. To be asked to look about once a second."""

    def __init__(
        self,
        allowed: Collection[int],
        look: Callable[[], Times],
        move: Callable[[Collection[int]], None],
    ) -> None:
        """`move` to these cores; nowhere else than `allowed`."""
        self._allowed = frozenset(allowed)
        self._look = look
        self._move = move
        self._here = self._allowed
        self._before = look()

    def settle(self) -> None:
        """Stay, or go where there is more room."""
        now = self._look()
        there = next_cores(self._here, self._allowed, self._before, now)
        self._before = now
        if there != self._here:
            self._move(there)
            self._here = there


def one_core() -> OneCore | None:
    """None: the system has no such choice, or the process has no other core."""
    if not hasattr(os, "sched_setaffinity") or not Path("/proc/stat").exists():
        return None
    allowed = os.sched_getaffinity(0)
    return OneCore(allowed, _times, _move_all_threads) if len(allowed) > 1 else None


def _times() -> Times:
    busy, idle = {}, {}
    for line in Path("/proc/stat").read_text(encoding="ascii").splitlines():
        name, *words = line.split()
        if name.startswith("cpu") and name != "cpu":
            core, ticks = int(name[3:]), [int(word) for word in words]
            busy[core] = sum(ticks[number] for number in _FIELDS_BUSY) / _TICKS_PER_S
            idle[core] = sum(ticks[_FIELD_IDLE]) / _TICKS_PER_S
    return Times(time.monotonic(), time.process_time(), busy, idle)


def _move_all_threads(cores: Collection[int]) -> None:
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has ended meanwhile
            os.sched_setaffinity(int(thread.name), cores)
