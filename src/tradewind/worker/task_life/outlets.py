"""Which assets a task that succeeded has updated, and what it said about them."""

from collections.abc import Iterator, Sequence
from typing import Any

from tradewind.model.attempt_end import OutletEvent
from tradewind.sdk.asset_events import OutletEventAccessor, OutletEventAccessors
from tradewind.sdk.assets import Asset, AssetAlias, AssetNameRef, AssetUniqueKey, AssetUriRef


def outlet_events(outlets: Sequence[Any], said: OutletEventAccessors) -> tuple[OutletEvent, ...]:
    """An event for each outlet, and for each asset that an alias among them was made to stand for.

    What was said about an asset that is no outlet is left out: the DAG does not declare that the task updates it.
    """
    if not outlets:
        return ()
    accessors = list(said.values())
    return tuple(event for outlet in outlets for event in _events(outlet, accessors))


def _events(outlet: Any, accessors: list[OutletEventAccessor]) -> Iterator[OutletEvent]:
    if isinstance(outlet, AssetAlias):
        yield from _alias_events(outlet, accessors)
    elif isinstance(outlet, Asset | AssetNameRef | AssetUriRef):
        name, uri = getattr(outlet, "name", None), getattr(outlet, "uri", None)
        accessor = next((each for each in accessors if _is_about(each, name, uri)), None)
        yield OutletEvent(
            name=name,
            uri=uri,
            group=getattr(outlet, "group", "asset"),
            extra=(dict(accessor.extra) if accessor is not None else {}) or None,
            partition_keys=tuple(sorted(accessor.partition_keys)) if accessor is not None else (),
            asset_extra=dict(getattr(outlet, "extra", None) or {}) or None,
        )


def _is_about(accessor: OutletEventAccessor, name: str | None, uri: str | None) -> bool:
    key = accessor.key
    return isinstance(key, AssetUniqueKey) and name in (None, key.name) and uri in (None, key.uri)


def _alias_events(alias: AssetAlias, accessors: list[OutletEventAccessor]) -> Iterator[OutletEvent]:
    for accessor in accessors:
        for event in accessor.asset_alias_events:
            if event.source_alias_name == alias.name:
                yield OutletEvent(
                    name=event.dest_asset_key.name,
                    uri=event.dest_asset_key.uri,
                    extra=event.extra or None,
                    alias=alias.name,
                    asset_extra=event.dest_asset_extra or None,
                )
