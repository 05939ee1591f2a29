"""Asset events in the context of a task: those it will cause, those of its inlets, and those that caused its run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Generic, TypeVar, overload

from tradewind.model.task_answers import AssetEventResult, DagRunResult
from tradewind.sdk import timezone
from tradewind.sdk.assets import (
    Asset,
    AssetAlias,
    AssetAliasEvent,
    AssetAliasUniqueKey,
    AssetNameRef,
    AssetRef,
    AssetUniqueKey,
    AssetUriRef,
)
from tradewind.sdk.exceptions import AirflowRuntimeError, ErrorType
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.xcom import resolve_xcom_backend
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY

T = TypeVar("T")
Key = AssetUniqueKey | AssetAliasUniqueKey
AnyAsset = Asset | AssetAlias | AssetRef


@dataclass(frozen=True)
class _NotFound:
    error: ErrorType
    detail: dict[str, Any]


class AssetNotFound(AirflowRuntimeError):
    """A reference leads to no active asset."""

    def __init__(self, ref: AssetRef) -> None:
        super().__init__(_NotFound(ErrorType.ASSET_NOT_FOUND, {"asset": repr(ref)}))
        self.ref = ref

    def __str__(self) -> str:
        return f"{self.ref!r} leads to no active asset: a DAG has to declare it"


def resolve_asset_ref(ref: AssetRef) -> Asset:
    """The asset that a reference names, as it is stored."""
    if isinstance(ref, AssetNameRef):
        found = current_runtime().get_asset(name=ref.name)
    elif isinstance(ref, AssetUriRef):
        found = current_runtime().get_asset(uri=ref.uri)
    else:
        raise TypeError(f"an asset is referred to by name or by URI, not as {ref!r}")
    if found is None:
        raise AssetNotFound(ref)
    extra: Any = dict(found.extra)
    return Asset(name=found.name, uri=found.uri, group=found.group, extra=extra)


def _key_of(asset: object) -> Key:
    if isinstance(asset, Asset):
        return AssetUniqueKey.from_asset(asset)
    if isinstance(asset, AssetAlias):
        return AssetAliasUniqueKey.from_asset_alias(asset)
    if isinstance(asset, AssetRef):
        return AssetUniqueKey.from_asset(resolve_asset_ref(asset))
    raise TypeError(f"events are found by Asset, AssetAlias or Asset.ref(...), not by {type(asset).__name__}")


def _asset_of(key: Key) -> Asset | AssetAlias:
    return key.to_asset() if isinstance(key, AssetUniqueKey) else key.to_asset_alias()


class _ByAsset(Generic[T]):
    """Two more ways to name an asset."""

    def for_asset(self, *, name: str | None = None, uri: str | None = None) -> T:
        """By name, by URI, or by both."""
        if name and uri:
            return self[Asset(name=name, uri=uri)]
        if name:
            return self[Asset.ref(name=name)]
        if uri:
            return self[Asset.ref(uri=uri)]
        raise ValueError("for_asset() needs the name or the uri of an asset")

    def for_asset_alias(self, *, name: str) -> T:
        """By the name of an alias."""
        return self[AssetAlias(name)]

    def __getitem__(self, key: Any) -> T:
        raise NotImplementedError


# --- outlets --------------------------------------------------------------------------------------------------------


@dataclass
class OutletEventAccessor:
    """What the event of one outlet will carry. For an alias: which assets it stands for this time."""

    MAX_PARTITION_KEY_LENGTH: ClassVar[int] = 250

    key: Key
    extra: dict[str, Any] = field(default_factory=dict)
    asset_alias_events: list[AssetAliasEvent] = field(default_factory=list)
    partition_keys: set[str] = field(default_factory=set)

    def add(self, asset: Asset | AssetRef, extra: dict[str, Any] | None = None) -> None:
        """Have the alias stand for an asset. On an outlet that is an asset itself, nothing happens."""
        if not isinstance(self.key, AssetAliasUniqueKey):
            return
        resolved = resolve_asset_ref(asset) if isinstance(asset, AssetRef) else asset
        self.asset_alias_events.append(
            AssetAliasEvent(
                source_alias_name=self.key.name,
                dest_asset_key=AssetUniqueKey.from_asset(resolved),
                dest_asset_extra=resolved.extra,
                extra=extra or {},
            )
        )

    def add_partitions(self, keys: str | Iterable[str]) -> None:
        """Say which partitions of the asset were updated."""
        if isinstance(self.key, AssetAliasUniqueKey):
            raise TypeError(f"an alias has no partitions: add them to the assets of {self.key.name!r} instead")
        given = [keys] if isinstance(keys, str) else list(keys)
        for key in given:
            if not key.strip():
                raise ValueError(f"a partition key must not be blank, but {key!r} is")
            if len(key) > self.MAX_PARTITION_KEY_LENGTH:
                raise ValueError(
                    f"the partition key {key[:50]!r}… has {len(key)} characters;"
                    f" {self.MAX_PARTITION_KEY_LENGTH} are allowed"
                )
        self.partition_keys.update(given)


class OutletEventAccessors(_ByAsset[OutletEventAccessor], Mapping[Any, OutletEventAccessor]):
    """`outlet_events`: by asset, what its event will carry. An entry comes into being when it is first looked at."""

    def __init__(self) -> None:
        self._accessors: dict[Key, OutletEventAccessor] = {}

    def __getitem__(self, key: AnyAsset) -> OutletEventAccessor:
        unique = _key_of(key)
        return self._accessors.setdefault(unique, OutletEventAccessor(unique))

    def __iter__(self) -> Iterator[Asset | AssetAlias]:
        return map(_asset_of, self._accessors)

    def __len__(self) -> int:
        return len(self._accessors)

    def __repr__(self) -> str:
        return f"OutletEventAccessors({list(self._accessors.values())})"


# --- events ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AssetEventSourceTaskInstance:
    """The task instance that caused an event."""

    dag_run: DagRunResult
    task_id: str
    map_index: int

    @property
    def dag_id(self) -> str:
        """The DAG of its run."""
        return self.dag_run.dag_id

    @property
    def run_id(self) -> str:
        """Its run."""
        return self.dag_run.run_id

    def xcom_pull(self, *, key: str = XCOM_RETURN_KEY, default: Any = None) -> Any:
        """What it returned, or pushed under a key."""
        value = resolve_xcom_backend().get_one(
            key=key, dag_id=self.dag_id, task_id=self.task_id, run_id=self.run_id, map_index=self.map_index
        )
        return default if value is None else value


@dataclass(frozen=True, kw_only=True)
class AssetEvent(AssetEventResult):
    """An event as tasks see it: it also leads to the run and the task instance that caused it."""

    @classmethod
    def from_result(cls, result: AssetEventResult) -> AssetEvent:
        """The same event."""
        return cls(**{each.name: getattr(result, each.name) for each in fields(result)})

    @property
    def uri(self) -> str:
        """The URI of the asset."""
        return self.asset.uri

    @property
    def source_dag_run(self) -> DagRunResult | None:
        """The run that caused it, if a task did and the run is still stored."""
        if not self.source_dag_id or not self.source_run_id:
            return None
        return current_runtime().get_dag_run(self.source_dag_id, self.source_run_id)

    @property
    def source_task_instance(self) -> AssetEventSourceTaskInstance | None:
        """The task instance that caused it, if one did."""
        run = None if self.source_task_id is None else self.source_dag_run
        if run is None or self.source_task_id is None or self.source_map_index is None:
            return None
        return AssetEventSourceTaskInstance(run, self.source_task_id, self.source_map_index)


# --- inlets ---------------------------------------------------------------------------------------------------------


def _instant(given: datetime | str) -> datetime:
    return timezone.parse(given) if isinstance(given, str) else given


class InletEventsAccessor(Sequence[AssetEvent]):
    """The events of one inlet. They are fetched when they are first looked at; filters narrow them down before."""

    def __init__(
        self, asset_name: str | None = None, asset_uri: str | None = None, alias_name: str | None = None
    ) -> None:
        self._which = {"name": asset_name, "uri": asset_uri, "alias_name": alias_name}
        self._after: datetime | None = None
        self._before: datetime | None = None
        self._ascending = True
        self._limit: int | None = None
        self._fetched: list[AssetEvent] | None = None

    def after(self, after: datetime | str) -> InletEventsAccessor:
        """Only events of that moment or later."""
        self._after, self._fetched = _instant(after), None
        return self

    def before(self, before: datetime | str) -> InletEventsAccessor:
        """Only events of that moment or earlier."""
        self._before, self._fetched = _instant(before), None
        return self

    def ascending(self, ascending: bool = True) -> InletEventsAccessor:
        """The oldest first, as without this; or the newest first."""
        self._ascending, self._fetched = ascending, None
        return self

    def limit(self, limit: int) -> InletEventsAccessor:
        """So many at most."""
        self._limit, self._fetched = limit, None
        return self

    def _events(self) -> list[AssetEvent]:
        if self._fetched is None:
            results = current_runtime().get_asset_events(
                **self._which, after=self._after, before=self._before, ascending=self._ascending, limit=self._limit
            )
            self._fetched = [AssetEvent.from_result(result) for result in results]
        return self._fetched

    def __iter__(self) -> Iterator[AssetEvent]:
        return iter(self._events())

    def __len__(self) -> int:
        return len(self._events())

    @overload
    def __getitem__(self, key: int) -> AssetEvent: ...

    @overload
    def __getitem__(self, key: slice) -> list[AssetEvent]: ...

    def __getitem__(self, key: int | slice) -> AssetEvent | list[AssetEvent]:
        return self._events()[key]


class InletEventsAccessors(_ByAsset[InletEventsAccessor], Mapping[Any, InletEventsAccessor]):
    """`inlet_events`: by inlet, or by its place among the inlets, its events."""

    def __init__(self, inlets: Iterable[Any]) -> None:
        self._inlets = list(inlets)

    def __getitem__(self, key: int | AnyAsset) -> InletEventsAccessor:
        asset: Any = key
        if isinstance(key, int):
            asset = self._inlets[key]
            if not isinstance(asset, Asset | AssetAlias | AssetRef):
                raise IndexError(f"inlet {key} is no asset: {asset!r}")
        if isinstance(asset, AssetAlias):
            if asset.name not in {inlet.name for inlet in self._inlets if isinstance(inlet, AssetAlias)}:
                raise KeyError(asset)
            return InletEventsAccessor(alias_name=asset.name)
        found = self._inlet(asset)
        if isinstance(asset, AssetNameRef):
            return InletEventsAccessor(asset_name=found.name)
        if isinstance(asset, AssetUriRef):
            return InletEventsAccessor(asset_uri=found.uri)
        return InletEventsAccessor(asset_name=found.name, asset_uri=found.uri)

    def _inlet(self, asset: Any) -> Asset:
        """The asset among the inlets that is meant."""
        if not isinstance(asset, Asset | AssetRef):
            raise TypeError(f"events are found by Asset, AssetAlias, Asset.ref(...) or index, not by {asset!r}")
        for inlet in self._inlets:
            if isinstance(inlet, Asset | AssetRef):
                known = resolve_asset_ref(inlet) if isinstance(inlet, AssetRef) else inlet
                if _is_same(known, asset):
                    return known
        raise KeyError(asset)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._inlets)

    def __len__(self) -> int:
        return len(self._inlets)


def _is_same(asset: Asset, wanted: Asset | AssetRef) -> bool:
    if isinstance(wanted, AssetNameRef):
        return asset.name == wanted.name
    if isinstance(wanted, AssetUriRef):
        return asset.uri == wanted.uri
    return isinstance(wanted, Asset) and (asset.name, asset.uri) == (wanted.name, wanted.uri)


# --- what caused the run ----------------------------------------------------------------------------------------------


class ConsumedAssetEvents(Sequence[AssetEvent]):
    """The events that caused this run, where they are many: all, or those of one asset or alias.

    They are asked for page by page whenever somebody looks, and none is kept: a loop over them needs the memory of one
    page. Their number is counted once.
    """

    def __init__(self, key: Key | None = None, number: int | None = None) -> None:
        self._key = key
        self._number = number

    def by_key(self) -> dict[Key, ConsumedAssetEvents]:
        """Apart for each asset and alias."""
        numbers = Counter(key for event in self for key in _keys_of(event))
        return {key: ConsumedAssetEvents(key, number) for key, number in numbers.items()}

    def __iter__(self) -> Iterator[AssetEvent]:
        after = 0
        while page := current_runtime().get_consumed_asset_events(after=after):
            for result in page:
                event = AssetEvent.from_result(result)
                after = event.id or after
                if self._key is None or self._key in _keys_of(event):
                    yield event

    def __len__(self) -> int:
        if self._number is None:
            self._number = sum(1 for _ in self)
        return self._number

    @overload
    def __getitem__(self, index: int) -> AssetEvent: ...

    @overload
    def __getitem__(self, index: slice) -> list[AssetEvent]: ...

    def __getitem__(self, index: int | slice) -> AssetEvent | list[AssetEvent]:
        places = range(len(self))[index]
        if isinstance(places, int):
            return next(islice(self, places, None))
        if not places:
            return []
        first, last = min(places), max(places)
        chosen = list(islice(self, first, last + 1, abs(places.step)))
        return chosen if places.step > 0 else chosen[::-1]

    def __repr__(self) -> str:
        return f"<{len(self)} asset events>"


def _keys_of(event: AssetEvent) -> list[Key]:
    return [
        AssetUniqueKey(event.asset.name, event.asset.uri),
        *(AssetAliasUniqueKey(alias.name) for alias in event.source_aliases),
    ]


class TriggeringAssetEventsAccessor(_ByAsset[Sequence[AssetEvent]], Mapping[Any, Sequence[AssetEvent]]):
    """`triggering_asset_events`: by asset or alias, the events that caused this run."""

    def __init__(self, events: Iterable[AssetEventResult]) -> None:
        self._given = events

    @cached_property
    def _events(self) -> Mapping[Key, Sequence[AssetEvent]]:
        if isinstance(self._given, ConsumedAssetEvents):
            return self._given.by_key()
        found: dict[Key, list[AssetEvent]] = {}
        for result in self._given:
            event = result if isinstance(result, AssetEvent) else AssetEvent.from_result(result)
            for key in _keys_of(event):
                found.setdefault(key, []).append(event)
        return found

    def __getitem__(self, key: AnyAsset) -> Sequence[AssetEvent]:
        return self._events[_key_of(key)]

    def __iter__(self) -> Iterator[Asset | AssetAlias]:
        return map(_asset_of, self._events)

    def __len__(self) -> int:
        return len(self._events)

    def __repr__(self) -> str:
        return f"TriggeringAssetEventsAccessor({self._events})"
