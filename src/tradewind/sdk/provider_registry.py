"""What provider packages bring to running code: hooks by connection type, file systems and assets by scheme.

The metadata of the installed packages is read at the first question. Rows that were registered by hand win.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tradewind.sdk.entry_points import entry_points_with_dist
from tradewind.sdk.module_loading import import_string

log = logging.getLogger(__name__)

PROVIDER_GROUP: Final = "apache_airflow_provider"


@dataclass
class ProviderRegistry:
    """Import paths by connection type and by scheme. Nothing is imported before it is asked for."""

    hooks: dict[str, str] = field(default_factory=dict)
    filesystem_modules: list[str] = field(default_factory=list)
    asset_factories: dict[str, str] = field(default_factory=dict)
    asset_uri_handlers: dict[str, str] = field(default_factory=dict)

    def add_provider_info(self, info: Mapping[str, Any]) -> None:
        """Add what the metadata of one provider names; what is known already stays."""
        for row in info.get("connection-types") or ():
            self.hooks.setdefault(row["connection-type"], row["hook-class-name"])
        self.filesystem_modules.extend(info.get("filesystems") or ())
        for row in info.get("asset-uris") or info.get("dataset-uris") or ():
            for scheme in row.get("schemes") or ():
                _add(self.asset_factories, scheme, row.get("factory"))
                _add(self.asset_uri_handlers, scheme, row.get("handler"))

    def hook_class(self, conn_type: str | None) -> type[Any] | None:
        """The hook for connections of a type."""
        path = self.hooks.get(conn_type or "")
        return None if path is None else import_string(path)

    def asset_factory(self, scheme: str) -> Callable[..., Any] | None:
        """What makes an asset out of the parts of a URI of that scheme."""
        return _imported(self.asset_factories.get(scheme))

    def asset_uri_handler(self, scheme: str) -> Callable[..., Any] | None:
        """What writes URIs of that scheme the way all tasks write them."""
        return _imported(self.asset_uri_handlers.get(scheme))


def _add(table: dict[str, str], key: str, path: str | None) -> None:
    if path:
        table.setdefault(key, path)


def _imported(path: str | None) -> Callable[..., Any] | None:
    found: Callable[..., Any] | None = None if path is None else import_string(path)
    return found


_STANDARD_HOOKS: Final = {
    "fs": "tradewind.sdk.standard.file_hook.FSHook",
    "package_index": "tradewind.sdk.standard.package_index_hook.PackageIndexHook",
}


class _Registries:
    """Rows by hand, and with them those of the installed packages once somebody asked."""

    by_hand = ProviderRegistry(hooks=dict(_STANDARD_HOOKS))
    complete: ProviderRegistry | None = None


def provider_registry() -> ProviderRegistry:
    """The registry of the process."""
    if _Registries.complete is None:
        by_hand = _Registries.by_hand
        registry = ProviderRegistry(
            dict(by_hand.hooks),
            list(by_hand.filesystem_modules),
            dict(by_hand.asset_factories),
            dict(by_hand.asset_uri_handlers),
        )
        for info in _installed_providers():
            registry.add_provider_info(info)
        _Registries.complete = registry
    return _Registries.complete


def register_provider_info(info: Mapping[str, Any]) -> None:
    """Add rows in the form of a provider's metadata; they win over those of installed packages."""
    _Registries.by_hand.add_provider_info(info)
    _Registries.complete = None


def _installed_providers() -> Iterable[Mapping[str, Any]]:
    for entry_point, distribution in entry_points_with_dist(PROVIDER_GROUP):
        try:
            info = entry_point.load()()
        except Exception:  # a broken package must not take the others with it
            log.warning("the metadata of %s cannot be read", distribution.name, exc_info=True)
            continue
        yield info
