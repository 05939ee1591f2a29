"""Triggers find who runs them, and who stops or dies leaves them to others."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from tradewind.model.ids import JobKey, TriggerKey
from tradewind.model.trigger import ClaimedTrigger
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.job_store import JobRecord

TRIGGERER_KIND: Final = "triggerer"


def claim_triggers(
    tx: Transaction, job: JobKey, limit: int, queues: Collection[str] | None = None
) -> list[ClaimedTrigger]:
    """At most so many of those that are free. A trigger whose task no longer waits is nobody's."""
    return tx.triggers.claim(job, limit, queues) if limit > 0 else []


def find_unwanted(tx: Transaction, job: JobKey, running: Collection[TriggerKey]) -> set[TriggerKey]:
    """Which of these this triggerer need not run any more: their tasks do not wait, or they belong to another one.

    What stays of them in the database, and what nobody runs and nobody waits for, goes.
    """
    unwanted = set(running) - tx.triggers.wanted(job)
    tx.triggers.delete_unwanted(job)
    return unwanted


def bury_triggerers(tx: Transaction, silent: Collection[JobRecord], now: datetime) -> set[JobKey]:
    """End the leases of those that fell silent, and free what belongs to nobody who lives. Returns who was buried."""
    buried = tx.jobs.declare_dead(silent, now)
    tx.triggers.release_all_but([record.job_key for record in tx.jobs.live(TRIGGERER_KIND)])
    return buried


def leave_triggers(tx: Transaction, job: JobKey, now: datetime) -> None:
    """A triggerer stops in good order: others go on with what it has."""
    tx.triggers.release(job)
    tx.jobs.stop(job, now)
