"""Copying logs elsewhere in the background: whoever watches over tasks has no time to wait for a network.

What is to be copied is noted in a folder beside the logs until it is there. So a log whose copy failed, or whose
worker died with it, is copied by the next one.
"""

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from tradewind.task_logs.remote import RemoteLogs

_THREADS: Final = 8
_TRIES: Final = 3
_OWED: Final = ".to-be-copied"
_decode_note: Final = msgspec.json.Decoder(tuple[str, bool]).decode


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
        self._owed = folder / _OWED
        self._has_looked = False
        """For what earlier ones owe. Not at the beginning: no thread may run while others are forked."""
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="log-shipper")
        self._lock = threading.Lock()
        # Names that are on their way, and whether they must be stored once more: with the last word on deleting.
        self._under_way: dict[str, bool | None] = {}

    def ship(self, name: str, *, is_over: bool) -> None:
        """Store a log, which is closed. Returns at once. `is_over`: no attempt will add to it."""
        owed = [] if self._has_looked else self._notes()
        self._has_looked = True
        self._note(name, is_over)
        for each in ((name, is_over), *((other, was_over) for other, was_over in owed if other != name)):
            self._submit(*each)

    def _submit(self, name: str, is_over: bool) -> None:
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
            is_stored = self._try_to_store(name, deletes_local=self._deletes_local and following)
            with self._lock:
                following = self._under_way[name]
                if following is not None:
                    self._under_way[name] = None
                    continue
                del self._under_way[name]
                if is_stored:
                    self._note_path(name).unlink(missing_ok=True)

    def _try_to_store(self, name: str, *, deletes_local: bool) -> bool:
        for tries_left in reversed(range(_TRIES)):
            try:
                self._remote.store(self._folder, name, deletes_local=deletes_local)
            except Exception as error:
                # Every kind of storage has errors of its own. Its own library has already waited and tried again.
                if not tries_left:
                    self._fail(name, error)
            else:
                return True
        return False

    def _note(self, name: str, is_over: bool) -> None:
        try:
            self._owed.mkdir(parents=True, exist_ok=True)
            self._note_path(name).write_bytes(msgspec.json.encode((name, is_over)))
        except OSError as error:  # a full disk must not end the worker: it will be copied unless that dies
            self._fail(name, error)

    def _notes(self) -> list[tuple[str, bool]]:
        """What is still to be copied. A note that was torn is worth nothing: its log stays here."""
        found = []
        for path in sorted(self._owed.glob("*.json")) if self._owed.is_dir() else ():
            with suppress(OSError, msgspec.MsgspecError):
                found.append(_decode_note(path.read_bytes()))
        return found

    def _note_path(self, name: str) -> Path:
        """Names of logs are longer than names of files may be."""
        return self._owed / f"{hashlib.sha256(name.encode()).hexdigest()}.json"
