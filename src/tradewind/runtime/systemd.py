"""What systemd wants to be told by a service of `Type=notify`."""

import contextlib
import os
import socket
from typing import Final

READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"


def notify_systemd(state: str) -> None:
    """Tell it, where it listens; nothing happens anywhere else."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        # A name that begins with @ is one that stands in no folder.
        sender.sendto(state.encode(), "\0" + address[1:] if address.startswith("@") else address)
