"""How a waiting service learns at once that there is work, instead of at its next poll."""

import contextlib
import os
import select
import socket
from pathlib import Path
from typing import Protocol

from tradewind.runtime.socket_folder import make_socket_folder


class Wakeup(Protocol):
    """A signal that may be given from anywhere and is not lost while nobody waits."""

    def wake(self) -> None:
        """Make the current or the next `wait` return. Never blocks, never raises."""

    def wait(self, timeout_s: float) -> bool:
        """Until woken or the time is over. True: woken."""


class ClosableWakeup(Wakeup, Protocol):
    """One that holds something of the system."""

    def close(self) -> None:
        """Give it back. Nobody waits here any more."""


class PipeWakeup:
    """Within one process: from other threads, and from signal handlers, which may hold no lock."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)

    def wake(self) -> None:
        """See `Wakeup.wake`."""
        with contextlib.suppress(OSError):  # a full pipe wakes just as well, and a closed one wakes nobody
            os.write(self._writing, b"!")

    def wait(self, timeout_s: float) -> bool:
        """See `Wakeup.wait`."""
        ready, _, _ = select.select([self._reading], [], [], timeout_s)
        if not ready:
            return False
        with contextlib.suppress(BlockingIOError):
            while os.read(self._reading, 4096):
                pass
        return True

    def close(self) -> None:
        """Nobody waits here any more. Whoever still calls must not write into what gets the same number next."""
        reading, writing = self._reading, self._writing
        self._reading = self._writing = -1
        os.close(writing)
        os.close(reading)


class SocketWakeup:
    """Between processes of one host: one datagram socket per waiting service, all in one folder.

    `wake` knocks at every socket of the folder, so whoever changes something need not know who waits. A socket that
    nobody listens at any more is swept away by the next knock.
    """

    def __init__(self, folder: Path, name: str | None = None) -> None:
        self._folder = make_socket_folder(folder)
        self._sender = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._sender.setblocking(False)
        self._path = self._folder / f"{name or os.getpid()}.sock"
        self._receiver: socket.socket | None = None

    def listen(self) -> None:
        """From now on, knocks are kept until the next `wait`."""
        self._path.unlink(missing_ok=True)
        self._receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._receiver.bind(str(self._path))
        self._receiver.setblocking(False)

    def wake(self) -> None:
        """See `Wakeup.wake`."""
        for path in self._folder.glob("*.sock"):
            try:
                self._sender.sendto(b"!", str(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
            except OSError:
                continue  # gone meanwhile, or its buffer is full: then it will wake anyway

    def wait(self, timeout_s: float) -> bool:
        """See `Wakeup.wait`."""
        if self._receiver is None:
            self.listen()
        assert self._receiver is not None
        ready, _, _ = select.select([self._receiver], [], [], timeout_s)
        if not ready:
            return False
        with contextlib.suppress(BlockingIOError):
            while True:
                self._receiver.recv(16)
        return True

    def close(self) -> None:
        """Stop listening."""
        if self._receiver is not None:
            self._receiver.close()
            self._path.unlink(missing_ok=True)
        self._sender.close()
