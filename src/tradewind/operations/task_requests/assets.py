"""Questions about assets, their events, and what is kept about them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from tradewind.errors import InvalidRequest, UnknownAsset
from tradewind.model.asset import AssetKey, AssetRef
from tradewind.model.json_value import JsonValue
from tradewind.model.task_answers import AssetAliasResult, AssetEventResult, AssetResult, InactiveAssetResult
from tradewind.operations.task_requests.request import TaskRequest
from tradewind.storage.interface.shared_stores import AssetEventChoice, AssetRecord, StateWriter, StoredAssetEvent

MOST_IN_A_PAGE: Final = 1_000
"""Updates that a task is told of in one answer."""


class AssetRequest(TaskRequest):
    """See `sdk.runtime.AssetRuntime`, and the part of `sdk.runtime.StateStoreRuntime` about assets."""

    def get_asset(self, *, name: str | None = None, uri: str | None = None) -> AssetResult | None:
        record = self.tx.assets.find(name=name, uri=uri)
        return None if record is None else as_result(record)

    def get_assets_by_alias(self, alias_name: str) -> list[AssetResult]:
        return [as_result(record) for record in self.tx.assets.of_alias(alias_name)]

    def get_asset_events(
        self,
        *,
        name: str | None = None,
        uri: str | None = None,
        alias_name: str | None = None,
        after: datetime | str | None = None,
        before: datetime | str | None = None,
        ascending: bool = True,
        limit: int | None = None,
    ) -> list[AssetEventResult]:
        choice = AssetEventChoice(
            name=name,
            uri=uri,
            alias=alias_name,
            after=_instant(after),
            before=_instant(before),
            is_ascending=ascending,
            limit=limit,
        )
        return [as_event_result(stored) for stored in self.tx.asset_events.choose(choice)]

    def get_consumed_asset_events(self, *, after: int = 0, limit: int = MOST_IN_A_PAGE) -> list[AssetEventResult]:
        """Of the run of the running task."""
        most = max(1, min(limit, MOST_IN_A_PAGE))
        asker = self.asker
        found = self.tx.asset_events.consumed_after(asker.dag_id, asker.key.run_key, after, most)
        return [as_event_result(stored) for stored in found]

    def get_inactive_assets(self) -> list[InactiveAssetResult]:
        """Inlets and outlets of the running task that no active asset is."""
        runs = self.tx.runs.read([self.asker.key.run_key])
        if not runs:
            return []
        structure = self.structures.get(self.tx, runs[0].version_key)
        number = structure.index.get(self.asker.key.task_id)
        task = None if number is None else structure.tasks[number]
        refs = [] if task is None else [ref for ref in (*task.inlets, *task.outlets) if isinstance(ref, AssetRef)]
        # Those that only refer to an asset are looked for when they are used: it may be declared by then.
        declared = {(ref.name, ref.uri) for ref in refs if ref.name is not None and ref.uri is not None}
        if not declared:
            return []
        active = {
            (record.name, record.uri)
            for record in self.tx.assets.named({name for name, _ in declared}, ())
            if record.is_active
        }
        return [InactiveAssetResult(name=name, uri=uri) for name, uri in sorted(declared - active)]

    def get_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> JsonValue:
        return self.tx.asset_states.find(self._asset_key(name, uri), key)

    def set_asset_state(self, key: str, value: JsonValue, *, name: str | None = None, uri: str | None = None) -> None:
        asker = self.asker
        writer = StateWriter("task", asker.dag_id, asker.run_id, asker.key.task_id, asker.key.map_index)
        self.tx.asset_states.put(self._asset_key(name, uri), key, value, self.now, writer)

    def delete_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> None:
        self.tx.asset_states.delete(self._asset_key(name, uri), key)

    def clear_asset_state(self, *, name: str | None = None, uri: str | None = None) -> None:
        self.tx.asset_states.clear(self._asset_key(name, uri))

    def _asset_key(self, name: str | None, uri: str | None) -> AssetKey:
        record = self.tx.assets.find(name=name, uri=uri)
        if record is None:
            raise UnknownAsset(name=name, uri=uri)
        return record.key


def as_result(record: AssetRecord) -> AssetResult:
    """An asset as tasks get to see it."""
    return AssetResult(name=record.name, uri=record.uri, group=record.group, extra=_mapping(record.extra))


def as_event_result(stored: StoredAssetEvent) -> AssetEventResult:
    """An event as tasks get to see it."""
    event = stored.event
    return AssetEventResult(
        asset=as_result(stored.asset),
        timestamp=stored.at,
        id=stored.event_key,
        extra=_mapping(event.extra),
        source_dag_id=event.source_dag_id,
        source_task_id=event.source_task_id,
        source_run_id=event.source_run_id,
        source_map_index=event.source_map_index,
        source_aliases=tuple(AssetAliasResult(alias) for alias in event.aliases),
        partition_key=event.partition_key,
    )


def _mapping(value: object) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _instant(value: datetime | str | None) -> datetime | None:
    """An instant, or ISO text of one. Without a time zone it is UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise InvalidRequest(f"{value!r} is no instant: expected one such as 2026-01-31T12:00:00Z") from None
    if value is None or value.tzinfo is not None:
        return value
    return value.replace(tzinfo=UTC)
