"""What the installed provider packages bring, by their own metadata."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, Final

from tradewind.providers.names import short_name
from tradewind.providers.standard import get_provider_info as standard_info

GROUP: Final = "apache_airflow_provider"

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ConnectionType:
    """A type of connections, and the hook that they have."""

    name: str
    hook: str
    label: str


@dataclass(frozen=True, slots=True)
class TaskDecorator:
    """`@task.<name>`."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider package and what it brings. Operators, sensors, hooks and triggers are told by module."""

    name: str
    package: str
    version: str
    title: str
    description: str
    operators: tuple[str, ...] = ()
    sensors: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    connection_types: tuple[ConnectionType, ...] = ()
    task_decorators: tuple[TaskDecorator, ...] = ()
    notifiers: tuple[str, ...] = ()
    info: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


def installed_providers() -> list[Provider]:
    """All of them by name; our own `standard` among them, whatever is installed."""
    found = {provider.name: provider for provider in _from_packages()}
    standard = provider_from_info(standard_info(), version=str(standard_info()["version"]))
    found[standard.name] = standard
    return [found[name] for name in sorted(found)]


def _from_packages() -> Iterator[Provider]:
    for distribution in metadata.distributions():
        for entry_point in distribution.entry_points:
            if entry_point.group != GROUP:
                continue
            try:
                yield provider_from_info(entry_point.load()(), version=distribution.version)
            except Exception:  # a broken package must not take the others with it
                _log.warning("the metadata of %s cannot be read", distribution.name, exc_info=True)


def provider_from_info(info: Mapping[str, Any], *, version: str) -> Provider:
    """A provider from the form that packages describe themselves in."""
    return Provider(
        name=short_name(info["package-name"]),
        package=info["package-name"],
        version=version,
        title=info.get("name", ""),
        description=" ".join(str(info.get("description", "")).split()),
        operators=_modules(info.get("operators")),
        sensors=_modules(info.get("sensors")),
        hooks=_modules(info.get("hooks")),
        triggers=_modules(info.get("triggers")),
        connection_types=tuple(
            ConnectionType(row["connection-type"], row["hook-class-name"], row.get("hook-name", ""))
            for row in info.get("connection-types") or ()
        ),
        task_decorators=tuple(
            TaskDecorator(row["name"], row["class-name"]) for row in info.get("task-decorators") or ()
        ),
        notifiers=tuple(info.get("notifications") or ()),
        info=info,
    )


def _modules(rows: Iterable[Mapping[str, Any]] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(module for row in rows or () for module in row.get("python-modules") or ()))
