"""Whom the kernel kills when memory runs out."""

import os
from contextlib import suppress
from typing import Final

_FILE: Final = "/proc/self/oom_score_adj"
_MORE: Final = 200
"""Thousandths of the memory that there is: as if the process used so much more."""
_MOST: Final = 1000


def be_killed_first() -> None:
    """When memory runs out, rather end this process, and what it starts, than those that watch over it.

    Without this, a task that uses less than its supervisor does could cost all other tasks their supervisor.
    """
    with suppress(OSError, ValueError):  # a system that cannot
        descriptor = os.open(_FILE, os.O_RDWR)
        try:
            score = min(int(os.pread(descriptor, 16, 0)) + _MORE, _MOST)
            os.pwrite(descriptor, b"%d" % score, 0)
        finally:
            os.close(descriptor)
