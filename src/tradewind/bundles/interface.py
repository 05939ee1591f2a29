"""What a bundle can do. The names are those of Airflow's bundles, so that classes written for it fit."""

from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable


class Bundle(Protocol):
    """A set of DAG files under one name."""

    @property
    def name(self) -> str:
        """Unlike that of any other bundle."""

    @property
    def supports_versioning(self) -> bool:
        """Whether an older state can be had again, so that runs may keep theirs."""

    @property
    def refresh_interval(self) -> float:
        """How many seconds may pass before `refresh` is called again."""

    @property
    def path(self) -> Path:
        """The folder of the current version."""

    def initialize(self) -> None:
        """Get ready. Called once, before all else. Raises `BundleError`."""

    def refresh(self) -> None:
        """Bring it up to date. May take long. Raises `BundleError`; what was there before then stays."""

    def get_current_version(self) -> str | None:
        """The name of what `path` holds; None where nothing is versioned."""


@runtime_checkable
class Versioned(Protocol):
    """A bundle that keeps older versions, and so has some to throw away."""

    def path_of(self, version: str) -> Path:
        """The folder of any version, fetched if need be. Raises `BundleError`."""

    def prune(self, unused_since: datetime, keep: int) -> list[str]:
        """Delete versions that nobody has used since then, but keep the `keep` last used ones. Returns which."""
