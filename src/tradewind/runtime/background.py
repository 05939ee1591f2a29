"""A process that outlives whoever starts it."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path


class Background:
    """Starts processes in sessions of their own, and never waits for them."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        """`environ`: what they find in their environment; that of this process if none is given."""
        self._environ = os.environ if environ is None else environ
        self._started: list[int] = []

    def start(self, command: Sequence[str], log: Path) -> int:
        """Run a command whose output is appended to `log`. Returns its process id.

        Raises:
            OSError: no process can be started, or the log cannot be opened.
        """
        self._bury()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), flags, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ]
        process = os.posix_spawn(command[0], list(command), self._environ, file_actions=actions, setsid=True)
        self._started.append(process)
        return process

    def is_running(self, process: int) -> bool:
        """Whether a process that was started here has not ended."""
        self._bury()
        return process in self._started

    def _bury(self) -> None:
        """What ended meanwhile would stay in the table of processes until somebody asks."""
        for process in tuple(self._started):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(process, os.WNOHANG)[0] == 0:
                    continue
            self._started.remove(process)
