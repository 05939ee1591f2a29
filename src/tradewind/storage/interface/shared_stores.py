"""The stores of what all DAGs of a deployment share: variables, connections, assets."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.asset import DEFAULT_GROUP, AssetKey
from tradewind.model.ids import RunKey
from tradewind.model.json_value import JsonValue
from tradewind.model.slot_policy import EventWindow
from tradewind.model.task_answers import ConnectionResult


@dataclass(frozen=True, slots=True)
class VariableRecord:
    """A variable as it is stored."""

    key: str
    value: str = field(repr=False)
    is_encrypted: bool
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ConnectionRecord:
    """A connection as it is stored: its password and extra may be encrypted."""

    fields: ConnectionResult
    is_encrypted: bool
    is_extra_encrypted: bool


class VariableStore(Protocol):
    """Variables."""

    def put(self, records: Sequence[VariableRecord], now: datetime) -> None:
        """Create or replace."""

    def find(self, key: str) -> VariableRecord | None:
        """The variable of that key."""

    def existing(self, keys: Collection[str]) -> set[str]:
        """Which of these there are."""

    def all(self) -> list[VariableRecord]:
        """By key."""

    def keys(self, prefix: str = "") -> list[str]:
        """Those that start with a text, in order."""

    def delete(self, keys: Collection[str]) -> int:
        """How many of these there were."""


class ConnectionStore(Protocol):
    """Connections."""

    def put(self, records: Sequence[ConnectionRecord], now: datetime) -> None:
        """Create or replace."""

    def find(self, conn_id: str) -> ConnectionRecord | None:
        """The connection of that id."""

    def existing(self, conn_ids: Collection[str]) -> set[str]:
        """Which of these there are."""

    def all(self) -> list[ConnectionRecord]:
        """By id."""

    def delete(self, conn_ids: Collection[str]) -> int:
        """How many of these there were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAsset:
    """What is known of an asset that is named for the first time."""

    name: str
    uri: str
    group: str = DEFAULT_GROUP
    extra: object = None
    """JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetRecord:
    """An asset. Of all that have the same name or the same URI, one at most is active."""

    key: AssetKey
    name: str
    uri: str
    group: str
    extra: JsonValue
    is_active: bool


class AssetReference(NamedTuple):
    """A DAG names an asset: in its schedule, or as an inlet or outlet of a task."""

    dag_id: str
    asset_key: AssetKey
    role: str
    task_id: str
    """Empty for the schedule."""


class AssetStore(Protocol):
    """Assets, who names them, and what aliases stand for."""

    def add(self, assets: Collection[NewAsset], now: datetime) -> None:
        """Those that are not there yet, inactive."""

    def add_each(self, assets: Collection[NewAsset], now: datetime) -> list[NewAsset]:
        """The same, one after the other. Returns those that were not there, whoever else adds them at the same time."""

    def describe(self, assets: Collection[NewAsset], now: datetime) -> None:
        """Give those that are there this group and extra."""

    def activate(self, keys: Mapping[AssetKey, bool]) -> None:
        """Make assets active or inactive."""

    def find(self, *, name: str | None = None, uri: str | None = None) -> AssetRecord | None:
        """The active asset of that name and URI, as far as they are given."""

    def named(self, names: Collection[str], uris: Collection[str]) -> list[AssetRecord]:
        """All that have one of the names or one of the URIs, active or not, by key."""

    def read(self, keys: Collection[AssetKey]) -> list[AssetRecord]:
        """By key."""

    def dags_with(self, key: AssetKey, role: str) -> list[str]:
        """The DAGs that refer to the asset in that role, in order."""

    def refer(self, dag_ids: Collection[str], references: Collection[AssetReference]) -> set[AssetKey]:
        """All that these DAGs refer to from now on. Returns what they referred to before."""

    def referred_to(self, keys: Collection[AssetKey]) -> set[AssetKey]:
        """Those of the assets that some DAG refers to, or that an alias stands for."""

    def put_aliases(self, groups: Mapping[str, str]) -> list[str]:
        """Create aliases, or give them other groups. Returns those that are new."""

    def aliases(self, names: Collection[str]) -> dict[str, str]:
        """Those of the aliases that are known, and their groups."""

    def attach(self, assets: Collection[tuple[str, AssetKey]]) -> None:
        """From now on these aliases, known or not, stand for these assets too."""

    def of_alias(self, alias: str) -> list[AssetRecord]:
        """The active assets that it stands for, by key."""

    def attached_to(self, aliases: Collection[str]) -> dict[str, set[AssetKey]]:
        """All assets, active or not, that each of the aliases stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAssetEvent:
    """An asset was updated."""

    asset_key: AssetKey
    extra: object = None
    """JSON."""
    source_dag_id: str | None = None
    source_task_id: str | None = None
    source_run_id: str | None = None
    source_map_index: int | None = None
    partition_key: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredAssetEvent:
    """An update, with the asset as it is now."""

    event_key: int
    at: datetime
    asset: AssetRecord
    event: NewAssetEvent


