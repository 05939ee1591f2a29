"""A service that can do its work says so: to systemd, and to the process that keeps it."""

import contextlib
import os

from tradewind.runtime.systemd import READY, forget_systemd, notify_systemd


class _Keepers:
    """Of this process: at most one waits for its word."""

    def __init__(self) -> None:
        self._pipe: int | None = None

    def expect(self, pipe: int) -> None:
        """A keeper reads the other end of it."""
        self._pipe = pipe

    def tell(self) -> None:
        """Once."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            with contextlib.suppress(OSError):  # whoever waited may be gone
                os.write(pipe, b"\n")
            os.close(pipe)


_keepers = _Keepers()


def be_kept(pipe: int) -> None:
    """In a process that was just forked: who keeps it waits at the other end of this pipe, and tells systemd itself."""
    forget_systemd()
    _keepers.expect(pipe)


def tell_ready() -> None:
    """From now on, what is asked of this process gets done."""
    notify_systemd(READY)
    _keepers.tell()
