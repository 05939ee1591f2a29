"""Descriptors of other processes, read and written without ever waiting."""

import os
import selectors
import socket
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

_READ_SIZE: Final = 256 * 1024
_LARGEST_PACKET: Final = 128 * 1024
_MOST_LAST_READS: Final = 64
"""A pipe holds less. More comes only from a process that somehow escaped its end."""


def dispatch(selector: selectors.BaseSelector, patience_s: float) -> None:
    """Wait until something can be read or written, and let those who wait for it know."""
    for key, events in selector.select(patience_s):
        # What one event leads to may have closed what another one is about, and opened something else in its place.
        known = selector.get_map().get(key.fd)
        if known is not None and known.data == key.data:
            key.data(events)


class Stream:
    """One end of a stream socket: what cannot be sent at once is sent when it can be."""

    def __init__(self, end: socket.socket, selector: selectors.BaseSelector, heard: Callable[[bytes], None]) -> None:
        """`heard` gets what comes in; nothing at all means that nothing more will."""
        self._socket = end
        self._selector = selector
        self._heard = heard
        self._outgoing = bytearray()
        self.is_open = True
        end.setblocking(False)
        selector.register(end, selectors.EVENT_READ, self._ready)

    def send(self, data: bytes) -> None:
        """Send it, now or later. What cannot be sent because nobody is there is dropped."""
        if not self.is_open:
            return
        if self._outgoing:
            self._outgoing += data
            return
        sent = self._send(data)
        if sent < len(data) and self.is_open:
            self._outgoing += memoryview(data)[sent:]
            self._selector.modify(self._socket, selectors.EVENT_READ | selectors.EVENT_WRITE, self._ready)

    def drain(self) -> None:
        """Read all that is there."""
        while self.is_open and self._read():
            pass

    def close(self) -> None:
        """Let go of it."""
        if self.is_open:
            self.is_open = False
            self._selector.unregister(self._socket)
            self._socket.close()

    def _ready(self, events: int) -> None:
        if events & selectors.EVENT_WRITE and self._outgoing:
            sent = self._send(self._outgoing)
            del self._outgoing[:sent]
            if not self._outgoing and self.is_open:
                self._selector.modify(self._socket, selectors.EVENT_READ, self._ready)
        if events & selectors.EVENT_READ and self.is_open:
            self._read()

    def _send(self, data: bytes | bytearray) -> int:
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError:  # reading tells the end
            return len(data)

    def _read(self) -> bool:
        """Whether there may be more at once."""
        try:
            data = self._socket.recv(_READ_SIZE)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.close()
        self._heard(data)
        return bool(data)


class Packets:
    """One end of a packet socket, over which descriptors can be given away."""

    def __init__(self, end: socket.socket, selector: selectors.BaseSelector, heard: Callable[[bytes], None]) -> None:
        """`heard` gets each packet; an empty one means that nobody is there any more."""
        self._socket = end
        self._selector = selector
        self._heard = heard
        self._waiting: deque[tuple[bytes, Sequence[int]]] = deque()
        self._is_blocked = False
        self.is_open = True
        end.setblocking(False)
        selector.register(end, selectors.EVENT_READ, self._ready)

    def send(self, packet: bytes, descriptors: Sequence[int] = ()) -> None:
        """Send it with copies of the descriptors, which must stay open until it is answered."""
        if self.is_open:
            self._waiting.append((packet, descriptors))
            self._flush()

    def drain(self) -> None:
        """Take the packets that are there."""
        self._read()

    def close(self) -> None:
        """Let go of it."""
        if self.is_open:
            self.is_open = False
            self._selector.unregister(self._socket)
            self._socket.close()

    def _flush(self) -> None:
        is_blocked = False
        while self._waiting and not is_blocked:
            packet, descriptors = self._waiting[0]
            try:
                socket.send_fds(self._socket, [packet], list(descriptors))
            except BlockingIOError:
                is_blocked = True
            except OSError:  # reading tells the end
                self._waiting.clear()
            else:
                self._waiting.popleft()
        if is_blocked != self._is_blocked:
            self._is_blocked = is_blocked
            wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if is_blocked else 0)
            self._selector.modify(self._socket, wanted, self._ready)

    def _ready(self, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self._flush()
        if events & selectors.EVENT_READ:
            self._read()

    def _read(self) -> None:
        while self.is_open:
            try:
                packet = self._socket.recv(_LARGEST_PACKET)
            except BlockingIOError:
                return
            except OSError:
                packet = b""
            if not packet:
                self.close()
            self._heard(packet)


class Output:
    """What a process prints: the reading end of a pipe."""

    def __init__(self, descriptor: int, selector: selectors.BaseSelector, heard: Callable[[bytes], None]) -> None:
        self._descriptor = descriptor
        self._selector = selector
        self._heard = heard
        self._is_open = True
        os.set_blocking(descriptor, False)
        selector.register(descriptor, selectors.EVENT_READ, self._ready)

    def drain(self) -> None:
        """Read what is there, and let go of it: whoever may still hold the other end is not listened to."""
        most = _MOST_LAST_READS
        while self._is_open and most > 0 and self._read():
            most -= 1
        self._close()

    def _ready(self, _events: int) -> None:
        self._read()

    def _read(self) -> bool:
        try:
            data = os.read(self._descriptor, _READ_SIZE)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if data:
            self._heard(data)
        else:
            self._close()
        return bool(data)

    def _close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._selector.unregister(self._descriptor)
            os.close(self._descriptor)