class UnseenEvent(NamedTuple):
    """An update that was not handed out, without what its author says of it, which may be long."""

    event_key: int
    asset_key: AssetKey
    at: datetime
    partition_key: str | None
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetEventChoice:
    """Which events: of assets with that name and that URI, through that alias, between two instants (both included)."""

    name: str | None = None
    uri: str | None = None
    alias: str | None = None
    after: datetime | None = None
    before: datetime | None = None
    is_ascending: bool = True
    limit: int | None = None


class AssetEventStore(Protocol):
    """Updates of assets. They outlive the runs that they came from."""

    def add(self, events: Sequence[NewAssetEvent], now: datetime, *, is_awaited: bool = False) -> list[int]:
        """In this order. Returns their keys. `is_awaited`: somebody may wait for them."""

    def new(self, limit: int) -> list[UnseenEvent]:
        """Those that somebody may wait for and that were not handed out, the first first. Locked; without those that
        somebody else has locked."""

    def unseen(self, asset_keys: Collection[AssetKey], window: EventWindow) -> list[UnseenEvent]:
        """Of the updates of these assets in the window that were not handed out, the first of each kind: of an asset,
        through the same aliases, and of a partition or not. Not locked."""

    def is_any_new(self) -> bool:
        """Whether there are some that were not handed out."""

    def hand_out(self, event_keys: Collection[int], batch_key: int) -> None:
        """Of locked ones: they belong to a batch, which has the key of its first; 0: each is alone."""

    def choose(self, choice: AssetEventChoice) -> list[StoredAssetEvent]:
        """By time, then in the order in which they were added."""

    def updated(self, asset_keys: Collection[AssetKey], window: EventWindow) -> set[AssetKey]:
        """Those of the assets that have an update in the window, whoever consumed it."""

    def instants(
        self, asset_keys: Collection[AssetKey], window: EventWindow, limit: int
    ) -> list[tuple[datetime, AssetKey]]:
        """When which of the assets had updates in the window, whoever consumed them, the earliest first."""

    def source(self, event_key: int) -> tuple[str, str] | None:
        """The DAG and the run that an update comes from, if it comes from one."""

    def consumed_by(self, run_keys: Collection[RunKey]) -> dict[RunKey, list[StoredAssetEvent]]:
        """What runs were made for, in the same order. Runs that were made for none are left out."""

    def consumed_after(self, dag_id: str, run_key: RunKey, after: int, limit: int) -> list[StoredAssetEvent]:
        """What a run of the DAG was made for, in pages: by key, those after the one with that key."""


class StateWriter(NamedTuple):
    """Who wrote a value: a task, a watcher, or a client of the REST API."""

    kind: str
    dag_id: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    map_index: int | None = None


class AssetStateStore(Protocol):
    """Small values about assets."""

    def find(self, asset_key: AssetKey, key: str) -> JsonValue:
        """The value, or None."""

    def put(self, asset_key: AssetKey, key: str, value: JsonValue, now: datetime, writer: StateWriter) -> None:
        """Create or replace."""

    def delete(self, asset_key: AssetKey, key: str) -> None:
        """Nothing happens if there is none."""

    def clear(self, asset_key: AssetKey) -> None:
        """Remove all values of an asset."""
