"""The deployment that a command works on: its configuration, and what is wired by it."""

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from tradewind.cli.deferred import Deferred

if TYPE_CHECKING:
    from tradewind import bootstrap, settings
    from tradewind.telemetry.hub import Hub
else:
    bootstrap = Deferred("tradewind.bootstrap")
    settings = Deferred("tradewind.settings")


def load_settings() -> "settings.Settings":
    """The configuration. Raises `SettingsError`."""
    return settings.load_settings()


def wired(
    given: "settings.Settings", *, hub: "Hub | None" = None, waits_for_disk: bool = True
) -> "AbstractContextManager[bootstrap.Wiring]":
    """Everything connected, for as long as a block runs. See `bootstrap.wire`. Raises `MigrationNeeded`."""
    return bootstrap.wired(given, hub=hub, waits_for_disk=waits_for_disk)


def opened() -> "AbstractContextManager[bootstrap.Wiring]":
    """The same, as the configuration says."""
    return bootstrap.wired(settings.load_settings())
