"""What a look at ticks that wait for assets costs does not grow with how many wait (B9, C4)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.component.test_asset_and_time import gated, slots, update_at
from tests.component.test_assets_start_runs import A, update
from tests.component.test_firing_cost import counted
from tests.component.world import World
from tradewind.model.slot_policy import Match, OnDeadline, SlotState
from tradewind.model.timetable import CronTrigger, Delta
from tradewind.operations.waiting_slots import waiting_slots

MINUTE = 60
EACH_MINUTE = CronTrigger("* * * * *", interval=Delta.of(timedelta(minutes=1)))
MATCHES = [
    pytest.param({}, id="any"),
    pytest.param({"match": Match.SINCE_LAST_RUN}, id="since last run"),
    pytest.param({"fresh_within": Delta.of(timedelta(seconds=20))}, id="fresh"),
    pytest.param({"match": Match.IN_INTERVAL}, id="in interval"),
    pytest.param({"match": Match.PARTITION, "key_format": "%Y-%m-%dT%H:%M"}, id="partition"),
]


def waiting_minutes(world: World, **gate: Any) -> None:
    """A DAG with a tick each minute that catches up."""
    gated(world, inner=EACH_MINUTE, catchup=True, **gate)
    world.scheduler()
    world.settle()


def cost(world: World, work: Callable[[], object]) -> int:
    """In statements, of what the schedulers have to do then."""
    with counted(world) as statements:
        work()
        world.settle()
    return len(statements)


def let_wait(world: World, count: int) -> None:
    """Until so many ticks wait."""
    world.pass_time((count - len(slots(world))) * MINUTE)
    assert [state for _, state in slots(world)] == [SlotState.WAITING] * count


@pytest.mark.parametrize("gate", MATCHES)
def test_a_tick_costs_no_more_where_many_wait(world: World, gate: dict[str, Any]) -> None:
    waiting_minutes(world, **gate)

    let_wait(world, 200)
    few = cost(world, lambda: world.clock.advance(MINUTE))
    let_wait(world, 1_200)
    many = cost(world, lambda: world.clock.advance(MINUTE))

    assert many == few, (few, many)


@pytest.mark.parametrize("gate", MATCHES[2:])
def test_an_update_costs_hardly_more_where_many_wait(world: World, gate: dict[str, Any]) -> None:
    waiting_minutes(world, **gate)
    long_ago = world.clock.now() - timedelta(days=9)

    def come() -> None:
        """For none of them."""
        update_at(world, long_ago, "another" if gate.get("match") is Match.PARTITION else None)

    let_wait(world, 200)
    few = cost(world, come)
    let_wait(world, 1_200)
    many = cost(world, come)

    assert many - few <= 4, (few, many)


def test_many_ticks_that_have_come_are_noted_at_once(world: World) -> None:
    waiting_minutes(world)

    statements = cost(world, lambda: world.clock.advance(1_000 * MINUTE))

    assert len(slots(world)) == 1_000
    assert statements < 300, statements


def test_an_update_opens_the_first_of_many_ticks(world: World) -> None:
    waiting_minutes(world)
    let_wait(world, 300)

    for _ in range(2):
        update(world, A)
        world.settle()

    assert [state for _, state in slots(world)][:3] == [SlotState.OPEN, SlotState.OPEN, SlotState.WAITING]


@pytest.mark.parametrize("policy", [OnDeadline.SKIP, OnDeadline.ALERT])
def test_all_deadlines_of_many_ticks_are_dealt_with(world: World, policy: OnDeadline) -> None:
    waiting_minutes(world, deadline=Delta.of(timedelta(minutes=5)), on_deadline=policy)

    world.pass_time(100 * MINUTE)
    world.pass_time(MINUTE)

    with world.database.begin() as tx:
        assert tx.slots.overdue(world.clock.now(), 10) == []
    states = [state for _, state in slots(world)]
    assert states.count(SlotState.EXPIRED) == (96 if policy is OnDeadline.SKIP else 0)
    assert len(states) == 101


@pytest.mark.parametrize("gate", MATCHES)
def test_what_many_ticks_wait_for_is_told_at_once(world: World, gate: dict[str, Any]) -> None:
    waiting_minutes(world, **gate)
    let_wait(world, 200)

    with world.database.begin() as tx, counted(world) as statements:
        found = waiting_slots(tx, "report", world.structures)

    assert {each.missing for each in found} == {"a"}
    assert len(statements) < 12, statements
