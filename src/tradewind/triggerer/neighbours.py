"""Triggerers of one home folder: whoever was killed is known to be dead at once, without waiting for its lease.

Each holds a lock on a file that is named like its job. The kernel lets go of the lock when the process ends, however it
does; a lock that can be had belongs to nobody who lives.
"""

import fcntl
from contextlib import suppress
from pathlib import Path
from typing import IO

from tradewind.model.ids import JobKey


class Neighbours:
    """The files of all, one of them ours."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own: IO[str] | None = None
        self._path: Path | None = None

    def enter(self, job: JobKey) -> None:
        """From now on we live as this job."""
        self.leave()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Nobody must see the file before it is locked.
        hidden = self._folder / f".{job}"
        self._own = hidden.open("w")
        fcntl.flock(self._own, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._path = hidden.rename(self._folder / str(job))

    def leave(self) -> None:
        """We end in good order."""
        if self._own is not None and self._path is not None:
            self._path.unlink(missing_ok=True)
            self._own.close()
            self._own = self._path = None

    def dead(self) -> set[JobKey]:
        """Those who left a file behind. It goes, so they are named once."""
        found = set()
        for path in self._folder.glob("[0-9]*"):
            with suppress(OSError), path.open("r+") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
                found.add(JobKey(int(path.name)))
        return found
