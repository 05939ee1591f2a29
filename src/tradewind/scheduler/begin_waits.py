"""Duty: let tasks begin that begin with a trigger. They need no executor, and slots only where deferred tasks count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from tradewind.decide.admission import can_never_fit, starting
from tradewind.model.pool import UNLIMITED_SLOTS, Pool
from tradewind.model.task import Candidate
from tradewind.operations.begin_waits import begin_waits
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import MOST_SLOTS, Transaction
from tradewind.telemetry.events import TaskCannotFit

_MOST_AT_ONCE: Final = 5_000


@dataclass(slots=True)
class _Begun:
    count: int = 0
    unfinished: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)


def begin_starts(state: SchedulerState) -> int:
    """Look at the pools in which such tasks wait, or may go on. Returns how many began."""
    looked_at = state.pools_of_starts | (state.pools_of_held_starts & state.pools_to_serve)
    if not looked_at:
        return 0
    now = state.clock.now()
    begun = state.store.transact(lambda tx: _begin(tx, state, sorted(looked_at), now))
    state.pools_of_starts = begun.unfinished
    state.pools_of_held_starts = (state.pools_of_held_starts - looked_at) | begun.held
    return begun.count


def find_starts(state: SchedulerState) -> None:
    """The polling net: all pools that such tasks are in. Tells of tasks that can never get what they wait for."""

    def work(tx: Transaction) -> set[str]:
        names = tx.starts.pools()
        pools = {pool.name: pool for pool in tx.pools.all()} if names else {}
        for name in sorted(names):
            for task in tx.starts.ready(name, 1, MOST_SLOTS):
                reason = can_never_fit(pools.get(name), task.pool_slots)
                if reason is not None:
                    tx.emit(TaskCannotFit(task.dag_id, task.key, name, reason))
        return names

    state.pools_of_starts |= state.store.transact(work)


def _begin(tx: Transaction, state: SchedulerState, names: Sequence[str], now: datetime) -> _Begun:
    pools = {pool.name: pool for pool in tx.pools.all()}
    counting = [name for name in names if name in pools and _counts(pools[name])]
    occupied: Mapping[str, int] = {}
    if counting:
        locked = {pool.name: pool for pool in tx.pools.lock(counting)}
        pools |= locked
        # After the lock, as in `admit_tasks`.
        in_use = tx.queue.slots_in_use(state.job)
        occupied = {name: in_use.of(pool) for name, pool in locked.items()}
    result = _Begun()
    for name in names:
        _serve(tx, state, pools.get(name), occupied.get(name, 0), result, now)
    return result


def _serve(
    tx: Transaction, state: SchedulerState, pool: Pool | None, occupied: int, result: _Begun, now: datetime
) -> None:
    if pool is None:
        return  # the polling net sees it when it is there
    most_slots = MOST_SLOTS if pool.slots == UNLIMITED_SLOTS else pool.slots
    ready = tx.starts.ready(pool.name, _MOST_AT_ONCE, most_slots)
    chosen = ready[: starting(pool, occupied, _first(tx, pool), ready)]
    begun = begin_waits(tx, chosen, state.structures, now, has_queues=state.triggers_have_queues)
    result.count += len(begun)
    if len(chosen) < len(ready):
        result.held.add(pool.name)
    elif begun and len(ready) == _MOST_AT_ONCE:
        result.unfinished.add(pool.name)


def _first(tx: Transaction, pool: Pool) -> Candidate | None:
    """The most urgent of those that wait for slots of a pool, where that matters."""
    return next(iter(tx.queue.waiting(pool.name, 1, most_slots=pool.slots)), None) if _counts(pool) else None


def _counts(pool: Pool) -> bool:
    return pool.include_deferred and pool.slots != UNLIMITED_SLOTS
