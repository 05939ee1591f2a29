"""The store of what listeners of plugins are to be told."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from tradewind.model.ids import JobKey
from tradewind.model.listener_news import Hook, News, NewsKey, StoredNews


class NewsStore(Protocol):
    """News for listeners of plugins, in their order."""

    def add(self, news: Sequence[News], now: datetime) -> None:
        """In this order."""

    def claim(
        self, hooks: Collection[Hook], limit: int, job: JobKey, *, now: datetime, until: datetime
    ) -> list[StoredNews]:
        """Take the oldest of these hooks that nobody has taken, or whose taker fell silent."""

    def renew(self, keys: Collection[NewsKey], job: JobKey, until: datetime) -> None:
        """Keep those that are still this processor's."""

    def release(self, keys: Collection[NewsKey], job: JobKey, *, is_attempt: bool = False) -> None:
        """Whoever comes next may tell them. Unless it is an attempt, nobody has begun to."""

    def delete(self, keys: Collection[NewsKey]) -> None:
        """They are told, or never will be."""

    def keep_only(self, hooks: Collection[Hook]) -> None:
        """Nobody wants to hear of anything else any more."""
