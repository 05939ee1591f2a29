"""Ticks that wait for assets: which updates count, and what becomes of a tick (C4)."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.instants import utc
from tradewind.decide.slots import (
    SlotMove,
    Turn,
    event_window,
    history_window,
    move_of,
    new_slot,
    opens_in_order,
    partition_of,
    superseded,
    turn_end,
)
from tradewind.model.dag import Dag
from tradewind.model.slot import Slot, SlotKey
from tradewind.model.slot_policy import EVERYTHING, EventWindow, Match, OnDeadline, SlotState
from tradewind.model.timetable import (
    AssetAndTime,
    CronDataInterval,
    CronPartition,
    CronTrigger,
    DataInterval,
    Delta,
    RunInfo,
)

NOON = utc("2026-01-02 12:00")
HOUR = timedelta(hours=1)
INFO = RunInfo(NOON, DataInterval(NOON - HOUR, NOON))
GATE = AssetAndTime(CronDataInterval("0 * * * *"))


def waiting(number: int, **values: object) -> Slot:
    info = RunInfo(NOON + number * HOUR, None)
    return replace(Slot(SlotKey(number), "d", info, SlotState.WAITING, NOON), **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gate", "window"),
    [
        (GATE, EVERYTHING),
        (replace(GATE, match=Match.SINCE_LAST_RUN), EventWindow(after=NOON - 5 * HOUR)),
        (
            replace(GATE, match=Match.IN_INTERVAL),
            EventWindow(after=NOON - HOUR, before=NOON - timedelta(microseconds=1)),
        ),
        (
            replace(GATE, match=Match.PARTITION, key_format="%Y-%m-%d %H"),
            EventWindow(partition_key="2026-01-02 11"),
        ),
        (replace(GATE, fresh_within=Delta.of(HOUR)), EventWindow(after=NOON - HOUR)),
        (
            replace(GATE, match=Match.SINCE_LAST_RUN, fresh_within=Delta.of(9 * HOUR)),
            EventWindow(after=NOON - 5 * HOUR),
        ),
        (
            replace(GATE, match=Match.SINCE_LAST_RUN, fresh_within=Delta.of(2 * HOUR)),
            EventWindow(after=NOON - 2 * HOUR),
        ),
    ],
)
def test_which_updates_count_follows_from_the_tick(gate: AssetAndTime, window: EventWindow) -> None:
    assert event_window(gate, INFO, NOON - 5 * HOUR) == window


@pytest.mark.parametrize(
    ("gate", "info", "window"),
    [
        (GATE, INFO, EventWindow(NOON - HOUR, NOON - timedelta(microseconds=1))),
        (replace(GATE, match=Match.PARTITION, key_format="%H"), INFO, EventWindow(partition_key="11")),
        (GATE, RunInfo(NOON, None), EventWindow(before=NOON)),
        (replace(GATE, fresh_within=Delta.of(HOUR)), RunInfo(NOON, None), EventWindow(NOON - HOUR, NOON)),
    ],
)
def test_which_past_updates_let_a_date_be_backfilled(gate: AssetAndTime, info: RunInfo, window: EventWindow) -> None:
    assert history_window(gate, info) == window


def test_before_the_first_run_all_updates_are_new() -> None:
    assert event_window(replace(GATE, match=Match.SINCE_LAST_RUN), INFO, None) == EVERYTHING


def test_a_partition_is_named_on_the_clock_of_the_timetable() -> None:
    gate = AssetAndTime(CronTrigger("0 * * * *", "Asia/Tokyo"), key_format="%d %H")

    assert partition_of(gate, RunInfo(NOON, DataInterval(NOON + 6 * HOUR, NOON + 7 * HOUR))) == "03 03"
    assert partition_of(gate, RunInfo(NOON, None)) == "02 21"


def test_a_timetable_of_partitions_names_the_partition_itself() -> None:
    """That which the run is about, `run_offset` ticks from the tick and in the format of the timetable."""
    gate = AssetAndTime(
        CronPartition("0 * * * *", "Asia/Tokyo", key_format="%Hh", run_offset=-1), match=Match.PARTITION
    )

    assert partition_of(gate, RunInfo(NOON, None)) == "20h"


def test_a_deadline_is_counted_from_the_tick() -> None:
    assert new_slot("d", GATE, INFO).deadline_at is None
    assert new_slot("d", replace(GATE, deadline=Delta.of(HOUR)), INFO).deadline_at == NOON + HOUR


@pytest.mark.parametrize(
    ("policy", "move"),
    [
        (OnDeadline.RUN, SlotMove.RUN_LATE),
        (OnDeadline.SKIP, SlotMove.EXPIRE),
        (OnDeadline.FAIL, SlotMove.FAIL),
        (OnDeadline.ALERT, SlotMove.ALERT),
    ],
)
def test_what_a_deadline_brings_is_the_policy_of_the_gate(policy: OnDeadline, move: SlotMove) -> None:
    gate = replace(GATE, on_deadline=policy)
    slot = waiting(0, deadline_at=NOON)

    assert move_of(gate, slot, NOON, is_satisfied=False) is move
    assert move_of(gate, slot, NOON - HOUR, is_satisfied=False) is SlotMove.WAIT
    assert move_of(gate, slot, NOON, is_satisfied=True) is SlotMove.OPEN
    assert move_of(gate, waiting(0), NOON, is_satisfied=False) is SlotMove.WAIT


def test_a_deadline_that_is_not_sooner_than_the_next_tick_brings_nothing() -> None:
    slot = waiting(0, deadline_at=NOON + HOUR)
    later = NOON + 9 * HOUR

    assert move_of(GATE, slot, later, is_satisfied=False, ends_at=NOON + HOUR) is SlotMove.WAIT
    assert move_of(GATE, slot, later, is_satisfied=False, ends_at=NOON + 2 * HOUR) is SlotMove.RUN_LATE
    assert move_of(GATE, slot, later, is_satisfied=True, ends_at=NOON + HOUR) is SlotMove.OPEN


def test_a_turn_ends_with_the_next_tick_of_the_timetable() -> None:
    dag = Dag("d", tasks=(), timetable=GATE, catchup=False)

    assert turn_end(dag, INFO, None) == NOON + HOUR
    assert turn_end(dag, INFO, NOON) == NOON + HOUR
    assert turn_end(dag, INFO, NOON + HOUR / 2) == NOON + HOUR / 2
    assert turn_end(dag, INFO, NOON + 5 * HOUR) == NOON + HOUR
    assert turn_end(replace(dag, end_at=NOON - HOUR / 2), INFO, None) is None
    assert turn_end(replace(dag, catchup=True), INFO, NOON + 5 * HOUR) is None


def test_updates_from_the_next_tick_on_are_not_for_this_one() -> None:
    shortly = timedelta(microseconds=1)
    in_interval = replace(GATE, match=Match.IN_INTERVAL)

    assert event_window(GATE, INFO, None, NOON + HOUR) == EventWindow(before=NOON + HOUR - shortly)
    assert event_window(in_interval, INFO, None, NOON + HOUR) == EventWindow(NOON - HOUR, NOON - shortly)
    assert event_window(in_interval, INFO, None, NOON - HOUR / 2).before == NOON - HOUR / 2 - shortly


@pytest.mark.parametrize(
    ("match", "in_order"),
    [(Match.ANY, True), (Match.SINCE_LAST_RUN, True), (Match.IN_INTERVAL, False), (Match.PARTITION, False)],
)
def test_ticks_open_in_order_where_later_ones_have_no_updates_of_their_own(match: Match, in_order: bool) -> None:
    assert opens_in_order(replace(GATE, match=match), catchup=True) is in_order
    assert not opens_in_order(replace(GATE, match=match), catchup=False)


def test_slots_whose_turn_is_over_are_superseded() -> None:
    ends = (NOON, NOON + HOUR, NOON + 2 * HOUR, None)
    turns = [Turn(waiting(number), EVERYTHING, ends_at) for number, ends_at in enumerate(ends)]

    assert superseded(turns, NOON + HOUR) == [waiting(0), waiting(1)]
