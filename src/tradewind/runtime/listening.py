"""Sockets that listen."""

import os
import socket
from typing import Final

from tradewind.errors import CannotListen

_BACKLOG: Final = 2048


def listen(host: str, port: int) -> socket.socket:
    """One that listens already: who connects now is served when there is a server.

    Raises:
        CannotListen: the address is not to be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        # Python adds the address, which is said already; a name that nobody knows has no such number.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        raise CannotListen(f"cannot listen at {host}:{port}: {reason}") from error
