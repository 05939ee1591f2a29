"""How two states of a file are told apart: cheaply by its signature, for certain by its content."""

import hashlib
import os
from pathlib import Path
from typing import Final, NamedTuple

ABSENT: Final = ""
"""The hash of what is not there."""
CHANGED: Final = "changed"
"""The hash of what changed while it was read: equal to none, so that it is read again."""
_LARGEST: Final = 64 * 1024 * 1024
_TICK_NS: Final = 1_000_000_000
"""File systems count in ticks of up to so long."""
_IGNORED_NAMES: Final = frozenset({"__pycache__"})


class Signature(NamedTuple):
    """What changes with nearly every change of a file, and costs one system call to know."""

    mtime_ns: int
    size: int
    inode: int


def signature_of(status: os.stat_result) -> Signature:
    """Of a status that was asked for."""
    return Signature(status.st_mtime_ns, status.st_size, status.st_ino)


def is_recent(mtime_ns: int, now_ns: int) -> bool:
    """Whether it was written so short a time ago that it may be written again without its time showing it."""
    return abs(now_ns - mtime_ns) < _TICK_NS


def hash_bytes(data: bytes) -> str:
    """The hash of a content."""
    return hashlib.sha256(data).hexdigest()


def hash_path(path: str | Path, *, unchanged_since_ns: int | None = None) -> str:
    """The hash of a file's content, or of the names in a folder.

    A file so large that hashing would take noticeable time is told by its signature. With `unchanged_since_ns`, what
    was written later counts as changed.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - called for each dependency in each look
        if unchanged_since_ns is not None and status.st_mtime_ns >= unchanged_since_ns:
            return CHANGED
        if os.path.isdir(path):  # noqa: PTH112
            names = sorted(name for name in os.listdir(path) if _is_listed(name))  # noqa: PTH208
            return hash_bytes("\0".join(names).encode("utf-8", "surrogateescape"))
        if status.st_size > _LARGEST:
            return f"{status.st_mtime_ns}:{status.st_size}"
        return hash_bytes(Path(path).read_bytes())
    except OSError:
        return ABSENT


def _is_listed(name: str) -> bool:
    return name not in _IGNORED_NAMES and not name.startswith(".")
