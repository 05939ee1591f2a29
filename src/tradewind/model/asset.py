"""What a DAG may wait for or produce, as an expression over assets."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class AssetRef:
    """One asset, by name, by URI, or by both."""

    kind: ClassVar[str] = "asset"
    name: str | None = None
    uri: str | None = None


@dataclass(frozen=True, slots=True)
class AssetAliasRef:
    """Whatever assets are attached to an alias when the condition is checked."""

    kind: ClassVar[str] = "alias"
    name: str


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
