"""A real receiver of StatsD on this machine."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_PATIENCE_S = 30.0


@dataclass
class UdpReceiver:
    """What it got, line by line."""

    socket: socket.socket
    lines: list[str] = field(default_factory=list)
    datagrams: list[bytes] = field(default_factory=list)

    @property
    def port(self) -> int:
        """Where it listens."""
        port: int = self.socket.getsockname()[1]
        return port

    def receive(self) -> list[str]:
        """The lines of the next datagram."""
        datagram = self.socket.recv(65_535)
        self.datagrams.append(datagram)
        lines = datagram.decode().split("\n")
        self.lines += lines
        return lines

    def until(self, is_enough: Callable[[list[str]], bool]) -> list[str]:
        """All lines, once there are enough."""
        while not is_enough(self.lines):
            self.receive()
        return self.lines


@contextmanager
def udp_receiver() -> Iterator[UdpReceiver]:
    """At a port of its own."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(_PATIENCE_S)
        yield UdpReceiver(listener)
