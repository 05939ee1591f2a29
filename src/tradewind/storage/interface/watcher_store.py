"""The store of what looks out for updates of assets, and of who runs it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.asset import AssetKey
from tradewind.model.ids import JobKey
from tradewind.model.trouble import Trouble
from tradewind.model.watcher import ClaimedWatcher, NewWatcher, SeenMessage, WatcherKey, WatcherUse


class SealedWatcher(NamedTuple):
    """The arguments of a watcher as they are stored."""

    key: WatcherKey
    kwargs: str
    is_encrypted: bool


class WatchedAsset(NamedTuple):
    """An asset that a watcher speaks of."""

    watcher: WatcherKey
    key: AssetKey
    name: str
    uri: str


class WatchedMessageStore(Protocol):
    """Messages that watchers have seen, by their hashes. Only who has locked a watcher may change what is known."""

    def known(self, messages: Collection[tuple[WatcherKey, str]]) -> set[tuple[WatcherKey, str]]:
        """Those of these that are known."""

    def remember(self, messages: Collection[SeenMessage]) -> None:
        """New ones."""

    def forget(self, up_to: Mapping[WatcherKey, int]) -> None:
        """Those that became events up to these numbers."""


class WatcherStore(Protocol):
    """A watcher is wanted while an active DAG that is not paused waits for an asset that has it."""

    @property
    def messages(self) -> WatchedMessageStore:
        """What they have seen."""

    def declare(
        self, dag_ids: Collection[str], watchers: Sequence[NewWatcher], uses: Collection[WatcherUse], now: datetime
    ) -> None:
        """All that these DAGs say of watchers from now on. Those that are there stay as they are. Triggerers are woken
        by the commit if anything changed."""

    def forget(self, dag_ids: Collection[str]) -> None:
        """These DAGs say nothing of watchers any more. Triggerers are woken by the commit if they did."""

    def wake(self) -> None:
        """Which watchers are wanted has changed: triggerers are woken by the commit."""

    def claim(self, job: JobKey, limit: int) -> list[ClaimedWatcher]:
        """Take free ones that are wanted. Never waits for others who claim."""

    def wanted(self, job: JobKey) -> dict[WatcherKey, str | None]:
        """Those of this triggerer that are wanted, with the newest version of their bundles."""

    def assets(self, keys: Collection[WatcherKey]) -> list[WatchedAsset]:
        """The active assets that these watchers speak of, by key."""

    def lock(self, keys: Collection[WatcherKey], job: JobKey) -> dict[WatcherKey, int]:
        """Lock those that still belong to this triggerer. Returns how many events of each are stored."""

    def count(self, stored: Mapping[WatcherKey, int]) -> None:
        """So many events of each are stored now, and so it works."""

    def fail(self, key: WatcherKey, job: JobKey, error: str, now: datetime) -> None:
        """It failed, if it still belongs to this triggerer."""

    def note_troubles(self, troubles: Mapping[WatcherKey, Trouble], job: JobKey) -> None:
        """What watchers of this triggerer did to others. A moment and a stack that are not told stay as they are."""

    def let_go(self, keys: Collection[WatcherKey], job: JobKey) -> None:
        """These are free again, as far as they belong to this triggerer."""

    def release(self, job: JobKey) -> None:
        """All of this triggerer are free."""

    def release_all_but(self, jobs: Collection[JobKey]) -> int:
        """What belongs to other triggerers than these is free. Returns how many."""

    def delete_undeclared(self) -> int:
        """Those that no DAG declares any more. Returns how many."""

    def post(self, hook: str, body: str, now: datetime) -> int:
        """Something was posted to a webhook. Returns its number."""

    def count_posted(self, hook: str) -> int:
        """How much of that nobody is done with."""

    def posted(self, hook: str, after: int, limit: int) -> list[tuple[int, str]]:
        """The numbers after this one, and what was posted, in order."""

    def drop_posted(self, hook: str, numbers: Collection[int]) -> None:
        """These are done with."""

    def sealed(self) -> list[SealedWatcher]:
        """The arguments of all."""

    def reseal(self, kwargs: Sequence[SealedWatcher]) -> None:
        """Store them anew."""
