"""The stores of what DAG files say, and of what they are asked to do: versions, bundles, files, callbacks."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from tradewind.model.callback_request import CallbackKey, CallbackRequest, StoredCallback
from tradewind.model.dag import CallbackEvent
from tradewind.model.dag_file import (
    Bundle,
    DagFile,
    FileKey,
    FileName,
    FileParse,
    FileWarning,
    ImportProblem,
    NewVersion,
    StoredWarning,
    VersionOrigin,
)
from tradewind.model.ids import JobKey, VersionKey
from tradewind.model.listener_news import Hook


class VersionStore(Protocol):
    """Versions of DAGs by the hundred, and the source texts that they come from."""

    def add(self, new: Sequence[NewVersion], now: datetime) -> dict[str, VersionKey]:
        """Make these the current versions of their DAGs, which must be locked."""

    def origins(self, version_keys: Collection[VersionKey]) -> dict[VersionKey, VersionOrigin]:
        """Where versions come from, as far as they exist."""

    def set_sources(self, sources: Mapping[VersionKey, str]) -> None:
        """The source of these versions is now another, though it says the same."""

    def add_texts(self, texts: Mapping[str, str]) -> None:
        """Source texts by their hash; those that are known already stay."""

    def text(self, source_hash: str) -> str | None:
        """A source text."""

    def prune_texts(self) -> int:
        """Delete the texts that no version comes from. Returns how many."""


class BundleStore(Protocol):
    """Bundles of DAG files."""

    def sync(self, names: Collection[str]) -> list[str]:
        """Make these the active ones, and return those that no longer are."""

    def all(self) -> list[Bundle]:
        """By name."""

    def set_version(self, name: str, version: str | None) -> None:
        """What new runs are pinned to."""

    def refreshed(self, name: str, now: datetime, error: str | None) -> None:
        """It was brought up to date, or could not be."""

    def set_heard(self, name: str, events: Collection[CallbackEvent]) -> None:
        """Of which changes of runs listeners of plugins want to hear, where its files are read."""

    def heard(self) -> frozenset[CallbackEvent]:
        """The same, of all active bundles together."""

    def set_hooks(self, name: str, hooks: Collection[Hook]) -> None:
        """Of what else listeners of plugins want to hear, where its files are read."""

    def hooks(self) -> frozenset[Hook]:
        """The same, of all active bundles together."""


class FileStore(Protocol):
    """DAG files: what is known of them, who parses them, what is wrong with them."""

    def add(self, names: Collection[FileName]) -> None:
        """Those that do not exist yet, whoever else may be adding them at the same time."""

    def of_bundle(self, bundle: str) -> list[DagFile]:
        """By path, without a lock."""

    def find(self, name: FileName) -> DagFile | None:
        """Without a lock."""

    def lock(self, keys: Collection[FileKey]) -> list[DagFile]:
        """Lock the rows that exist, by key."""

    def claim(self, keys: Collection[FileKey], job: JobKey, until: datetime) -> None:
        """Say that this processor parses these locked files, until then."""

    def renew(self, keys: Collection[FileKey], job: JobKey, until: datetime) -> None:
        """Keep the claims that are still this processor's."""

    def release(self, keys: Collection[FileKey], job: JobKey) -> None:
        """Give up the claims that are still this processor's."""

    def save(self, parses: Sequence[FileParse], errors: Mapping[FileKey, str], now: datetime) -> None:
        """What parsing brought; ends the claim and the request. Without an error, the old one is cleared."""

    def request(self, keys: Collection[FileKey]) -> None:
        """Ask to parse these again, changed or not."""

    def requested(self, bundles: Collection[str]) -> list[DagFile]:
        """Those that somebody asked to parse again."""

    def delete(self, keys: Collection[FileKey]) -> None:
        """With what they declared, their error and their warnings."""

    def declare(self, dags: Mapping[FileKey, Collection[str]]) -> None:
        """Which DAGs these files have, in place of what they had."""

    def declared(self, keys: Collection[FileKey]) -> dict[FileKey, set[str]]:
        """Which DAGs these files have."""

    def declarers(self, dag_ids: Collection[str]) -> dict[str, dict[FileKey, FileName]]:
        """Which files have these DAGs."""

    def has_error(self, name: FileName) -> bool:
        """Whether it could not be imported when it was last parsed."""

    def errors(self, bundles: Collection[str] | None = None) -> list[ImportProblem]:
        """By bundle and path; of all bundles, if none is named."""

    def warn(self, warnings: Mapping[FileKey, Sequence[FileWarning]], now: datetime) -> None:
        """The warnings about these files, in place of the old ones."""

    def warnings(self, bundles: Collection[str] | None = None) -> list[StoredWarning]:
        """By bundle, path and line; of all bundles, if none is named."""


class CallbackStore(Protocol):
    """Requests to call an author's callbacks."""

    def add(self, requests: Sequence[CallbackRequest], now: datetime) -> None:
        """Those whose version comes from a file; there is nothing to call for the others."""

    def claim(
        self, bundles: Collection[str], limit: int, job: JobKey, *, now: datetime, until: datetime
    ) -> list[StoredCallback]:
        """Take the oldest ones of these bundles that nobody has taken, or whose taker fell silent. Those of one run
        itself are taken one after the other: the next when the one before is deleted."""

    def renew(self, keys: Collection[CallbackKey], job: JobKey, until: datetime) -> None:
        """Keep those that are still this processor's."""

    def delete(self, keys: Collection[CallbackKey]) -> None:
        """They are answered, or never will be."""
