"""What a DAG processor knows and works with."""

import hashlib
import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tradewind import __version__
from tradewind.dag_files.fingerprint import Signature
from tradewind.dag_processor.pool import ParsePool
from tradewind.dag_processor.protocol import ParseRequest
from tradewind.dag_processor.tracked_bundle import TrackedBundle, TrackedFile
from tradewind.model.callback_request import AnsweredCallback, StoredCallback
from tradewind.model.dag import CallbackEvent
from tradewind.model.dag_json import FORMAT_VERSION
from tradewind.model.ids import JobKey
from tradewind.model.listener_news import Hook, StoredNews
from tradewind.operations.cipher import Cipher
from tradewind.operations.deadlines import AuthorsWork
from tradewind.operations.publish_files import CheckedFile
from tradewind.runtime.clock import Clock
from tradewind.settings import Settings
from tradewind.storage.interface import Store
from tradewind.telemetry.hub import Hub

_PREFIXES = ("TRADEWIND", "AIRFLOW")


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that a child is reading."""

    bundle: TrackedBundle
    file: TrackedFile
    request: ParseRequest
    content_hash: str
    version: str | None


class TakenDeadline(NamedTuple):
    """A deadline that a child deals with."""

    work: AuthorsWork
    request: ParseRequest
    job: JobKey
    """In whose name it was taken: only in that name anything is stored about it."""


class PluginQuestion(NamedTuple):
    """What plugins were asked, or are being asked."""

    files: tuple[tuple[str, Signature], ...]
    """Of the plugins folder at that time."""
    number: int | None
    """Of the request; None: it was answered."""


class TakenNews(NamedTuple):
    """What a child tells listeners of plugins."""

    taken: tuple[StoredNews, ...]
    request: ParseRequest
    job: JobKey
    """In whose name they were taken."""


@dataclass(slots=True)
class ProcessorState:
    """Shared by the duties of one processor."""

    store: Store
    clock: Clock
    settings: Settings
    hub: Hub
    pool: ParsePool
    bundles: list[TrackedBundle]
    job: JobKey
    wake: Callable[[], None]
    """Ends the waiting of the service; may be called from any thread."""
    executors: Mapping[str, str] | None = None
    """The names of executors for the words that tasks may use; None: any."""
    cipher: Cipher | None = None
    """Encrypts what watchers of assets are given, where there is a key."""
    readings: dict[int, Reading] = field(default_factory=dict)
    """By the number of the request."""
    calls: dict[int, tuple[StoredCallback, ParseRequest]] = field(default_factory=dict)
    """Callbacks that children are calling, by the number of the request."""
    deadlines: dict[int, TakenDeadline] = field(default_factory=dict)
    """Deadlines that children deal with, by the number of the request."""
    plugins: PluginQuestion | None = None
    heard_of_runs: frozenset[CallbackEvent] = frozenset()
    """Of which changes of runs listeners of plugins want to hear."""
    heard_hooks: frozenset[Hook] = frozenset()
    """Of what else; nothing, before they have been asked."""
    news: TakenNews | None = None
    answered: list[AnsweredCallback] = field(default_factory=list)
    """Those that were called but are not deleted yet."""
    finished: list[tuple[TrackedBundle, CheckedFile]] = field(default_factory=list)
    """Read and checked, but not stored yet."""
    finished_since: float = 0.0
    """Since when there is one of them, on the monotonic clock."""

    def add_finished(self, bundle: TrackedBundle, file: CheckedFile) -> None:
        """A file is ready to be stored."""
        if not self.finished:
            self.finished_since = self.clock.monotonic()
        self.finished.append((bundle, file))

    def now_ns(self) -> int:
        """The wall clock, as times of files are counted."""
        return int(self.clock.now().timestamp() * 1_000_000_000)

    def bundle(self, name: str) -> TrackedBundle | None:
        """The one of that name, if it is this processor's."""
        return next((bundle for bundle in self.bundles if bundle.name == name), None)


def environment_hash(environ: Mapping[str, str], executors: Mapping[str, str] | None = None) -> str:
    """What else than files decides what a DAG file says: Python, the installed packages, the configuration.

    When it changes, every file is read again.
    """
    parts = [__version__, str(FORMAT_VERSION), platform.python_version()]
    parts += sorted(f"{name}={value}" for name, value in environ.items() if name.startswith(_PREFIXES))
    parts += sorted(f"executor {word}={name}" for word, name in (executors or {}).items())
    for folder in sys.path:
        if folder and Path(folder).is_dir():
            parts += sorted(name for name in os.listdir(folder) if name.endswith(".dist-info"))  # noqa: PTH208
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
