"""Memory in large pages: a process that is forked often is copied faster."""

import ctypes
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_MADV_COLLAPSE: Final = 25
_HUGE: Final = 2 * 1024 * 1024
_MAPS: Final = Path("/proc/self/maps")


def gather_in_huge_pages() -> None:
    """Let the system gather what this process holds in memory in pages of two megabytes, where it can.

    A fork copies the list of a process's pages, and the end of the copy goes through it: with large pages it is short.
    Meant for a moment at which nearly all that the process will ever hold is there.
    """
    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    with suppress(OSError):
        for line in _MAPS.read_text(encoding="ascii", errors="replace").splitlines():
            for start in _huge_pages_in(line):
                madvise(start, _HUGE, _MADV_COLLAPSE)  # an older kernel, or one that does not want to, says no


def _huge_pages_in(line: str) -> range:
    """Where large pages fit into a piece of memory that is no file's, by its line in the map of the process."""
    place, permissions, _offset, _device, _inode, *name = line.split(maxsplit=5)
    if permissions != "rw-p" or name not in ([], ["[heap]"]):
        return range(0)
    start, end = (int(number, 16) for number in place.split("-"))
    return range(-(-start // _HUGE) * _HUGE, end // _HUGE * _HUGE, _HUGE)
