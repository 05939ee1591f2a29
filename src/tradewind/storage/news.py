"""What listeners of plugins are to be told."""

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.ids import JobKey
from tradewind.model.listener_news import Hook, News, NewsKey, StoredNews
from tradewind.storage.json_text import from_text, to_text
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import listener_news
from tradewind.storage.types import AnyRow, Instant

_COLUMNS = listener_news.c
_OF_KEYS = one_of(_COLUMNS.news_key, "keys")
_IS_MINE = _COLUMNS.claimed_by == sa.bindparam("job")
_FREE = (
    sa.select(_COLUMNS.news_key, _COLUMNS.hook, _COLUMNS.facts, _COLUMNS.attempts)
    .where(
        one_of(_COLUMNS.hook, "hooks"),
        sa.or_(_COLUMNS.claimed_until.is_(None), _COLUMNS.claimed_until <= sa.bindparam("now", type_=Instant())),
    )
    .order_by(_COLUMNS.news_key)
    .limit(sa.bindparam("limit"))
    .with_for_update(skip_locked=True)
)
_UNTIL = sa.bindparam("until", type_=Instant())
_CLAIM = (
    sa.update(listener_news)
    .where(_OF_KEYS)
    .values(claimed_by=sa.bindparam("job"), claimed_until=_UNTIL, attempts=_COLUMNS.attempts + 1)
)
_RENEW = sa.update(listener_news).where(_OF_KEYS, _IS_MINE).values(claimed_until=_UNTIL)
_RELEASE = (
    sa.update(listener_news)
    .where(_OF_KEYS, _IS_MINE)
    .values(claimed_by=None, claimed_until=None, attempts=_COLUMNS.attempts - sa.bindparam("undone"))
)


class NewsForListeners:
    """Implements `interface.NewsStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, news: Sequence[News], now: datetime) -> None:
        rows = [
            {"hook": each.hook.value, "facts": to_text(each.facts), "attempts": 0, "created_at": now} for each in news
        ]
        if rows:
            self._connection.execute(sa.insert(listener_news), rows)

    def claim(
        self, hooks: Collection[Hook], limit: int, job: JobKey, *, now: datetime, until: datetime
    ) -> list[StoredNews]:
        parameters = {"hooks": [hook.value for hook in hooks], "now": now, "limit": limit}
        found = self._connection.execute(_FREE, parameters).all()
        if found:
            self._connection.execute(_CLAIM, {"keys": [row.news_key for row in found], "job": job, "until": until})
        return [_to_stored(row) for row in found]

    def renew(self, keys: Collection[NewsKey], job: JobKey, until: datetime) -> None:
        self._connection.execute(_RENEW, {"keys": list(keys), "job": job, "until": until})

    def release(self, keys: Collection[NewsKey], job: JobKey, *, is_attempt: bool = False) -> None:
        if keys:
            self._connection.execute(_RELEASE, {"keys": list(keys), "job": job, "undone": int(not is_attempt)})

    def delete(self, keys: Collection[NewsKey]) -> None:
        if keys:
            self._connection.execute(sa.delete(listener_news).where(_OF_KEYS), {"keys": list(keys)})

    def keep_only(self, hooks: Collection[Hook]) -> None:
        others = [hook.value for hook in Hook if hook not in hooks]
        if others:
            self._connection.execute(sa.delete(listener_news).where(one_of(_COLUMNS.hook, "hooks")), {"hooks": others})


def _to_stored(row: AnyRow) -> StoredNews:
    return StoredNews(NewsKey(row.news_key), News(Hook(row.hook), from_text(row.facts)), row.attempts + 1)
