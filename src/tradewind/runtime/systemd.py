"""What systemd wants to be told by a service of `Type=notify`."""

import contextlib
import os
import socket
from typing import Final

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"
_VARIABLE: Final = "NOTIFY_SOCKET"


def notify_systemd(state: str) -> None:
    """Tell it, where it listens; nothing happens anywhere else."""
    address = os.environ.get(_VARIABLE)
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        # A name that begins with @ is one that stands in no folder.
        sender.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)


def forget_systemd() -> None:
    """In a process that is a part of the service only: what becomes of it is no news of the whole."""
    os.environ.pop(_VARIABLE, None)
