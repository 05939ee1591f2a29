"""The store of those who throw old history away."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from tradewind.model.ids import RunKey
from tradewind.model.run import Run


class Prunable(StrEnum):
    """What has an age of its own; all else goes with one of them. The names are those of Airflow's tables."""

    RUNS = "dag_run"
    """With their task instances, and all that those left behind."""
    VERSIONS = "dag_version"
    """Those that neither a run nor a DAG uses any more."""
    ASSET_EVENTS = "asset_event"
    JOBS = "job"
    CONNECTION_TESTS = "connection_test_request"
    AUDIT_LOG = "log"
    """Only who asks for it by name deletes of it, and that is entered there too."""


@dataclass(frozen=True, slots=True)
class PruneChoice:
    """What is old enough, and whose it is."""

    before: datetime
    dag_ids: tuple[str, ...] = ()
    """Only these, if any are named."""
    spared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Archive:
    """Where copies go of what is deleted by one command."""

    stamp: str
    """A part of the names of its tables: when that was, in digits."""


class Archived(NamedTuple):
    """A table with copies."""

    name: str
    table: str
    """What they are copies of."""


class PruningStore(Protocol):
    """Finds and deletes what is old and at its end."""

    def count(self, what: Prunable, choice: PruneChoice) -> int:
        """How many rows there are to delete."""

    def old_runs(self, choice: PruneChoice, limit: int) -> list[Run]:
        """Ended runs, the oldest first. The newest run of each kind of a DAG stays: what comes next is reckoned from
        it."""

    def delete_runs(self, run_keys: Sequence[RunKey], archive: Archive | None = None) -> None:
        """Locked ones, with all that belongs to them. Copies go to the archive, which was made for it."""

    def delete(self, what: Prunable, choice: PruneChoice, limit: int, archive: Archive | None = None) -> int:
        """Delete some of what is not a run. Returns how many; fewer than `limit` means that none is left."""


class ArchiveStore(Protocol):
    """The copies of what was deleted.

    To make and to drop tables ends a transaction of MySQL: who does that does nothing else in it.
    """

    def create(self, what: Prunable, archive: Archive) -> None:
        """Tables for what is deleted of this kind, and with it, unless they are there."""

    def tables_of(self, what: Prunable) -> tuple[str, ...]:
        """Which tables rows are deleted of."""

    def all(self) -> list[Archived]:
        """By name."""

    def count(self, name: str) -> int:
        """How many rows it has."""

    def rows(self, archived: Archived) -> Iterator[Sequence[Any]]:
        """The names of its columns, then its rows, read while they are asked for. Nothing else is asked before it."""

    def drop(self, names: Collection[str]) -> None:
        """For ever."""
