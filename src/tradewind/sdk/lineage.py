"""Which data hooks read and wrote, collected for those who draw maps of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tradewind.sdk.assets import Asset
from tradewind.sdk.configuration import conf
from tradewind.sdk.log import LoggingMixin
from tradewind.sdk.provider_registry import provider_registry


@dataclass
class AssetLineageInfo:
    """An asset that was read or written, by whom, and how often."""

    asset: Asset
    count: int
    context: Any


@dataclass
class ExtraLineageInfo:
    """Something else that is worth knowing, from whom, and how often it was said."""

    key: str
    value: Any
    count: int
    context: Any


@dataclass
class HookLineage:
    """All that was collected."""

    inputs: list[AssetLineageInfo] = field(default_factory=list)
    outputs: list[AssetLineageInfo] = field(default_factory=list)
    extra: list[ExtraLineageInfo] = field(default_factory=list)


class HookLineageCollector(LoggingMixin):
    """Collects what hooks and paths say about themselves. `context` is the hook or path that says it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._inputs: dict[tuple[Any, ...], AssetLineageInfo] = {}
        self._outputs: dict[tuple[Any, ...], AssetLineageInfo] = {}
        self._extra: dict[tuple[Any, ...], ExtraLineageInfo] = {}
        self._most_assets = conf.getint("lineage", "max_assets_per_collector", fallback=100)
        self._most_extras = conf.getint("lineage", "max_extras_per_collector", fallback=200)

    def create_asset(
        self,
        *,
        scheme: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        group: str | None = None,
        asset_kwargs: dict[str, Any] | None = None,
        asset_extra: dict[str, Any] | None = None,
    ) -> Asset | None:
        """An asset from its URI or name, or from parts that a provider knows how to put together; else `None`."""
        if uri or name:
            return Asset(name=name, uri=uri, group=group, extra=asset_extra)
        factory = provider_registry().asset_factory(scheme) if scheme else None
        if factory is None:
            self.log.debug("An asset needs a uri, a name, or a scheme that a provider knows; got scheme %r", scheme)
            return None
        try:
            asset: Asset = factory(**(asset_kwargs or {}), extra=asset_extra)
        except Exception as error:  # lineage must not make a task fail
            self.log.debug("The asset of scheme %r could not be made: %s", scheme, error)
            return None
        return asset

    def add_input_asset(self, context: Any, **asset: Any) -> None:
        """Something was read. Takes the arguments of `create_asset`."""
        self._add_asset(self._inputs, "inputs", context, asset)

    def add_output_asset(self, context: Any, **asset: Any) -> None:
        """Something was written. Takes the arguments of `create_asset`."""
        self._add_asset(self._outputs, "outputs", context, asset)

    def _add_asset(
        self, known: dict[tuple[Any, ...], AssetLineageInfo], what: str, context: Any, arguments: dict[str, Any]
    ) -> None:
        if len(known) >= self._most_assets:
            return
        asset = self.create_asset(**arguments)
        if asset is None:
            return
        entry = (asset.name, asset.uri, _digest(asset.extra), id(context))
        # The entry holds on to the context, so that its id stays its own.
        known.setdefault(entry, AssetLineageInfo(asset, 0, context)).count += 1
        if len(known) == self._most_assets:
            self.log.warning("Only the first %d %s are collected as lineage", self._most_assets, what)

    def add_extra(self, context: Any, key: str, value: Any) -> None:
        """Something else is worth knowing."""
        if not key or not value or len(self._extra) >= self._most_extras:
            return
        entry = (key, _digest(value), id(context))
        self._extra.setdefault(entry, ExtraLineageInfo(key, value, 0, context)).count += 1
        if len(self._extra) == self._most_extras:
            self.log.warning("Only the first %d extras are collected as lineage", self._most_extras)

    @property
    def collected_assets(self) -> HookLineage:
        """All that was collected so far."""
        return HookLineage(list(self._inputs.values()), list(self._outputs.values()), list(self._extra.values()))

    @property
    def has_collected(self) -> bool:
        """Whether anything was collected."""
        return bool(self._inputs or self._outputs or self._extra)


class NoOpCollector(HookLineageCollector):
    """Collects nothing: for when nobody reads it."""

    def add_input_asset(self, *args: Any, **kwargs: Any) -> None:
        """Not collected."""

    def add_output_asset(self, *args: Any, **kwargs: Any) -> None:
        """Not collected."""

    def add_extra(self, *args: Any, **kwargs: Any) -> None:
        """Not collected."""


class HookLineageReader(LoggingMixin):
    """For plugins: retrieves what was collected."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.lineage_collector = get_hook_lineage_collector()

    def retrieve_hook_lineage(self) -> HookLineage:
        """All that was collected so far."""
        return self.lineage_collector.collected_assets


@dataclass
class _Process:
    """Who reads lineage in this process, and what collects it."""

    readers: list[Callable[..., HookLineageReader]] = field(default_factory=list)
    collector: HookLineageCollector | None = None


_process = _Process()


def register_lineage_reader(reader: Callable[..., HookLineageReader]) -> None:
    """For plugins: from now on lineage is collected."""
    _process.readers.append(reader)
    if isinstance(_process.collector, NoOpCollector):
        _process.collector = None


def reset_lineage() -> None:
    """Forget what was collected: the next task of the process begins."""
    _process.collector = None


def get_hook_lineage_collector() -> HookLineageCollector:
    """The collector of the process. It collects if a plugin registered a reader."""
    if _process.collector is None:
        _process.collector = HookLineageCollector() if _process.readers else NoOpCollector()
    return _process.collector


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
