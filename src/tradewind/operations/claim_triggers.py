"""Triggers find who runs them, and who stops or dies leaves them to others."""

from collections.abc import Collection
from datetime import datetime
from typing import Final, NamedTuple

from tradewind.model.ids import JobKey, TriggerKey
from tradewind.model.trigger import ClaimedTrigger
from tradewind.operations.spread_news import spread_stop
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.job_store import JobRecord

TRIGGERER_KIND: Final = "triggerer"


def claim_triggers(
    tx: Transaction, job: JobKey, limit: int, now: datetime, queues: Collection[str] | None = None
) -> list[ClaimedTrigger]:
    """At most so many of those that are free. A trigger whose task no longer waits is nobody's, unless a person called
    it off, and what it waits for is still to be ended."""
    return tx.triggers.claim(job, limit, now, queues) if limit > 0 else []


def find_unwanted(tx: Transaction, job: JobKey, running: Collection[TriggerKey]) -> set[TriggerKey]:
    """Which of these this triggerer need not run any more: their tasks do not wait, or they belong to another one.

    What stays of them in the database, and what nobody runs and nobody waits for, goes.
    """
    unwanted = set(running) - tx.triggers.wanted(job)
    tx.triggers.delete_unwanted(job)
    return unwanted


def free_unheard_claims(tx: Transaction, job: JobKey, held: Collection[TriggerKey]) -> None:
    """What this triggerer has claimed and does not hold is free: the claim was committed, but the answer was lost,
    and without this its task would wait for ever."""
    tx.triggers.release(job, tx.triggers.wanted(job) - set(held))


class CalledOff(NamedTuple):
    """What a triggerer is to stop."""

    known: dict[TriggerKey, bool]
    """Those that it has, and whether what they wait for is to be ended too."""
    orphans: list[ClaimedTrigger]
    """Those of deleted tasks that nobody had: it has them now, to end what they wait for."""


def find_called_off(
    tx: Transaction,
    job: JobKey,
    *,
    held: Collection[TriggerKey],
    claimed: Collection[ClaimedTrigger],
    queues: Collection[str] | None = None,
) -> CalledOff:
    """`held`: what it has, or has just had, and `claimed` right now. What is to be ended and is neither was claimed
    without the answer being heard. It is free again: whoever takes it, ends it."""
    found = tx.triggers.called_off(job)
    theirs, orphans = tx.triggers.orphans.held_and_free(job, queues)
    found |= dict.fromkeys(theirs, True)
    new = {each.key for each in claimed}
    lost = {key for key, kills in found.items() if kills and key not in held and key not in new}
    tx.triggers.release(job, lost - theirs)
    tx.triggers.orphans.release(job, lost & theirs)
    return CalledOff({key: kills for key, kills in found.items() if key not in lost | new}, orphans)


def bury_triggerers(tx: Transaction, silent: Collection[JobRecord], now: datetime) -> set[JobKey]:
    """End the leases of those that fell silent, and free what belongs to nobody who lives. Returns who was buried."""
    buried = tx.jobs.declare_dead(silent, now)
    living = [record.job_key for record in tx.jobs.live(TRIGGERER_KIND)]
    tx.triggers.release_all_but(living)
    tx.triggers.orphans.release_all_but(living)
    tx.watchers.release_all_but(living)
    return buried


def leave_triggers(tx: Transaction, job: JobKey, now: datetime) -> None:
    """A triggerer stops in good order: others go on with what it has."""
    tx.triggers.release(job)
    tx.triggers.orphans.release(job)
    tx.watchers.release(job)
    spread_stop(tx, job, now)
    tx.jobs.stop(job, now)
