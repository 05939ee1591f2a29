"""A real receiver of StatsD on this machine."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

_PATIENCE_S = 30.0
_LONGEST = 65_535


@dataclass
class UdpReceiver:
    """What it got, line by line."""

    port: int
    lines: list[str] = field(default_factory=list)
    datagrams: list[bytes] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)

    def take(self, datagram: bytes) -> None:
        """One more."""
        with self._news:
            self.datagrams.append(datagram)
            self.lines += datagram.decode().split("\n")
            self._news.notify_all()

    def until(self, is_enough: Callable[[list[str]], bool]) -> list[str]:
        """All lines, once there are enough."""
        with self._news:
            assert self._news.wait_for(lambda: is_enough(self.lines), _PATIENCE_S), self.lines
            return list(self.lines)


@contextmanager
def udp_receiver() -> Iterator[UdpReceiver]:
    """At a port of its own, with a thread of its own: what nobody reads in time, the system throws away."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        receiver = UdpReceiver(listener.getsockname()[1])

        def read() -> None:
            while datagram := listener.recv(_LONGEST):
                receiver.take(datagram)

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            # The empty datagram ends the thread; to close the socket alone would not wake it.
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
                last.sendto(b"", ("127.0.0.1", receiver.port))
            thread.join(_PATIENCE_S)
