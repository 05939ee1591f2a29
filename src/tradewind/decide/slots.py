"""Ticks that wait for assets: which updates count for one, and what becomes of it. Pure, as all of `decide`.

Everything is measured from the tick, and so the answer does not depend on when somebody looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, assert_never

from tradewind.decide.timetables import next_run
from tradewind.decide.timetables import partition_of as partition_named_by
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.local_time import time_zone
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.slot import NewSlot, Slot
from tradewind.model.slot_policy import EventWindow, Match, OnDeadline
from tradewind.model.timetable import AssetAndTime, RunInfo

_SHORTEST: Final = timedelta(microseconds=1)


class SlotMove(StrEnum):
    """What is to be done about a slot that waits."""

    WAIT = "wait"
    OPEN = "open"
    """Its assets are there: it gets its run."""
    RUN_LATE = "run late"
    """They are not, but its deadline has passed: it gets its run all the same."""
    EXPIRE = "expire"
    FAIL = "fail"
    """It expires, and a failed run tells so."""
    ALERT = "alert"
    """It is told, and goes on waiting."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A slot that waits: which updates count for it, and until when."""

    slot: Slot
    window: EventWindow
    ends_at: datetime | None
    """The next tick, which it has to give way to. None: it may wait for ever."""


def new_slot(dag_id: str, gate: AssetAndTime, info: RunInfo) -> NewSlot:
    """Of a tick that has come."""
    return NewSlot(dag_id, info, None if gate.deadline is None else info.run_after + gate.deadline.rest)


def turn_end(dag: Dag, info: RunInfo, newest: datetime | None, plan: PlannedRuns | None = None) -> datetime | None:
    """The tick that supersedes this one: that which follows in the timetable, whether somebody was there to note it or
    not, or, where the timetable was another one then, the `newest` that was noted."""
    if dag.catchup:
        return None
    every_tick = replace(restriction_of(dag), catchup=True)
    following = next_run(dag.timetable, last=info, restriction=every_tick, now=info.run_after, plan=plan)
    later = (None if following is None else following.run_after, newest)
    return min((tick for tick in later if tick is not None and tick > info.run_after), default=None)


def opens_in_order(gate: AssetAndTime, *, catchup: bool) -> bool:
    """Whether what is not enough for a tick that waits is not enough for any later one: no more updates count for that.
    Who does not catch up has a turn for each tick; a data interval or a partition belongs to one tick alone."""
    return catchup and gate.match in (Match.ANY, Match.SINCE_LAST_RUN)


def event_window(
    gate: AssetAndTime, info: RunInfo, last_run_at: datetime | None, ends_at: datetime | None = None
) -> EventWindow:
    """Which updates count for a tick. `last_run_at`: when the last run of the timetable was made; `ends_at`: the next
    tick, from which on updates are for that."""
    after, before, partition_key = None, None if ends_at is None else ends_at - _SHORTEST, None
    match gate.match:
        case Match.ANY:
            pass
        case Match.SINCE_LAST_RUN:
            after = last_run_at
        case Match.IN_INTERVAL:
            if info.data_interval is not None:
                end = info.data_interval.end - _SHORTEST
                after, before = info.data_interval.start, end if before is None else min(before, end)
        case Match.PARTITION:
            partition_key = partition_of(gate, info)
        case _:
            assert_never(gate.match)
    if gate.fresh_within is not None:
        fresh_since = info.run_after - gate.fresh_within.rest
        after = fresh_since if after is None else max(after, fresh_since)
    return EventWindow(after, before, partition_key)


def history_window(gate: AssetAndTime, info: RunInfo) -> EventWindow:
    """Which past updates let a date be backfilled: those of its partition, or within its data interval; where that has
    no length, those up to the tick, as fresh as they have to be."""
    if gate.match is Match.PARTITION:
        return EventWindow(partition_key=partition_of(gate, info))
    interval = info.data_interval
    if interval is not None and interval.start < interval.end:
        return EventWindow(interval.start, interval.end - _SHORTEST)
    fresh_since = None if gate.fresh_within is None else info.run_after - gate.fresh_within.rest
    return EventWindow(fresh_since, info.run_after)


def partition_of(gate: AssetAndTime, info: RunInfo) -> str:
    """The key of the partition that a tick is about: that which its timetable names, else its logical date on the clock
    of the timetable."""
    named = partition_named_by(gate.timetable, info.run_after)
    if named is not None:
        return named.key
    zone = getattr(gate.timetable, "timezone", "UTC")
    return (info.logical_date or info.run_after).astimezone(time_zone(zone)).strftime(gate.key_format)


def move_of(
    gate: AssetAndTime, slot: Slot, now: datetime, *, is_satisfied: bool, ends_at: datetime | None = None
) -> SlotMove:
    """What becomes of a slot that waits. Its assets count past its deadline too, until something is done about that. A
    deadline that is not sooner than the next tick brings nothing: the slot was superseded first."""
    if is_satisfied:
        return SlotMove.OPEN
    deadline_at = slot.deadline_at
    if deadline_at is None or deadline_at > now or (ends_at is not None and ends_at <= deadline_at):
        return SlotMove.WAIT
    match gate.on_deadline:
        case OnDeadline.RUN:
            return SlotMove.RUN_LATE
        case OnDeadline.SKIP:
            return SlotMove.EXPIRE
        case OnDeadline.FAIL:
            return SlotMove.FAIL
        case OnDeadline.ALERT:
            return SlotMove.ALERT
        case _:
            assert_never(gate.on_deadline)


def superseded(waiting: Sequence[Turn], now: datetime) -> list[Slot]:
    """Those of the slots that still wait whose turn is over."""
    return [turn.slot for turn in waiting if turn.ends_at is not None and turn.ends_at <= now]
