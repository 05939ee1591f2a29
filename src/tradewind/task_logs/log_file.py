"""A file that grows by whole lines, or not at all."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC


class LogFile:
    """A file that is made, with its folders, when the first line is appended, or its size is asked for."""

    __slots__ = ("_descriptor", "_path", "_size")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1
        self._size = 0

    @property
    def size(self) -> int:
        """How many bytes it has, with those of earlier attempts.

        Raises:
            OSError: it cannot be opened.
        """
        self._open()
        return self._size

    def append(self, data: bytes) -> None:
        """Write all of it; if that is not possible, nothing.

        Raises:
            OSError: no space, no folder, no right to write.
        """
        self._open()
        written = 0
        try:
            while written < len(data):
                written += os.write(self._descriptor, data[written:] if written else data)
        except OSError:
            if written:
                with suppress(OSError):
                    os.ftruncate(self._descriptor, self._size)
            raise
        self._size += len(data)

    def close(self) -> None:
        """Give it back to the system."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            with suppress(OSError):
                os.close(descriptor)

    def _open(self) -> None:
        if self._descriptor >= 0:
            return
        try:
            descriptor = os.open(self._path, _FLAGS, 0o666)
        except FileNotFoundError:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, _FLAGS, 0o666)
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
