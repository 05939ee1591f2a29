"""Requests to call an author's callbacks."""

from collections.abc import Collection, Sequence
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.callback_request import CallbackKey, CallbackRequest, StoredCallback
from tradewind.model.dag import CallbackEvent
from tradewind.model.dag_file import FileName
from tradewind.model.ids import JobKey, RunKey, VersionKey
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import callback_request, dag_version
from tradewind.storage.types import AnyRow, Instant

_COLUMNS = callback_request.c
_OF_KEYS = one_of(_COLUMNS.callback_key, "keys")
_FILES = sa.select(dag_version.c.version_key, dag_version.c.bundle_name, dag_version.c.path).where(
    one_of(dag_version.c.version_key, "keys"), dag_version.c.bundle_name.is_not(None)
)
_earlier = callback_request.alias("earlier")
# Who hears that a run has begun hears of its end afterwards, however many processes tell.
_HAS_EARLIER = sa.exists().where(
    _earlier.c.run_key == _COLUMNS.run_key,
    _earlier.c.callback_key < _COLUMNS.callback_key,
    _earlier.c.is_of_task.is_(False),
)
_FREE = (
    sa.select(callback_request)
    .where(
        one_of(_COLUMNS.bundle_name, "bundles"),
        sa.or_(_COLUMNS.claimed_until.is_(None), _COLUMNS.claimed_until <= sa.bindparam("now", type_=Instant())),
        sa.or_(_COLUMNS.is_of_task.is_(True), ~_HAS_EARLIER),
    )
    .order_by(_COLUMNS.callback_key)
    .limit(sa.bindparam("limit"))
    .with_for_update(skip_locked=True)
)
_UNTIL = sa.bindparam("until", type_=Instant())
_CLAIM = (
    sa.update(callback_request)
    .where(_OF_KEYS)
    .values(claimed_by=sa.bindparam("job"), claimed_until=_UNTIL, attempts=_COLUMNS.attempts + 1)
)
_RENEW = (
    sa.update(callback_request).where(_OF_KEYS, _COLUMNS.claimed_by == sa.bindparam("job")).values(claimed_until=_UNTIL)
)


class Callbacks:
    """Implements `interface.CallbackStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, requests: Sequence[CallbackRequest], now: datetime) -> None:
        versions = {"keys": list({request.version_key for request in requests})}
        files = {row[0]: (row[1], row[2]) for row in self._connection.execute(_FILES, versions)}
        rows = [
            {
                "bundle_name": files[request.version_key][0],
                "path": files[request.version_key][1],
                "dag_id": request.dag_id,
                "run_key": request.run_key,
                "version_key": request.version_key,
                "event": request.event.value,
                "reason": request.reason,
                "is_of_task": request.is_of_task,
                "task_id": request.task_id,
                "map_index": request.map_index,
                "try_number": request.try_number,
                "attempts": 0,
                "created_at": now,
            }
            for request in requests
            if request.version_key in files
        ]
        if rows:
            self._connection.execute(sa.insert(callback_request), rows)

    def claim(
        self, bundles: Collection[str], limit: int, job: JobKey, *, now: datetime, until: datetime
    ) -> list[StoredCallback]:
        found = self._connection.execute(_FREE, {"bundles": list(bundles), "now": now, "limit": limit}).all()
        if found:
            keys = [row.callback_key for row in found]
            self._connection.execute(_CLAIM, {"keys": keys, "job": job, "until": until})
        return [_to_stored(row) for row in found]

    def renew(self, keys: Collection[CallbackKey], job: JobKey, until: datetime) -> None:
        self._connection.execute(_RENEW, {"keys": list(keys), "job": job, "until": until})

    def delete(self, keys: Collection[CallbackKey]) -> None:
        self._connection.execute(sa.delete(callback_request).where(_OF_KEYS), {"keys": list(keys)})


def _to_stored(row: AnyRow) -> StoredCallback:
    request = CallbackRequest(
        dag_id=row.dag_id,
        run_key=RunKey(row.run_key),
        version_key=VersionKey(row.version_key),
        event=CallbackEvent(row.event),
        reason=row.reason,
        is_of_task=row.is_of_task,
        task_id=row.task_id,
        map_index=row.map_index,
        try_number=row.try_number,
    )
    file = FileName(row.bundle_name, row.path)
    return StoredCallback(CallbackKey(row.callback_key), request, file, row.attempts + 1, row.created_at)
