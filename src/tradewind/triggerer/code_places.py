"""Where the code of DAGs lies, found without keeping anybody waiting: a bundle may have to be fetched."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from tradewind.errors import TradewindError
from tradewind.model.trigger import ClaimedTrigger
from tradewind.model.watcher import ClaimedWatcher
from tradewind.triggerer.protocol import Code


class Folders(Protocol):
    """The folders of bundles; `worker.supervisor.places.MachinePlaces` has them."""

    def known_folder(self, bundle: str, version: str | None) -> Path | None:
        """Where it is, if that is known."""

    def folder(self, bundle: str, version: str | None) -> Path:
        """Where it is; made if need be. May take long, in any thread. Raises `BundleError`."""


class CodePlaces:
    """Finds the code of triggers."""

    def __init__(self, folders: Folders, plugins: str) -> None:
        self._folders = folders
        self._plugins = plugins
        self._fetching = ThreadPoolExecutor(1, thread_name_prefix="bundles of triggers")

    def find(self, trigger: ClaimedTrigger | ClaimedWatcher, found: Callable[[Code | None], None]) -> None:
        """Call `found` with where it is, now or later in another thread. Nothing: in installed packages at most."""
        name, path = trigger.bundle_name, trigger.path
        if name is None or path is None:
            found(None)
            return
        known = self._folders.known_folder(name, trigger.bundle_version)
        if known is not None:
            found(Code(name, str(known), path, self._plugins))
            return

        def fetch() -> None:
            try:
                root = str(self._folders.folder(name, trigger.bundle_version))
            except (TradewindError, OSError):
                found(None)  # should it be needed, the trigger says what it cannot import
            else:
                found(Code(name, root, path, self._plugins))

        self._fetching.submit(fetch)

    def close(self) -> None:
        """Fetch nothing more."""
        self._fetching.shutdown(wait=False, cancel_futures=True)
