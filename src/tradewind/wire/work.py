"""What an executor says to the supervisor of its machine, and what it hears."""

import hashlib
import os
import tempfile
from enum import IntEnum
from pathlib import Path
from typing import Final

import msgspec

from tradewind.model.ids import AttemptKey
from tradewind.model.task import WorkItem

_LONGEST_SOCKET_PATH: Final = 100
"""The kernel's limit is a little above."""


class WorkKind(IntEnum):
    """What a frame holds."""

    SUBMIT = 1
    """From the executor: run these. A list of `WorkItem`."""
    REVOKE = 2
    """From the executor: do not begin these, stop them if they have. A list of `AttemptKey`."""
    ASK = 3
    """From the executor: which of these do you have? A list of `AttemptKey`; answered by one `HELD`."""
    HELD = 4
    """From the supervisor: I have these. A list of `AttemptKey`."""
    DONE = 5
    """From the supervisor: these are no longer with me, and what became of them is stored. A list of `AttemptKey`.
    Sent to whoever submitted or asked for them."""
    STOP = 6
    """From the executor: end. A `Stop`."""


class Stop(msgspec.Struct, frozen=True):
    """How a supervisor shall end."""

    kills: bool
    """Whether running attempts are stopped (and so fail); else they are waited for."""


decode_items: Final = msgspec.msgpack.Decoder(list[WorkItem]).decode
decode_attempts: Final = msgspec.msgpack.Decoder(list[AttemptKey]).decode
decode_stop: Final = msgspec.msgpack.Decoder(Stop).decode


def worker_folder(home: Path, executor: str) -> Path:
    """Where the supervisor of an executor has its socket and its lock. Only its owner may enter."""
    folder = home.absolute() / "worker" / executor
    if len(os.fsencode(folder / "socket")) <= _LONGEST_SOCKET_PATH:
        return folder
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]
    return Path(tempfile.gettempdir(), f"tradewind-{os.getuid()}-{name}")


def make_worker_folder(home: Path, executor: str) -> Path:
    """The same, made if need be.

    Raises:
        PermissionError: it is somebody else's, or others may enter it: they could pretend to be the supervisor.
    """
    folder = worker_folder(home, executor)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.stat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise PermissionError(f"only its owner, and nobody else than user {os.getuid()}, may enter {folder}")
    return folder
