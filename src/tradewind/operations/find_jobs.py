"""Which services are alive."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from tradewind.storage.interface import Transaction
from tradewind.storage.interface.job_store import JobRecord


def find_alive(
    tx: Transaction, patience: Mapping[str, float], now: datetime, *, hostname: str | None, limit: int | None
) -> list[JobRecord]:
    """Those that were heard of lately enough: `patience` has the seconds for each kind that is asked for.

    Looks at the `limit` last heard of among those that have not ended.
    """
    found = [job for kind in patience for job in tx.jobs.live(kind) if hostname is None or job.hostname == hostname]
    newest = sorted(found, key=lambda job: job.heartbeat_at, reverse=True)[:limit]
    return [job for job in newest if now - job.heartbeat_at <= timedelta(seconds=patience[job.kind])]
