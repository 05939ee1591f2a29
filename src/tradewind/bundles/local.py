"""A folder on this machine, whose files change in place."""

import math
from pathlib import Path


class LocalBundle:
    """Implements `interface.Bundle`."""

    supports_versioning = False
    refresh_interval = math.inf
    """There is nothing to fetch; changes are seen where they happen."""

    def __init__(self, name: str, path: Path) -> None:
        self._name = name
        self._path = path

    @property
    def name(self) -> str:
        return self._name

    @property
    def path(self) -> Path:
        return self._path

    def initialize(self) -> None:
        """See `Bundle.initialize`."""

    def refresh(self) -> None:
        """See `Bundle.refresh`."""

    def get_current_version(self) -> str | None:
        """See `Bundle.get_current_version`."""
        return None
