"""The store of those who throw old history away."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

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
    AUDIT_LOG = "log"
    """Only who asks for it by name deletes of it, and that is entered there too."""


@dataclass(frozen=True, slots=True)
class PruneChoice:
    """What is old enough, and whose it is."""

    before: datetime
    dag_ids: tuple[str, ...] = ()
    """Only these, if any are named."""
    spared: tuple[str, ...] = ()


class PruningStore(Protocol):
    """Finds and deletes what is old and at its end."""

    def count(self, what: Prunable, choice: PruneChoice) -> int:
        """How many rows there are to delete."""

    def old_runs(self, choice: PruneChoice, limit: int) -> list[Run]:
        """Ended runs, the oldest first. The newest run of each kind of a DAG stays: what comes next is reckoned from
        it."""

    def delete_runs(self, run_keys: Sequence[RunKey]) -> None:
        """Locked ones, with all that belongs to them."""

    def delete(self, what: Prunable, choice: PruneChoice, limit: int) -> int:
        """Delete some of what is not a run. Returns how many; fewer than `limit` means that none is left."""
