"""Notes what a DAG file touches while it is imported: files it depends on, and the world outside.

Python tells an audit hook of every file that is opened and of every connection. Whose doing it is, the stack says: the
nearest frame of the author's code, unless the import system comes before it. What a library does for itself while it is
imported is its own affair.
"""

import os
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Final, NamedTuple

IMPORT_SYSTEM: Final = "<frozen importlib"
_NOT_THE_AUTHORS: Final = tuple(
    f"{folder}/" for folder in (sys.prefix, sys.base_prefix, "/dev", "/proc", "/sys", "/usr/lib", "/usr/share")
)
"""Whoever reads what is there depends on the installation, not on a file."""


_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Contact(NamedTuple):
    """One touch of the world outside."""

    what: str
    file: str
    line: int


class Observer:
    """Listens from `install` until `stop`."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = tuple(f"{root}/" for root in roots)
        self._is_listening = False
        self.paths: dict[str, None] = {}
        """Files read and folders listed by the author's code, in that order."""
        self.contacts: dict[Contact, None] = {}
        self._written: set[str] = set()
        self._interests: dict[str, Callable[[tuple[Any, ...], FrameType], None]] = {
            "open": self._opened,
            "os.listdir": self._listed,
            "os.scandir": self._listed,
            "socket.connect": self._connected,
            "socket.getaddrinfo": self._resolved,
            "subprocess.Popen": self._started,
            "os.system": self._started,
            "sqlite3.connect": self._used_database,
        }

    def install(self) -> None:
        """An audit hook cannot be taken out again: only for a process that ends soon."""
        self._is_listening = True
        sys.addaudithook(self._hear)

    def stop(self) -> None:
        """Note nothing more."""
        self._is_listening = False

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        interest = self._interests.get(event)
        if interest is None or not self._is_listening:
            return
        self._is_listening = False  # what is done here is nobody's doing
        try:
            frame = self._author(sys._getframe(1))  # noqa: SLF001 - Python's own way to ask who calls
            if frame is not None:
                interest(arguments, frame)
        except Exception:
            pass
        finally:
            self._is_listening = True

    def _author(self, frame: FrameType | None) -> FrameType | None:
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(IMPORT_SYSTEM):
                return None
            if file.startswith(self._roots):
                return frame
            frame = frame.f_back
        return None

    def _opened(self, arguments: tuple[Any, ...], _frame: FrameType) -> None:
        path, _, flags = arguments
        if not isinstance(path, str | bytes):
            return
        if isinstance(flags, int) and flags & _WRITES:
            # What a file writes itself it does not depend on, or it would be read for ever.
            self._written.add(_absolute(path))
            self.paths.pop(_absolute(path), None)
        else:
            self._note(path)

    def _listed(self, arguments: tuple[Any, ...], _frame: FrameType) -> None:
        (path,) = arguments
        if path is None or isinstance(path, str | bytes):
            self._note(path or ".")

    def _note(self, path: str | bytes) -> None:
        absolute = _absolute(path)
        if absolute not in self._written and not absolute.startswith(_NOT_THE_AUTHORS):
            self.paths[absolute] = None

    def _connected(self, arguments: tuple[Any, ...], frame: FrameType) -> None:
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else address
        self._contact(f"connects to {host}", frame)

    def _resolved(self, arguments: tuple[Any, ...], frame: FrameType) -> None:
        self._contact(f"looks up the host {arguments[0]}", frame)

    def _started(self, arguments: tuple[Any, ...], frame: FrameType) -> None:
        command = arguments[1] if len(arguments) > 1 else arguments[0]
        words = command if isinstance(command, list | tuple) else [command]
        self._contact(f"runs the command {os.fsdecode(words[0])}", frame)

    def _used_database(self, arguments: tuple[Any, ...], frame: FrameType) -> None:
        self._contact(f"opens the database {arguments[0]}", frame)

    def _contact(self, what: str, frame: FrameType) -> None:
        self.contacts[Contact(what, frame.f_code.co_filename, frame.f_lineno)] = None


def _absolute(path: str | bytes) -> str:
    return os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - runs for every file that is opened
