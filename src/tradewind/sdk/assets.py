"""Assets: named pieces of data that tasks produce and DAGs wait for.

`a & b` and `a | b` make conditions. `Asset.ref` names an asset that another file declares, `AssetAlias` one that a task
chooses while it runs. `to_model` turns each into what is stored.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, cast, overload

from tradewind.model.asset import (
    DEFAULT_GROUP,
    AllAssets,
    AnyAsset,
    AssetAccess,
    AssetAliasRef,
    AssetExpression,
    WatcherRef,
)
from tradewind.model.asset import AssetRef as AssetModel
from tradewind.model.json_value import JsonValue
from tradewind.sdk.asset_uri import checked_by_provider, normalized
from tradewind.sdk.configuration import conf
from tradewind.sdk.json_values import as_json

if TYPE_CHECKING:
    from tradewind.sdk.object_storage import ObjectStoragePath
    from tradewind.sdk.triggers import BaseEventTrigger

MAX_LENGTH = 1500
_FORBIDDEN_NAMES = ("self", "context")


def _checked(value: object, owner: object, what: str, *, may_be_empty: bool = False) -> str:
    of = f"{type(owner).__name__} {what}"
    if not isinstance(value, str):
        raise ValueError(f"{of} must be a string, not {value!r}")  # noqa: TRY004 - a ValueError, as in Airflow
    if len(value) > MAX_LENGTH:
        raise ValueError(f"{of} {value[:50]!r}… is longer than {MAX_LENGTH} characters")
    if value.isspace():
        raise ValueError(f"{of} must not be blank")
    if not value and not may_be_empty:
        raise ValueError(f"{of} must not be empty")
    if not value.isascii() and conf.get("database", "sql_alchemy_conn", fallback="").startswith("mysql"):
        raise ValueError(f"{of} {value!r} must consist of ASCII characters, because the database is MySQL")
    return value


def _checked_name(value: object, owner: object) -> str:
    name = _checked(value, owner, "name")
    if name in _FORBIDDEN_NAMES:
        raise ValueError(f"no asset may be called {name!r}: functions under @asset have an argument of that name")
    return name


class BaseAsset:
    """Whatever may stand in `DAG(schedule=...)` as a condition over assets."""

    def __and__(self, other: object) -> "BaseAsset":
        return _joined(AssetAll, self, other)

    def __or__(self, other: object) -> "BaseAsset":
        return _joined(AssetAny, self, other)

    def iter_leaves(self) -> "Iterator[Asset | AssetAlias | AssetRef]":
        """Every asset, alias and reference of the condition, from left to right."""
        raise NotImplementedError(f"{type(self).__name__} says nothing about its assets")

    def to_model(self) -> AssetExpression:
        """What is stored."""
        raise NotImplementedError(f"{type(self).__name__} has no form in which it could be stored")


@dataclass(eq=True)
class AssetWatcher:
    """A trigger that runs all the time; each event that it fires is an update of the asset."""

    name: str
    trigger: "BaseEventTrigger"

    def __post_init__(self) -> None:
        # Triggers load a good deal that a file without watchers has no use for.
        event_trigger = import_module("tradewind.sdk.triggers").BaseEventTrigger
        if not isinstance(self.trigger, event_trigger):
            raise ValueError(  # noqa: TRY004 - a ValueError, as in Airflow
                f"the trigger of the asset watcher {self.name!r} must be a BaseEventTrigger, not {self.trigger!r}"
            )

    def to_model(self) -> WatcherRef:
        """What is stored: where the trigger's class is, and its arguments."""
        path, arguments = self.trigger.serialize()
        serialize = import_module("tradewind.sdk.serde").serialize
        return WatcherRef(self.name, path, as_json(serialize(arguments), f"trigger of asset watcher {self.name!r}"))


