"""Bundles of DAG files."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from tradewind.model.dag import CallbackEvent
from tradewind.model.dag_file import Bundle
from tradewind.model.listener_news import Hook
from tradewind.storage.insert_new import insert_new
from tradewind.storage.schema import dag_bundle

_COLUMNS = dag_bundle.c
_HOOKS = sa.select(_COLUMNS.heard_hooks).where(_COLUMNS.is_active, _COLUMNS.heard_hooks.is_not(None))
_HEARD = sa.select(_COLUMNS.heard_events).where(_COLUMNS.is_active, _COLUMNS.heard_events.is_not(None))


class Bundles:
    """Implements `interface.BundleStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def sync(self, names: Collection[str]) -> list[str]:
        insert_new(self._connection, dag_bundle, [{"name": name, "is_active": True} for name in sorted(names)])
        known = {bundle.name: bundle.is_active for bundle in self.all()}
        changes = [name for name, is_active in known.items() if is_active != (name in names)]
        for name in changes:
            self._update(name, is_active=name in names)
        return [name for name in changes if name not in names]

    def all(self) -> list[Bundle]:
        rows = self._connection.execute(sa.select(dag_bundle).order_by(_COLUMNS.name))
        return [Bundle(row.name, row.is_active, row.version, row.refreshed_at, row.error) for row in rows]

    def set_version(self, name: str, version: str | None) -> None:
        self._update(name, version=version)

    def refreshed(self, name: str, now: datetime, error: str | None) -> None:
        self._update(name, refreshed_at=now, error=error)

    def set_heard(self, name: str, events: Collection[CallbackEvent]) -> None:
        self._update(name, heard_events=",".join(sorted(events)) or None)

    def heard(self) -> frozenset[CallbackEvent]:
        rows = self._connection.execute(_HEARD).scalars()
        return frozenset(CallbackEvent(name) for row in rows for name in row.split(","))

    def set_hooks(self, name: str, hooks: Collection[Hook]) -> None:
        self._update(name, heard_hooks=",".join(sorted(hooks)) or None)

    def hooks(self) -> frozenset[Hook]:
        rows = self._connection.execute(_HOOKS).scalars()
        return frozenset(Hook(name) for row in rows for name in row.split(","))

    def _update(self, name: str, **values: Any) -> None:
        self._connection.execute(sa.update(dag_bundle).where(_COLUMNS.name == name).values(**values))
