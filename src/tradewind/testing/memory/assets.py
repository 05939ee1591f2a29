"""Assets and their events in memory."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import OutletEvent
from tradewind.model.task_answers import AssetAliasResult, AssetEventResult, AssetResult, InactiveAssetResult
from tradewind.sdk import timezone
from tradewind.sdk.assets import Asset, BaseAsset
from tradewind.sdk.dags import DAG
from tradewind.testing.memory.contents import Memory
from tradewind.testing.memory.premises import Premises


class MemoryAssets:
    """See `sdk.runtime.AssetRuntime`."""

    premises: Premises

    def get_asset(self, *, name: str | None = None, uri: str | None = None) -> AssetResult | None:
        return find_asset(self.premises.memory, name, uri)

    def get_assets_by_alias(self, alias_name: str) -> Sequence[AssetResult]:
        return list(self.premises.memory.aliases.get(alias_name, ()))

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
    ) -> Sequence[AssetEventResult]:
        first, last = _instant(after), _instant(before)
        found = [
            event
            for event in self.premises.memory.asset_events
            if name in (None, event.asset.name)
            and uri in (None, event.asset.uri)
            and (alias_name is None or alias_name in {alias.name for alias in event.source_aliases})
            and (first is None or event.timestamp >= first)
            and (last is None or event.timestamp <= last)
        ]
        return sorted(found, key=lambda event: event.timestamp, reverse=not ascending)[:limit]

    def get_inactive_assets(self) -> Sequence[InactiveAssetResult]:
        """None: the DAGs of the test declare them."""
        return []

    def get_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> Any:
        return self._states_of(name, uri).get(key)

    def set_asset_state(self, key: str, value: Any, *, name: str | None = None, uri: str | None = None) -> None:
        self._states_of(name, uri)[key] = value

    def delete_asset_state(self, key: str, *, name: str | None = None, uri: str | None = None) -> None:
        self._states_of(name, uri).pop(key, None)

    def clear_asset_state(self, *, name: str | None = None, uri: str | None = None) -> None:
        self._states_of(name, uri).clear()

    def _states_of(self, name: str | None, uri: str | None) -> dict[str, Any]:
        memory = self.premises.memory
        known = next((asset.name for asset in memory.assets if uri is not None and asset.uri == uri), None)
        return memory.asset_states.setdefault(name or known or uri or "", {})


def _instant(value: datetime | str | None) -> datetime | None:
    return timezone.parse(value) if isinstance(value, str) else value


def find_asset(memory: Memory, name: str | None, uri: str | None) -> AssetResult | None:
    """The asset of that name and URI, as far as they are given."""
    found = (asset for asset in memory.assets if name in (None, asset.name) and uri in (None, asset.uri))
    return None if name is None and uri is None else next(found, None)


def declared_assets(dags: Iterable[DAG]) -> list[AssetResult]:
    """All assets that the DAGs name."""
    assets = {(asset.name, asset.uri): asset for dag in dags for asset in _assets_of(dag)}
    return [as_result(asset) for asset in assets.values()]


def as_result(asset: Asset) -> AssetResult:
    """An asset as tasks get to see it."""
    return AssetResult(name=asset.name, uri=asset.uri, group=asset.group, extra=dict(asset.extra))


def _assets_of(dag: DAG) -> Iterator[Asset]:
    conditions: list[Any] = [] if dag.timetable.asset_condition is None else [dag.timetable.asset_condition]
    for task in dag.tasks:
        things: Any = task
        conditions.extend([*things.inlets, *things.outlets])
    for condition in conditions:
        if isinstance(condition, BaseAsset):
            yield from (leaf for leaf in condition.iter_leaves() if isinstance(leaf, Asset))


def note_event(memory: Memory, asker: Asker, update: OutletEvent, at: datetime) -> AssetEventResult:
    """An asset was updated: there is an event, and the asset is known from now on, also under its alias."""
    asset = find_asset(memory, update.name, update.uri)
    if asset is None:
        name = update.name or update.uri or ""
        asset = AssetResult(name=name, uri=update.uri or name, group=update.group, extra=_dict(update.asset_extra))
        memory.assets.append(asset)
    if update.alias is not None and asset not in memory.aliases.setdefault(update.alias, []):
        memory.aliases[update.alias].append(asset)
    event = AssetEventResult(
        asset=asset,
        timestamp=at,
        id=len(memory.asset_events) + 1,
        extra=_dict(update.extra),
        source_dag_id=asker.dag_id,
        source_task_id=asker.key.task_id,
        source_run_id=asker.run_id,
        source_map_index=asker.key.map_index,
        source_aliases=() if update.alias is None else (AssetAliasResult(update.alias),),
        partition_key=update.partition_keys[0] if len(update.partition_keys) == 1 else None,
    )
    memory.asset_events.append(event)
    return event


def _dict(value: Any) -> dict[str, Any]:
    return dict(value or {})
