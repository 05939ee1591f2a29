"""Who parses which DAG file: each is parsed by one processor, whatever the number of processors that see it change."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tradewind.model.dag_file import DagFile, FileKey
from tradewind.model.ids import JobKey
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class Claims:
    """What became of the wish to parse some files."""

    claimed: list[DagFile] = field(default_factory=list)
    settled: list[DagFile] = field(default_factory=list)
    """What is stored of them is what would be found: somebody else has parsed them."""
    held: list[DagFile] = field(default_factory=list)
    """Another processor is at it."""
    missing: set[FileKey] = field(default_factory=set)


def claim_files(
    tx: Transaction,
    keys: Collection[FileKey],
    job: JobKey,
    now: datetime,
    *,
    lease_s: float,
    is_current: Callable[[DagFile], bool],
) -> Claims:
    """Claim those that are worth parsing and that nobody else has claimed.

    A claim is a lease by the wall clock. Where clocks differ by more than a lease, two may parse the same file; what
    they store is the same, and only the last one to claim it may.
    """
    files = tx.files.lock(keys)
    claims = Claims(missing=set(keys) - {file.key for file in files})
    for file in files:
        is_others = file.claimed_by not in (None, job) and file.claimed_until is not None and file.claimed_until > now
        if is_current(file) and not file.is_requested:
            claims.settled.append(file)
        elif is_others:
            claims.held.append(file)
        else:
            claims.claimed.append(file)
    tx.files.claim([file.key for file in claims.claimed], job, now + timedelta(seconds=lease_s))
    return claims
