"""Hints that files have changed, from the operating system. A hint says when to look; what changed, the look says.

Where there are no hints (network drives, too many folders), the look that is made every few seconds finds everything
too.
"""

import threading
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

import watchfiles

_STEP_MS: Final = 50
_GATHER_MS: Final = 200
"""A checkout or a copy changes many files at once: worth one look, not many."""
_NEVER_INTERESTING: Final = ("/__pycache__", "/.git/")


class Watcher:
    """Watches folders in a thread of its own, and may be told to watch others."""

    def __init__(self, notify: Callable[[], None]) -> None:
        """`notify` is called from the thread."""
        self._notify = notify
        self._hinted = threading.Event()
        self._stop: threading.Event | None = None
        self._thread: threading.Thread | None = None
        self._paths: frozenset[Path] = frozenset()
        self.error: str | None = None
        """Why nothing is watched, if so."""

    def watch(self, paths: Collection[Path]) -> None:
        """Watch exactly these, as far as they exist."""
        wanted = frozenset(path for path in paths if path.is_dir())
        if wanted == self._paths:
            return
        self.close()
        self._paths = wanted
        self.error = None
        if wanted:
            self._stop = threading.Event()
            arguments = (sorted(wanted), self._stop)
            self._thread = threading.Thread(target=self._run, args=arguments, name="file changes", daemon=True)
            self._thread.start()

    def take_hint(self) -> bool:
        """Whether something changed since the last call."""
        is_hinted = self._hinted.is_set()
        self._hinted.clear()
        return is_hinted

    def close(self) -> None:
        """Watch nothing any more."""
        if self._stop is not None and self._thread is not None:
            self._stop.set()
            self._thread.join()
        self._stop = self._thread = None
        self._paths = frozenset()

    def _run(self, paths: Collection[Path], stop: threading.Event) -> None:
        try:
            for _ in watchfiles.watch(
                *paths,
                watch_filter=_is_interesting,
                stop_event=stop,
                step=_STEP_MS,
                debounce=_GATHER_MS,
                rust_timeout=60_000,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                self._hinted.set()
                self._notify()
        except Exception as error:  # without hints, looking every few seconds does as well
            self.error = str(error)


def _is_interesting(_change: watchfiles.Change, path: str) -> bool:
    return not path.endswith(".pyc") and not any(part in path for part in _NEVER_INTERESTING)