@dataclass(eq=True)
class AssetAccessControl:
    """Which teams may produce and consume events of an asset."""

    producer_teams: list[str] = field(default_factory=list)
    consumer_teams: list[str] | None = None
    allow_global: bool = True

    def __post_init__(self) -> None:
        for what in ("producer_teams", "consumer_teams"):
            teams: list[object] = getattr(self, what) or []
            if not all(isinstance(team, str) and team.strip() for team in teams):
                raise ValueError(f"each entry of {what} must be the name of a team, not {teams!r}")
        if not isinstance(self.allow_global, bool):
            raise TypeError(f"allow_global must be True or False, not {self.allow_global!r}")

    def to_model(self) -> AssetAccess:
        """What is stored."""
        consumers = None if self.consumer_teams is None else tuple(self.consumer_teams)
        return AssetAccess(tuple(self.producer_teams), consumers, self.allow_global)


class Asset(os.PathLike[str], BaseAsset):
    """A piece of data with a name and a URI; where only one is given, it is both."""

    asset_type: ClassVar[str] = DEFAULT_GROUP
    __version__: ClassVar[int] = 1

    def __init__(
        self,
        name: str | None = None,
        uri: "str | ObjectStoragePath | None" = None,
        *,
        group: str | None = None,
        extra: dict[str, JsonValue] | None = None,
        watchers: list[AssetWatcher] | None = None,
        access_control: AssetAccessControl | None = None,
    ) -> None:
        if name is None and uri is None:
            raise TypeError("Asset() needs a name or a uri")
        self.name = _checked_name(str(uri) if name is None else name, self)
        self.uri = _checked(normalized(str(self.name if uri is None else uri)), self, "uri")
        self.group = _checked(self.asset_type if group is None else group, self, "group", may_be_empty=True)
        self.extra: dict[str, JsonValue] = {} if extra is None else extra
        self.watchers: list[AssetWatcher] = [] if watchers is None else watchers
        self.access_control = AssetAccessControl() if access_control is None else access_control

    @overload
    @staticmethod
    def ref(*, name: str) -> "AssetNameRef": ...

    @overload
    @staticmethod
    def ref(*, uri: str) -> "AssetUriRef": ...

    @staticmethod
    def ref(*, name: str = "", uri: str = "") -> "AssetRef":
        """An asset that is declared elsewhere, by its name or by its URI."""
        if bool(name) == bool(uri):
            raise TypeError("Asset.ref() needs either a name or a uri" + (", not both" if name else ""))
        return AssetNameRef(name) if name else AssetUriRef(uri)

    @property
    def normalized_uri(self) -> str | None:
        """The URI as the provider of its scheme writes it; `None` where no provider knows the scheme."""
        return checked_by_provider(self.uri)

    def iter_leaves(self) -> "Iterator[Asset | AssetAlias | AssetRef]":
        """The asset itself."""
        yield self

    def to_model(self) -> AssetModel:
        """What is stored: everything that the author said."""
        return AssetModel(
            self.name,
            self.uri,
            group=self.group,
            extra=as_json(self.extra, f"extra of asset {self.name!r}") or None,
            watchers=tuple(watcher.to_model() for watcher in self.watchers),
            access=self.access_control.to_model(),
        )

    def _fields(self) -> tuple[Any, ...]:
        # Only these: what a subclass adds does not make it another asset.
        return (self.name, self.uri, self.group, self.extra, self.watchers, self.access_control)

    def __fspath__(self) -> str:
        return self.uri

    def __eq__(self, other: object) -> bool:
        return self._fields() == other._fields() if isinstance(other, Asset) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.uri))

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(name={self.name!r}, uri={self.uri!r}, group={self.group!r}, extra={self.extra!r})"
        )


class Dataset(Asset):
    """An asset of the type "dataset"."""

    asset_type: ClassVar[str] = "dataset"


class Model(Asset):
    """An asset of the type "model"."""

    asset_type: ClassVar[str] = "model"


class AssetRef(BaseAsset):
    """An asset that is declared elsewhere. Made by `Asset.ref`."""


@dataclass(frozen=True)
class AssetNameRef(AssetRef):
    """An asset that is declared elsewhere, by its name."""

    name: str

    def iter_leaves(self) -> "Iterator[Asset | AssetAlias | AssetRef]":
        """The reference itself."""
        yield self

    def to_model(self) -> AssetModel:
        """What is stored."""
        return AssetModel(name=self.name)


