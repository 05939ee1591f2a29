"""What looks out for updates of assets, and which triggerer runs it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cached_property

import sqlalchemy as sa

from tradewind.errors import TransactionConflict
from tradewind.model.asset import AssetKey
from tradewind.model.ids import JobKey
from tradewind.model.trouble import Trouble
from tradewind.model.watcher import ClaimedWatcher, NewWatcher, WatcherKey, WatcherUse
from tradewind.storage.insert_new import insert_new
from tradewind.storage.interface.watcher_store import SealedWatcher, WatchedAsset
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import asset, asset_reference, asset_watcher, dag, dag_bundle, watcher, webhook_message
from tradewind.storage.troubles import note_trouble, trouble_rows
from tradewind.storage.types import AnyRow, Instant
from tradewind.storage.watched_messages import WatchedMessages

_COLUMNS = watcher.c
_OF_KEYS = one_of(_COLUMNS.watcher_key, "keys")
_OF_JOB = _COLUMNS.triggerer == sa.bindparam("job")
_IS_FREE = _COLUMNS.triggerer.is_(None)
_IS_WANTED = (
    sa.select(sa.literal(1))
    .select_from(asset_watcher)
    .join(asset, asset.c.asset_key == asset_watcher.c.asset_key)
    .join(asset_reference, asset_reference.c.asset_key == asset_watcher.c.asset_key)
    .join(dag, dag.c.dag_id == asset_reference.c.dag_id)
    .where(
        asset_watcher.c.watcher_key == _COLUMNS.watcher_key,
        asset.c.is_active == sa.true(),
        asset_reference.c.role == sa.literal_column("'schedule'"),
        dag.c.is_paused == sa.false(),
        dag.c.is_stale == sa.false(),
    )
    .exists()
)
_WITH_BUNDLE = watcher.outerjoin(dag_bundle, dag_bundle.c.name == _COLUMNS.bundle_name)
_FREE = (
    sa.select(watcher, dag_bundle.c.version)
    .select_from(_WITH_BUNDLE)
    .where(_IS_FREE, _IS_WANTED)
    .order_by(_COLUMNS.watcher_key)
    .limit(sa.bindparam("limit"))
)
_LOCK_FREE = sa.select(_COLUMNS.watcher_key).where(_OF_KEYS, _IS_FREE).with_for_update(skip_locked=True)
# Who takes it lets it run with all others: it may have been mended meanwhile.
_CLAIM = sa.update(watcher).where(_OF_KEYS, _IS_FREE).values(triggerer=sa.bindparam("job"), is_quarantined=sa.false())
_WANTED = sa.select(_COLUMNS.watcher_key, dag_bundle.c.version).select_from(_WITH_BUNDLE).where(_OF_JOB, _IS_WANTED)
_ASSETS = (
    sa.select(asset_watcher.c.watcher_key, asset.c.asset_key, asset.c.name, asset.c.uri)
    .join(asset, asset.c.asset_key == asset_watcher.c.asset_key)
    .where(one_of(asset_watcher.c.watcher_key, "keys"), asset.c.is_active == sa.true())
    .order_by(asset_watcher.c.watcher_key, asset.c.asset_key)
    .distinct()
)
_LOCK = (
    sa.select(_COLUMNS.watcher_key, _COLUMNS.stored)
    .where(_OF_KEYS, _OF_JOB)
    .order_by(_COLUMNS.watcher_key)
    .with_for_update(key_share=True)
)
_COUNT = (
    sa.update(watcher)
    .where(_COLUMNS.watcher_key == sa.bindparam("of"))
    .values(stored=sa.bindparam("so_many"), failures=0, failed_at=None, error=None)
)
_FAIL = (
    sa.update(watcher)
    .where(_COLUMNS.watcher_key == sa.bindparam("of"), _OF_JOB)
    .values(
        failures=_COLUMNS.failures + 1,
        failed_at=sa.bindparam("now", type_=Instant()),
        error=sa.bindparam("said"),
    )
)
_NOTE_TROUBLE = note_trouble(watcher, _COLUMNS.watcher_key)
_LET_GO = sa.update(watcher).where(_OF_KEYS, _OF_JOB).values(triggerer=None)
_RELEASE = sa.update(watcher).where(_OF_JOB).values(triggerer=None)
_RELEASE_OTHERS = (
    sa.update(watcher)
    .where(_COLUMNS.triggerer.is_not(None), sa.not_(one_of(_COLUMNS.triggerer, "jobs")))
    .values(triggerer=None)
)
_IS_DECLARED = sa.select(sa.literal(1)).where(asset_watcher.c.watcher_key == _COLUMNS.watcher_key).exists()
_UNDECLARED = sa.select(_COLUMNS.watcher_key).where(sa.not_(_IS_DECLARED))
_SEALED = sa.select(_COLUMNS.watcher_key, _COLUMNS.kwargs, _COLUMNS.is_encrypted)
_RESEAL = (
    sa.update(watcher)
    .where(_COLUMNS.watcher_key == sa.bindparam("of"))
    .values(kwargs=sa.bindparam("sealed"), is_encrypted=sa.bindparam("encrypted"))
)
_OF_HOOK = webhook_message.c.hook == sa.bindparam("hook")
_COUNT_POSTED = sa.select(sa.func.count()).select_from(webhook_message).where(_OF_HOOK)
_POSTED = (
    sa.select(webhook_message.c.message_key, webhook_message.c.body)
    .where(_OF_HOOK, webhook_message.c.message_key > sa.bindparam("after"))
    .order_by(webhook_message.c.message_key)
    .limit(sa.bindparam("limit"))
)
_DROP_POSTED = sa.delete(webhook_message).where(_OF_HOOK, one_of(webhook_message.c.message_key, "numbers"))
_OF_DAGS = one_of(asset_watcher.c.dag_id, "dag_ids")
_BEFORE = sa.select(asset_watcher).where(_OF_DAGS)
_FORGET = sa.delete(asset_watcher).where(_OF_DAGS)
_KEYS_OF = (
    sa.select(_COLUMNS.identity, _COLUMNS.watcher_key)
    .where(one_of(_COLUMNS.identity, "identities"))
    .order_by(_COLUMNS.watcher_key)
    .with_for_update(key_share=True)
)


class Watchers:
    """Implements `interface.watcher_store.WatcherStore`."""

    def __init__(self, connection: sa.Connection, tell: Callable[[], None]) -> None:
        """`tell` has the commit wake the triggerers."""
        self._connection = connection
        self._tell = tell

    @cached_property
    def messages(self) -> WatchedMessages:
        return WatchedMessages(self._connection)

    def declare(
        self, dag_ids: Collection[str], watchers: Sequence[NewWatcher], uses: Collection[WatcherUse], now: datetime
    ) -> None:
        keys = self._keys_of(watchers, now)
        after = {(use.dag_id, use.asset_key, keys[use.identity]): use.name for use in sorted(uses)}
        found = self._connection.execute(_BEFORE, {"dag_ids": list(dag_ids)})
        before = {(row.dag_id, row.asset_key, row.watcher_key): row.name for row in found}
        if before == after:
            return
        if before:
            self._connection.execute(_FORGET, {"dag_ids": list(dag_ids)})
        rows = [
            {"dag_id": dag_id, "asset_key": asset_key, "watcher_key": key, "name": name}
            for (dag_id, asset_key, key), name in sorted(after.items())
        ]
        if rows:
            self._connection.execute(sa.insert(asset_watcher), rows)
        self._tell()

    def forget(self, dag_ids: Collection[str]) -> None:
        if self._connection.execute(_FORGET, {"dag_ids": list(dag_ids)}).rowcount:
            self._tell()

    def wake(self) -> None:
        self._tell()

    def claim(self, job: JobKey, limit: int) -> list[ClaimedWatcher]:
        found = self._connection.execute(_FREE, {"limit": limit}).all()
        if not found:
            return []
        ours = set(self._connection.execute(_LOCK_FREE, {"keys": [row.watcher_key for row in found]}).scalars())
        self._connection.execute(_CLAIM, {"keys": sorted(ours), "job": job})
        return [_to_claimed(row) for row in found if row.watcher_key in ours]

    def wanted(self, job: JobKey) -> dict[WatcherKey, str | None]:
        found = self._connection.execute(_WANTED, {"job": job})
        return {WatcherKey(row.watcher_key): row.version for row in found}

    def assets(self, keys: Collection[WatcherKey]) -> list[WatchedAsset]:
        found = self._connection.execute(_ASSETS, {"keys": sorted(keys)})
        return [WatchedAsset(WatcherKey(row.watcher_key), AssetKey(row.asset_key), row.name, row.uri) for row in found]

    def lock(self, keys: Collection[WatcherKey], job: JobKey) -> dict[WatcherKey, int]:
        found = self._connection.execute(_LOCK, {"keys": sorted(keys), "job": job})
        return {WatcherKey(row.watcher_key): row.stored for row in found}

    def count(self, stored: Mapping[WatcherKey, int]) -> None:
        rows = [{"of": key, "so_many": stored[key]} for key in sorted(stored)]
        if rows:
            self._connection.execute(_COUNT, rows)

    def fail(self, key: WatcherKey, job: JobKey, error: str, now: datetime) -> None:
        self._connection.execute(_FAIL, {"of": key, "job": job, "said": error, "now": now})

    def note_troubles(self, troubles: Mapping[WatcherKey, Trouble], job: JobKey) -> None:
        rows = trouble_rows(troubles, job)
        if rows:
            self._connection.execute(_NOTE_TROUBLE, rows)

    def let_go(self, keys: Collection[WatcherKey], job: JobKey) -> None:
        if keys:
            self._connection.execute(_LET_GO, {"keys": sorted(keys), "job": job})

    def release(self, job: JobKey) -> None:
        if self._connection.execute(_RELEASE, {"job": job}).rowcount:
            self._tell()

    def release_all_but(self, jobs: Collection[JobKey]) -> int:
        released = self._connection.execute(_RELEASE_OTHERS, {"jobs": sorted(jobs)}).rowcount
        if released:
            self._tell()
        return released

    def delete_undeclared(self) -> int:
        # First locked, then looked at again: whoever declares one has locked it before it refers to it.
        found = list(self._connection.execute(_UNDECLARED).scalars())
        if not found:
            return 0
        lock = sa.select(_COLUMNS.watcher_key).where(_OF_KEYS).with_for_update(skip_locked=True)
        locked = {"keys": sorted(self._connection.execute(lock, {"keys": found}).scalars())}
        free = {"keys": list(self._connection.execute(_UNDECLARED.where(_OF_KEYS), locked).scalars())}
        self._connection.execute(sa.delete(watcher).where(_OF_KEYS), free)
        return len(free["keys"])

    def post(self, hook: str, body: str, now: datetime) -> int:
        statement = sa.insert(webhook_message).values(hook=hook, body=body, received_at=now)
        key = self._connection.execute(statement).inserted_primary_key
        assert key is not None
        return int(key[0])

    def count_posted(self, hook: str) -> int:
        return int(self._connection.execute(_COUNT_POSTED, {"hook": hook}).scalar_one())

    def posted(self, hook: str, after: int, limit: int) -> list[tuple[int, str]]:
        found = self._connection.execute(_POSTED, {"hook": hook, "after": after, "limit": limit})
        return [(row.message_key, row.body) for row in found]

    def drop_posted(self, hook: str, numbers: Collection[int]) -> None:
        self._connection.execute(_DROP_POSTED, {"hook": hook, "numbers": sorted(numbers)})

    def sealed(self) -> list[SealedWatcher]:
        return [SealedWatcher(WatcherKey(row[0]), row[1], row[2]) for row in self._connection.execute(_SEALED)]

    def reseal(self, kwargs: Sequence[SealedWatcher]) -> None:
        rows = [{"of": each.key, "sealed": each.kwargs, "encrypted": each.is_encrypted} for each in kwargs]
        if rows:
            self._connection.execute(_RESEAL, rows)

    def _keys_of(self, watchers: Sequence[NewWatcher], now: datetime) -> dict[str, WatcherKey]:
        """Of these, which are there afterwards, locked so that nobody deletes them meanwhile."""
        by_identity = {each.identity: each for each in watchers}
        if not by_identity:
            return {}
        insert_new(self._connection, watcher, [_to_row(by_identity[name], now) for name in sorted(by_identity)])
        found = self._connection.execute(_KEYS_OF, {"identities": sorted(by_identity)})
        keys = {row.identity: WatcherKey(row.watcher_key) for row in found}
        if keys.keys() != by_identity.keys():
            raise TransactionConflict("a watcher was deleted while it was declared")
        return keys


def _to_row(new: NewWatcher, now: datetime) -> dict[str, object]:
    return {
        "identity": new.identity,
        "class_path": new.class_path,
        "kwargs": new.kwargs,
        "is_encrypted": new.is_encrypted,
        "bundle_name": new.bundle_name,
        "path": new.path,
        "stored": 0,
        "failures": 0,
        "blocks": 0,
        "is_quarantined": False,
        "created_at": now,
    }


def _to_claimed(row: AnyRow) -> ClaimedWatcher:
    return ClaimedWatcher(
        key=WatcherKey(row.watcher_key),
        class_path=row.class_path,
        kwargs=row.kwargs,
        is_encrypted=row.is_encrypted,
        bundle_name=row.bundle_name,
        bundle_version=row.version,
        path=row.path,
        stored=row.stored,
        failures=row.failures,
        blocks=row.blocks,
    )
