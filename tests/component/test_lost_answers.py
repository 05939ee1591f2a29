"""A commit whose answer is lost, and clocks that differ, cost no event (E1, E6)."""

import json

import pytest
import sqlalchemy as sa

from tests.component.test_triggers import CIPHER, Waiting
from tests.component.world import PatientExecutor, World, fails
from tradewind.model.dag import Retry, Task
from tradewind.model.exchange import Exchange
from tradewind.model.ids import JobKey
from tradewind.model.task import WorkItem
from tradewind.model.trigger import Happened
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.claim_triggers import claim_triggers, free_unheard_claims
from tradewind.storage.interface.kept_stores import XComValue
from tradewind.storage.schema import dag_version


def test_a_trigger_whose_claim_was_not_heard_of_is_claimed_again(any_world: World) -> None:
    """E1: its triggerer lives, so nobody else would ever take it."""
    waiting = Waiting(any_world)
    job, now = JobKey(1), any_world.clock.now()
    trigger = waiting.claim(job)
    with any_world.database.begin() as tx:
        free_unheard_claims(tx, job, [trigger])
        assert claim_triggers(tx, job, 5, now) == []

        free_unheard_claims(tx, JobKey(2), [])
        assert claim_triggers(tx, job, 5, now) == []

        free_unheard_claims(tx, job, [])
        assert [each.key for each in claim_triggers(tx, job, 5, now)] == [trigger]


@pytest.mark.parametrize("behind_s", [-60, 60])
def test_a_task_goes_on_with_its_event_where_clocks_differ(world: World, behind_s: int) -> None:
    """E1: the worker that goes on may be on a machine whose clock is behind that of the one that deferred."""
    waiting = Waiting(world)
    with world.database.engine.begin() as connection:
        connection.execute(sa.update(dag_version).values(bundle_name="files", path="sales.py"))
    assert waiting.fire(Happened("ding"), trigger=waiting.claim())
    world.pass_time(1)
    item = WorkItem(waiting.executor.attempt("a"), "sales", "default", 1, 1)

    world.clock.jump(-behind_s)
    beginner = Beginner(world.structures, hostname="elsewhere", pid=1)
    engine = StoredEngine(world.database, world.clock, beginner, CIPHER, longest_delay_s=60)
    (order,) = engine.exchange(Exchange(begins=[item])).orders

    assert order.assignment.next_method == "go_on"
    assert json.loads(order.assignment.next_kwargs or "") == {"kept": 1, "event": "ding"}


def test_a_new_try_whose_begin_was_not_heard_of_still_clears_what_the_last_one_left(world: World) -> None:
    """E1, D6: the second answer says the same as the first, which was lost."""
    world.dag(Task("a", retry=Retry(retries=1, delay_s=60.0)))
    with world.database.engine.begin() as connection:
        connection.execute(sa.update(dag_version).values(bundle_name="files", path="sales.py"))
    world.trigger()
    executor = PatientExecutor(world.clock, starts=False)
    world.scheduler(executor)
    world.settle()
    beginner = Beginner(world.structures, hostname="here", pid=1)
    engine = StoredEngine(world.database, world.clock, beginner, CIPHER, longest_delay_s=60)
    engine.begin_life(None)

    def begin() -> list[tuple[str, ...]]:
        item = WorkItem(executor.attempt("a"), "sales", "default", 1, 1)
        return [order.assignment.xcoms_to_clear for order in engine.exchange(Exchange(begins=[item])).orders]

    assert begin() == [()]
    with world.database.begin() as tx:
        tx.xcoms.put([XComValue(executor.attempt("a").task, "left", 1)], world.clock.now())
    executor.end(ending=fails())
    world.settle()
    world.pass_time(60)

    first = begin()
    world.clock.advance(3)
    assert [first, begin()] == [[("left",)], [("left",)]]
