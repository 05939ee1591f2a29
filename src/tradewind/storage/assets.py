"""Assets, who names them, and what aliases stand for."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

import sqlalchemy as sa

from tradewind.model.asset import DEFAULT_GROUP, AssetKey
from tradewind.storage.insert_new import insert_new, insert_one_new
from tradewind.storage.interface.shared_stores import AssetRecord, AssetReference, NewAsset
from tradewind.storage.json_text import from_optional_text, to_optional_text
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import asset, asset_alias, asset_alias_asset, asset_reference
from tradewind.storage.types import AnyRow, Instant

_COLUMNS = asset.c
ASSET_COLUMNS = (
    _COLUMNS.asset_key,
    _COLUMNS.name,
    _COLUMNS.uri,
    _COLUMNS.group,
    _COLUMNS.extra.label("asset_extra"),
    _COLUMNS.is_active,
)
_ALL = sa.select(*ASSET_COLUMNS).order_by(_COLUMNS.asset_key)
_ACTIVE = _ALL.where(_COLUMNS.is_active == sa.true())
_BY_KEYS = _ALL.where(one_of(_COLUMNS.asset_key, "keys"))
_BY_NAMES = _ALL.where(one_of(_COLUMNS.name, "names"))
_BY_URIS = _ALL.where(one_of(_COLUMNS.uri, "uris"))
_OF_ALIAS = _ACTIVE.join(asset_alias_asset, asset_alias_asset.c.asset_key == _COLUMNS.asset_key).where(
    asset_alias_asset.c.alias == sa.bindparam("alias")
)
_ATTACHED = sa.select(asset_alias_asset.c.alias, asset_alias_asset.c.asset_key).where(
    one_of(asset_alias_asset.c.alias, "names")
)
_NOW = sa.bindparam("now", type_=Instant())
_DESCRIBE = (
    sa.update(asset)
    .where(_COLUMNS.name == sa.bindparam("of_name"), _COLUMNS.uri == sa.bindparam("of_uri"))
    .values(group=sa.bindparam("new_group"), extra=sa.bindparam("new_extra"), updated_at=_NOW)
)
_ACTIVATE = (
    sa.update(asset)
    .where(one_of(_COLUMNS.asset_key, "keys"))
    .values(is_active=sa.bindparam("active", type_=sa.Boolean()))
)
_ALIASES = sa.select(asset_alias.c.name, asset_alias.c.group).where(one_of(asset_alias.c.name, "names"))
_MOVE_ALIAS = (
    sa.update(asset_alias).where(asset_alias.c.name == sa.bindparam("of_name")).values(group=sa.bindparam("new_group"))
)
_OF_DAGS = one_of(asset_reference.c.dag_id, "dag_ids")
_DAGS_WITH = (
    sa.select(asset_reference.c.dag_id)
    .where(asset_reference.c.asset_key == sa.bindparam("asset"), asset_reference.c.role == sa.bindparam("of_role"))
    .distinct()
)
_REFERRED_BY = sa.select(asset_reference.c.asset_key).where(_OF_DAGS).distinct()
_FORGET = sa.delete(asset_reference).where(_OF_DAGS)
_REFERRED_TO = sa.select(asset_reference.c.asset_key).where(one_of(asset_reference.c.asset_key, "keys")).distinct()
_STOOD_FOR = sa.select(asset_alias_asset.c.asset_key).where(one_of(asset_alias_asset.c.asset_key, "keys")).distinct()


def to_asset(row: AnyRow) -> AssetRecord:
    """Of a row with `ASSET_COLUMNS`."""
    return AssetRecord(
        key=AssetKey(row.asset_key),
        name=row.name,
        uri=row.uri,
        group=row.group,
        extra=from_optional_text(row.asset_extra),
        is_active=row.is_active,
    )


class Assets:
    """Implements `interface.AssetStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(self, assets: Collection[NewAsset], now: datetime) -> None:
        insert_new(self._connection, asset, [_to_row(new, now) for new in _in_order(assets)])

    def add_each(self, assets: Collection[NewAsset], now: datetime) -> list[NewAsset]:
        return [new for new in _in_order(assets) if insert_one_new(self._connection, asset, _to_row(new, now))]

    def describe(self, assets: Collection[NewAsset], now: datetime) -> None:
        rows = [
            {
                "of_name": each.name,
                "of_uri": each.uri,
                "new_group": each.group,
                "new_extra": to_optional_text(each.extra),
                "now": now,
            }
            for each in _in_order(assets)
        ]
        if rows:
            self._connection.execute(_DESCRIBE, rows)

    def activate(self, keys: Mapping[AssetKey, bool]) -> None:
        for is_active in (False, True):
            chosen = sorted(key for key, shall in keys.items() if shall is is_active)
            if chosen:
                self._connection.execute(_ACTIVATE, {"keys": chosen, "active": is_active})

    def find(self, *, name: str | None = None, uri: str | None = None) -> AssetRecord | None:
        if name is None and uri is None:
            return None
        wanted = _ACTIVE.limit(1)
        if name is not None:
            wanted = wanted.where(_COLUMNS.name == name)
        if uri is not None:
            wanted = wanted.where(_COLUMNS.uri == uri)
        row = self._connection.execute(wanted).first()
        return None if row is None else to_asset(row)

    def named(self, names: Collection[str], uris: Collection[str]) -> list[AssetRecord]:
        # Two questions, each of which has an index; one with OR has none. MySQL compares names with ASCII only.
        found = {asset.key: asset for asset in self._read(_BY_NAMES, {"names": [*filter(str.isascii, names)]})}
        found |= {asset.key: asset for asset in self._read(_BY_URIS, {"uris": [*filter(str.isascii, uris)]})}
        return [found[key] for key in sorted(found)]

    def read(self, keys: Collection[AssetKey]) -> list[AssetRecord]:
        return self._read(_BY_KEYS, {"keys": list(keys)})

    def dags_with(self, key: AssetKey, role: str) -> list[str]:
        found = self._connection.execute(_DAGS_WITH, {"asset": key, "of_role": role})
        return sorted(found.scalars())

    def refer(self, dag_ids: Collection[str], references: Collection[AssetReference]) -> set[AssetKey]:
        parameters = {"dag_ids": list(dag_ids)}
        before = {AssetKey(key) for key in self._connection.execute(_REFERRED_BY, parameters).scalars()}
        if before:
            self._connection.execute(_FORGET, parameters)
        rows = [reference._asdict() for reference in sorted(references)]
        if rows:
            self._connection.execute(sa.insert(asset_reference), rows)
        return before

    def referred_to(self, keys: Collection[AssetKey]) -> set[AssetKey]:
        found = [self._connection.execute(each, {"keys": list(keys)}).scalars() for each in (_REFERRED_TO, _STOOD_FOR)]
        return {AssetKey(key) for keys in found for key in keys}

    def put_aliases(self, groups: Mapping[str, str]) -> list[str]:
        if not groups:
            return []
        before = self.aliases(groups)
        rows = ({"name": name, "group": groups[name]} for name in sorted(groups) if name not in before)
        new = [row["name"] for row in rows if insert_one_new(self._connection, asset_alias, row)]
        moved = [
            {"of_name": name, "new_group": groups[name]} for name in sorted(before) if before[name] != groups[name]
        ]
        if moved:
            self._connection.execute(_MOVE_ALIAS, moved)
        return new

    def aliases(self, names: Collection[str]) -> dict[str, str]:
        return {row.name: row.group for row in self._connection.execute(_ALIASES, {"names": list(names)})}

    def attach(self, assets: Collection[tuple[str, AssetKey]]) -> None:
        aliases = sorted({alias for alias, _ in assets})
        insert_new(self._connection, asset_alias, [{"name": alias, "group": DEFAULT_GROUP} for alias in aliases])
        rows = [{"alias": alias, "asset_key": key} for alias, key in sorted(assets)]
        insert_new(self._connection, asset_alias_asset, rows)

    def of_alias(self, alias: str) -> list[AssetRecord]:
        return self._read(_OF_ALIAS, {"alias": alias})

    def attached_to(self, aliases: Collection[str]) -> dict[str, set[AssetKey]]:
        found: dict[str, set[AssetKey]] = {}
        for alias, key in self._connection.execute(_ATTACHED, {"names": [*filter(str.isascii, aliases)]}):
            found.setdefault(alias, set()).add(AssetKey(key))
        return found

    def _read(self, statement: sa.Select[*tuple[object, ...]], parameters: dict[str, object]) -> list[AssetRecord]:
        return [to_asset(row) for row in self._connection.execute(statement, parameters)]


def _in_order(assets: Iterable[NewAsset]) -> list[NewAsset]:
    return sorted(assets, key=lambda each: (each.name, each.uri))


def _to_row(new: NewAsset, now: datetime) -> dict[str, object]:
    return {
        "name": new.name,
        "uri": new.uri,
        "group": new.group,
        "extra": to_optional_text(new.extra),
        "is_active": False,
        "created_at": now,
        "updated_at": now,
    }
