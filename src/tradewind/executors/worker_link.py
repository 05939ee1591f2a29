"""A connection to the supervisor of this machine, over which nobody waits for anybody."""

import contextlib
import select
import socket
from pathlib import Path
from typing import Final

from tradewind.wire.frames import FrameReader, pack

_READ_SIZE: Final = 256 * 1024


class WorkerLink:
    """Sends what the socket takes and keeps the rest; hears what is there. Opened again and again as need be."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self._outgoing = bytearray()
        self._reader = FrameReader()

    @property
    def is_open(self) -> bool:
        """Whether somebody listens, as far as is known."""
        return self._socket is not None

    def open(self) -> bool:
        """Connect, if a supervisor listens. Whether one does."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.setblocking(False)
        try:
            connection.connect(str(self._path))
        except OSError:  # there is no such socket, nobody listens, or too many are waiting to be heard
            connection.close()
            return False
        self.close()
        self._socket = connection
        return True

    def send(self, kind: int, content: object) -> None:
        """Say this, after all that was said before. What is not sent when the connection breaks is lost."""
        self._outgoing += pack(kind, content)
        self._flush()

    def receive(self) -> list[tuple[int, bytes]]:
        """(kind, content) of what was heard since the last call. Closes itself when the other end is gone."""
        heard: list[tuple[int, bytes]] = []
        self._flush()
        while self._socket is not None:
            try:
                data = self._socket.recv(_READ_SIZE)
                heard.extend(self._reader.feed(data))
            except BlockingIOError:
                break
            except (OSError, ValueError):
                data = b""
            if not data:
                self.close()
        return heard

    def wait(self, timeout_s: float) -> None:
        """Until something can be heard, or more can be said, or the time is over."""
        if self._socket is not None:
            select.select([self._socket], [self._socket] if self._outgoing else [], [], timeout_s)

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._outgoing.clear()
        self._reader = FrameReader()

    def _flush(self) -> None:
        # A broken connection is noticed by `receive`, after what the other end said last has been heard.
        with contextlib.suppress(OSError):
            while self._socket is not None and self._outgoing:
                sent = self._socket.send(self._outgoing)
                del self._outgoing[:sent]
