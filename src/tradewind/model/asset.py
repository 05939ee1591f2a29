"""What a DAG may wait for or produce, as an expression over assets."""

from dataclasses import dataclass
from typing import ClassVar, NewType

from tradewind.model.json_value import JsonValue

DEFAULT_GROUP = "asset"

AssetKey = NewType("AssetKey", int)
"""The database's number of an asset."""


@dataclass(frozen=True, slots=True)
class WatcherRef:
    """A trigger that turns outside events into events of its asset: where its class is, and its arguments."""

    name: str
    trigger: str
    arguments: JsonValue = None


@dataclass(frozen=True, slots=True)
class AssetAccess:
    """Which teams may produce and consume an asset, where there are teams."""

    producer_teams: tuple[str, ...] = ()
    consumer_teams: tuple[str, ...] | None = None
    """`None`: every team."""
    allow_global: bool = True
    """Whether DAGs of no team may."""


@dataclass(frozen=True, slots=True)
class AssetRef:
    """One asset. With name and URI it is declared here; with only one of them, it is one declared elsewhere."""

    kind: ClassVar[str] = "asset"
    name: str | None = None
    uri: str | None = None
    group: str = DEFAULT_GROUP
    extra: JsonValue = None
    watchers: tuple[WatcherRef, ...] = ()
    access: AssetAccess = AssetAccess()

    @property
    def is_declaration(self) -> bool:
        """Whether this says what the asset is, rather than which."""
        return self.name is not None and self.uri is not None


@dataclass(frozen=True, slots=True)
class AssetAliasRef:
    """Whatever assets are attached to an alias when the condition is checked."""

    kind: ClassVar[str] = "alias"
    name: str
    group: str = DEFAULT_GROUP


@dataclass(frozen=True, slots=True)
class AllAssets:
    """Holds when every part holds."""

    kind: ClassVar[str] = "all"
    parts: tuple["AssetExpression", ...]


@dataclass(frozen=True, slots=True)
class AnyAsset:
    """Holds when at least one part holds."""

    kind: ClassVar[str] = "any"
    parts: tuple["AssetExpression", ...]


AssetExpression = AssetRef | AssetAliasRef | AllAssets | AnyAsset
