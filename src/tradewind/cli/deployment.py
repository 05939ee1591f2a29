"""The deployment that a command works on: its configuration, and what is wired by it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tradewind.cli.deferred import Deferred
from tradewind.cli.hints import naming_dags

if TYPE_CHECKING:
    from tradewind import bootstrap, settings
    from tradewind.telemetry.hub import Hub
else:
    bootstrap = Deferred("tradewind.bootstrap")
    settings = Deferred("tradewind.settings")


def load_settings() -> "settings.Settings":
    """The configuration. Raises `SettingsError`."""
    return settings.load_settings()


@contextmanager
def wired(
    given: "settings.Settings", *, hub: "Hub | None" = None, waits_for_disk: bool = True
) -> "Iterator[bootstrap.Wiring]":
    """Everything connected, for as long as a block runs. See `bootstrap.wire`. Raises `MigrationNeeded`."""
    with bootstrap.wired(given, hub=hub, waits_for_disk=waits_for_disk) as wiring, naming_dags(wiring):
        yield wiring


@contextmanager
def opened() -> "Iterator[bootstrap.Wiring]":
    """The same, as the configuration says."""
    with wired(settings.load_settings()) as wiring:
        yield wiring
