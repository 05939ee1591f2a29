"""Where the sockets of a home lie: the kernel takes only short paths for them, and a home may have a long one."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Final

_LONGEST_PATH: Final = 103
"""Of a socket, on macOS; Linux takes four bytes more."""
_LONGEST_NAME: Final = len("4194304-0a1b2c3d.sock")
"""Of a socket in its folder: there is a process id in it, and more."""
_EVERYWHERE: Final = "/tmp"


def socket_folder(wanted: Path) -> Path:
    """The wanted one if it can have sockets; else one for temporary files, always the same for the same."""
    if _can_have_sockets(wanted):
        return wanted
    digest = hashlib.sha256(os.fsencode(wanted)).hexdigest()[:24]
    here, everywhere = (
        Path(place, f"tradewind-{os.getuid()}-{digest}") for place in (tempfile.gettempdir(), _EVERYWHERE)
    )
    return here if _can_have_sockets(here) else everywhere


def make_socket_folder(wanted: Path, *, is_private: bool = False) -> Path:
    """The same, made if need be; `is_private`: so that only its owner may enter, as always among temporary files.

    Raises:
        PermissionError: it is somebody else's, or others may enter it: they could pretend to be who listens there.
    """
    folder = socket_folder(wanted)
    is_private = is_private or folder != wanted
    folder.mkdir(mode=0o700 if is_private else 0o777, parents=True, exist_ok=True)
    status = folder.stat()
    if is_private and (status.st_uid != os.getuid() or status.st_mode & 0o077):
        raise PermissionError(f"only its owner, and nobody else than user {os.getuid()}, may enter {folder}")
    return folder


def worker_folder(home: Path, executor: str) -> Path:
    """Where the supervisor of an executor has its socket and its lock."""
    return socket_folder(_of_worker(home, executor))


def make_worker_folder(home: Path, executor: str) -> Path:
    """The same, made if need be. Only its owner may enter. Raises `PermissionError`."""
    return make_socket_folder(_of_worker(home, executor), is_private=True)


def _of_worker(home: Path, executor: str) -> Path:
    return home.absolute() / "worker" / executor


def _can_have_sockets(folder: Path) -> bool:
    return len(os.fsencode(folder)) + 1 + _LONGEST_NAME <= _LONGEST_PATH
