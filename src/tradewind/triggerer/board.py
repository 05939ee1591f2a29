"""Memory that a runner shares with its supervisor: whose code runs at the moment.

It can be read while the runner stands still, and after it was killed by what it ran.
"""

import mmap
import os
import sys
import tempfile
from typing import Final

THREADS: Final = 63
"""How many threads beside that of the event loop have a place."""
_NOBODY: Final = 0
_SIZE: Final = 8 * (1 + THREADS)


class Board:
    """A place for the event loop, and one for each thread that triggers have something done in."""

    __slots__ = ("_file", "_memory", "_places")

    def __init__(self, file: int | None = None) -> None:
        """The one of that file; a new one by default."""
        self._file = _new_file() if file is None else file
        self._memory = mmap.mmap(self._file, _SIZE)
        self._places = memoryview(self._memory).cast("q")

    @property
    def file(self) -> int:
        """By which another process opens it."""
        return self._file

    def enter(self, trigger: int, place: int = 0) -> None:
        """The code of that trigger runs there."""
        self._places[place] = trigger

    def leave(self, place: int = 0) -> None:
        """Nobody's code runs there."""
        self._places[place] = _NOBODY

    def executing(self) -> set[int]:
        """Whose code runs, or ran when the process ended."""
        return set(self._places) - {_NOBODY}

    def close(self) -> None:
        """Let go of it."""
        self._places.release()
        self._memory.close()
        os.close(self._file)


def _new_file() -> int:
    if sys.platform == "linux":
        file = os.memfd_create("tradewind triggers")
    else:
        file, path = tempfile.mkstemp()
        os.unlink(path)  # noqa: PTH108 - it has no name that anybody needs
    os.truncate(file, _SIZE)
    return file
