"""That services begin and stop is written down for listeners of plugins, where one wants to hear of it (D2)."""

import pytest

from tests.component.world import World
from tradewind.model.ids import JobKey
from tradewind.model.listener_news import Hook
from tradewind.operations.claim_triggers import TRIGGERER_KIND, leave_triggers
from tradewind.operations.spread_news import spread_start


def listen(world: World, *hooks: Hook) -> None:
    with world.database.begin() as tx:
        tx.bundles.sync(["dags"])
        tx.bundles.set_hooks("dags", hooks)


def written(world: World) -> list[tuple[str, object]]:
    """Of what, and of which kind of service."""
    now = world.clock.now()
    with world.database.begin() as tx:
        taken = tx.news.claim(tuple(Hook), 100, JobKey(99), now=now, until=now)
        return [(each.news.hook.value, each.news.facts["kind"]) for each in taken]


def test_a_scheduler_that_begins_and_stops_is_told_of(any_world: World) -> None:
    listen(any_world, Hook.STARTING, Hook.STOPPING)

    scheduler = any_world.scheduler()
    any_world.settle()
    assert written(any_world) == [("on_starting", "scheduler")]
    scheduler.stop()

    assert written(any_world) == [("on_starting", "scheduler"), ("before_stopping", "scheduler")]


def test_a_triggerer_that_begins_and_stops_is_told_of(any_world: World) -> None:
    listen(any_world, Hook.STARTING, Hook.STOPPING)
    now = any_world.clock.now()

    with any_world.database.begin() as tx:
        job = tx.jobs.start(TRIGGERER_KIND, hostname="here", pid=1, now=now)
        spread_start(tx, job, now)
    with any_world.database.begin() as tx:
        leave_triggers(tx, job, now)

    assert written(any_world) == [("on_starting", "triggerer"), ("before_stopping", "triggerer")]


@pytest.mark.parametrize(("hook", "number"), [(Hook.STARTING, 1), (Hook.STOPPING, 1), (Hook.ASSET_CREATED, 0)])
def test_of_services_nothing_else_is_written_down_than_what_is_wanted(world: World, hook: Hook, number: int) -> None:
    listen(world, hook)

    world.scheduler().stop()

    assert written(world) == [(hook.value, "scheduler")] * number
