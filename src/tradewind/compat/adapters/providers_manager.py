"""`ProvidersManager`: what the installed provider packages bring, by Airflow's names."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, ParamSpec, TypeVar

from tradewind.providers.metadata import Provider, installed_providers

P = ParamSpec("P")
R = TypeVar("R")


class ProviderInfo(NamedTuple):
    """The version of a package, and its metadata."""

    version: str
    data: dict[str, Any]


class HookInfo(NamedTuple):
    """The hook of a type of connections."""

    hook_class_name: str
    connection_id_attribute_name: str
    package_name: str
    hook_name: str
    connection_type: str
    connection_testable: bool = True


class ProvidersManager:
    """Reads the metadata of the packages when it is first asked."""

    @cached_property
    def _providers(self) -> list[Provider]:
        return installed_providers()

    @property
    def providers(self) -> dict[str, ProviderInfo]:
        """All packages."""
        return {found.package: ProviderInfo(found.version, dict(found.info)) for found in self._providers}

    @property
    def hooks(self) -> dict[str, HookInfo]:
        """The hooks by type of connection."""
        return {
            kind.name: HookInfo(kind.hook, "conn_id", found.package, kind.label, kind.name)
            for found in self._providers
            for kind in found.connection_types
        }

    @property
    def taskflow_decorators(self) -> dict[str, str]:
        """The paths of decorators by name."""
        return {row.name: row.path for found in self._providers for row in found.task_decorators}

    @property
    def extra_links_class_names(self) -> list[str]:
        """The classes of links that operators show."""
        return self._all("extra_links")

    @property
    def notification(self) -> list[str]:
        """The classes of notifiers."""
        return self._all("notifiers")

    @property
    def secrets_backend_class_names(self) -> list[str]:
        """The classes of secrets backends."""
        return self._all("secrets_backends")

    @property
    def filesystem_module_names(self) -> list[str]:
        """The modules that bring file systems."""
        return self._all("filesystems")

    def _all(self, kind: str) -> list[str]:
        return [name for found in self._providers for name in getattr(found, kind)]

    def initialize_providers_list(self) -> None:
        """Nothing to do: all is read when it is asked for."""

    def initialize_providers_hooks(self) -> None:
        """Nothing to do: all is read when it is asked for."""


def providers_configuration_loaded(func: Callable[P, R]) -> Callable[P, R]:
    """Decorator of commands that need the options of providers, which are always known here."""
    return func
