"""Processes that end when the one that all of them belong to does, however it ended.

The owner holds a lock on a file. Whoever belongs to it waits for that lock in a thread and ends when it is free: told
or killed, the owner lets go of it. Unlike the parent's death, which Linux can report, this reaches processes further
down too (the worker that a scheduler starts outlives it on purpose), and works on every system. It also shows that
there is an owner already.
"""

import fcntl
import os
import signal
import threading
import time
from pathlib import Path
from typing import Final

VARIABLE: Final = "TRADEWIND_LIFELINE"
"""Names the file to those who belong to its owner."""
_INSIST_AFTER_S: Final = 0.5
_KILL_AFTER_S: Final = 6.0


class Lifeline:
    """The owner's end."""

    def __init__(self, path: Path) -> None:
        """Raises `BlockingIOError` if the file has an owner, or if processes of the last one are still ending."""
        self.path = path
        self._file = path.open("a")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise

    def cut(self) -> None:
        """Let everybody end who belongs here."""
        fcntl.flock(self._file, fcntl.LOCK_UN)
        self._file.close()

    def leave(self) -> None:
        """In a process that was forked: the lock is not its own."""
        self._file.close()


def hold_on_to_lifeline(*, insists: bool = False) -> None:
    """End this process when the owner that the environment names is gone; nothing to do where it names none.

    SIGTERM is sent to it, and SIGKILL after a while. `insists`: a second SIGTERM in between, for a process that
    finishes what it has begun at the first.
    """
    path = os.environ.get(VARIABLE)
    if path and Path(path).exists():
        threading.Thread(target=_hold, args=(path, insists), name="lifeline", daemon=True).start()


def _hold(path: str, insists: bool) -> None:
    with Path(path).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        os.kill(os.getpid(), signal.SIGTERM)
        if insists:
            time.sleep(_INSIST_AFTER_S)
            os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_KILL_AFTER_S)
        os.kill(os.getpid(), signal.SIGKILL)