@dataclass(frozen=True)
class AssetUriRef(AssetRef):
    """An asset that is declared elsewhere, by its URI, in whatever way that is written here."""

    uri: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "uri", normalized(self.uri))

    def iter_leaves(self) -> "Iterator[Asset | AssetAlias | AssetRef]":
        """The reference itself."""
        yield self

    def to_model(self) -> AssetModel:
        """What is stored."""
        return AssetModel(uri=self.uri)


@dataclass(unsafe_hash=True)
class AssetAlias(BaseAsset):
    """A name for assets that a task chooses while it runs."""

    name: str
    group: str = field(default=DEFAULT_GROUP, kw_only=True)

    def __post_init__(self) -> None:
        _checked(self.name, self, "name")
        _checked(self.group, self, "group", may_be_empty=True)

    def iter_leaves(self) -> "Iterator[Asset | AssetAlias | AssetRef]":
        """The alias itself."""
        yield self

    def to_model(self) -> AssetAliasRef:
        """What is stored."""
        return AssetAliasRef(self.name, self.group)


class AssetBooleanCondition(BaseAsset):
    """Several conditions joined to one."""

    def __init__(self, *objects: BaseAsset) -> None:
        for thing in objects:
            if not isinstance(thing, BaseAsset):
                raise TypeError(f"a condition over assets is made of assets, aliases and references, not {thing!r}")
        self.objects = objects

    def iter_leaves(self) -> "Iterator[Asset | AssetAlias | AssetRef]":
        """Those of all parts."""
        for part in self.objects:
            yield from part.iter_leaves()

    def __eq__(self, other: object) -> bool:
        return tuple(self.objects) == tuple(other.objects) if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self.objects))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.objects))})"


class AssetAll(AssetBooleanCondition):
    """Holds when every part holds."""

    def to_model(self) -> AllAssets:
        """What is stored."""
        return AllAssets(tuple(part.to_model() for part in self.objects))


class AssetAny(AssetBooleanCondition):
    """Holds when at least one part holds."""

    def to_model(self) -> AnyAsset:
        """What is stored."""
        return AnyAsset(tuple(part.to_model() for part in self.objects))


def _joined(condition: type[AssetBooleanCondition], left: BaseAsset, right: object) -> BaseAsset:
    if not isinstance(right, BaseAsset):
        return cast("BaseAsset", NotImplemented)
    # `a & (b & c)` is no more than `a & b & c`.
    parts = [part.objects if isinstance(part, condition) else (part,) for part in (left, right)]
    return condition(*(each for part in parts for each in part))


@dataclass
class Metadata:
    """What a task says about an update of an asset; yielded, or attached through an alias."""

    asset: Asset
    extra: dict[str, JsonValue] = field(default_factory=dict)
    alias: AssetAlias | None = None


@dataclass(frozen=True)
class AssetUniqueKey:
    """What tells one asset from all others."""

    name: str
    uri: str

    @classmethod
    def from_asset(cls, asset: Asset) -> "AssetUniqueKey":
        """The key of an asset."""
        return cls(asset.name, asset.uri)

    def to_asset(self) -> Asset:
        """An asset with this key and nothing else."""
        return Asset(name=self.name, uri=self.uri)


@dataclass(frozen=True)
class AssetAliasUniqueKey:
    """What tells one alias from all others."""

    name: str

    @classmethod
    def from_asset_alias(cls, asset_alias: AssetAlias) -> "AssetAliasUniqueKey":
        """The key of an alias."""
        return cls(asset_alias.name)

    def to_asset_alias(self) -> AssetAlias:
        """An alias with this key and nothing else."""
        return AssetAlias(self.name)


@dataclass
class AssetAliasEvent:
    """An update of an asset that came through an alias."""

    source_alias_name: str
    dest_asset_key: AssetUniqueKey
    dest_asset_extra: dict[str, JsonValue]
    extra: dict[str, JsonValue]
