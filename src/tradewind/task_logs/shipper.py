"""Copying logs elsewhere in the background: whoever watches over tasks has no time to wait for a network."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from tradewind.task_logs.remote import RemoteLogs

_THREADS: Final = 8
_TRIES: Final = 3


class LogShipper:
    """Stores logs elsewhere, several at a time, one after the other of the same name."""

    def __init__(
        self,
        remote: RemoteLogs,
        folder: Path,
        *,
        deletes_local: bool = False,
        fail: Callable[[str, Exception], object] = lambda _name, _error: None,
    ) -> None:
        """No thread is started yet.

        Args:
            remote: where to.
            folder: of the logs here.
            deletes_local: whether logs of tries that are over are deleted here once they are there.
            fail: is told the name of a log that cannot be stored, and why, in another thread. It stays here.
        """
        self._remote = remote
        self._folder = folder
        self._deletes_local = deletes_local
        self._fail = fail
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="log-shipper")
        self._lock = threading.Lock()
        # Names that are on their way, and whether they must be stored once more: with the last word on deleting.
        self._under_way: dict[str, bool | None] = {}

    def ship(self, name: str, *, is_over: bool) -> None:
        """Store a log, which is closed. Returns at once. `is_over`: no attempt will add to it."""
        with self._lock:
            if name in self._under_way:
                self._under_way[name] = is_over
                return
            self._under_way[name] = None
        self._pool.submit(self._store, name, is_over)

    def close(self) -> None:
        """Return when everything is stored, or cannot be."""
        self._pool.shutdown(wait=True)

    def _store(self, name: str, is_over: bool) -> None:
        following: bool | None = is_over
        while following is not None:
            self._try_to_store(name, deletes_local=self._deletes_local and following)
            with self._lock:
                following = self._under_way[name]
                if following is None:
                    del self._under_way[name]
                else:
                    self._under_way[name] = None

    def _try_to_store(self, name: str, *, deletes_local: bool) -> None:
        for tries_left in reversed(range(_TRIES)):
            try:
                self._remote.store(self._folder, name, deletes_local=deletes_local)
            except Exception as error:
                # Every kind of storage has errors of its own. Its own library has already waited and tried again.
                if not tries_left:
                    self._fail(name, error)
            else:
                return
