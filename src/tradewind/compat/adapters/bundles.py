"""DAG bundles of one's own: the base class that people and provider packages subclass."""

import fcntl
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from tradewind.sdk.configuration import conf


@dataclass(frozen=True)
class BundleVersion:
    """A version of a bundle, with whatever the bundle needs to find it again."""

    version: str
    data: dict[str, Any] = field(default_factory=dict)


class BaseDagBundle(ABC):
    """A set of DAG files in one place, possibly with versions."""

    supports_versioning: bool = False

    def __init__(
        self,
        *,
        name: str,
        refresh_interval: int = 300,
        version: str | None = None,
        view_url_template: str | None = None,
    ) -> None:
        self.name = name
        self.version = version
        self.refresh_interval = refresh_interval
        self.is_initialized = False
        self._view_url_template = view_url_template
        root = Path(conf.get("dag_processor", "dag_bundle_storage_path", fallback=None) or gettempdir())
        self.base_dir = root / "tradewind" / "dag_bundles" / name
        self.versions_dir = self.base_dir / "versions"

    def initialize(self) -> None:
        """Make the bundle ready to be read. Called once, before anything else."""
        self.is_initialized = True

    @property
    @abstractmethod
    def path(self) -> Path:
        """The folder of the files."""

    @abstractmethod
    def get_current_version(self) -> str | BundleVersion | None:
        """The version that the files are at; nothing if there are no versions."""

    @abstractmethod
    def refresh(self) -> None:
        """Fetch the newest files."""

    def view_url(self, version: str | None = None) -> str | None:
        """Where people can look at the files."""
        return None

    def view_url_template(self) -> str | None:
        """`view_url` with `{version}` and `{subdir}` to be filled in."""
        return self._view_url_template

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes from changing the files inside the block."""
        self.base_dir.mkdir(parents=True, exist_ok=True)
        with (self.base_dir / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(file, fcntl.LOCK_UN)


class LocalDagBundle(BaseDagBundle):
    """A folder."""

    def __init__(self, *, path: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._path = Path(path or conf.get("core", "dags_folder"))

    @property
    def path(self) -> Path:
        return self._path

    def get_current_version(self) -> None:
        return None

    def refresh(self) -> None:
        """The folder is as it is."""
