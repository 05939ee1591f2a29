"""Whether the web server answers."""

import socket
from typing import Final

_PATH: Final = "/api/v2/monitor/health"
_TIMEOUT_S: Final = 0.25


def answers(host: str, port: int) -> bool:
    """Whether it does at this moment. Somebody else may be at that port: then the component says so."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    request = f"GET {_PATH} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection((host, port), _TIMEOUT_S) as connection:
            connection.sendall(request.encode())
            return connection.recv(12).startswith(b"HTTP/1.1")
    except OSError:
        return False
