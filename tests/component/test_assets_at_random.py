"""Random updates, partitions, ticks, pauses, files read: the same runs with one scheduler and with three (C2, C4)."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.component.test_assets_start_runs import A, B, update
from tests.component.test_partitions import arrive
from tests.component.world import World
from tests.instants import utc
from tests.tables import make_tables
from tradewind.model.asset import AllAssets, AnyAsset
from tradewind.model.dag import Dag, Task
from tradewind.model.partition import SAME_KEY, FanOut, FixedKey, RollUp, SegmentWindow, WaitForCount
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.model.slot_policy import OnDeadline
from tradewind.model.states import RunType
from tradewind.model.timetable import AssetAndTime, AssetOrTime, AssetTriggered, CronTrigger, Delta, PartitionedAssets
from tradewind.storage.database import Database
from tradewind.storage.heard import heard
from tradewind.storage.schema import schedule_slot
from tradewind.telemetry.events import Event
from tradewind.telemetry.hub import Hub
from tradewind.testing.clock import FakeClock

Step = tuple[str, int]
Outcome = tuple[list[tuple[str, tuple[int, ...]]], list[tuple[object, str]]]
"""The runs with the updates that they consumed, and the slots with their states."""

SIDES = RollUp(FixedKey("all"), SegmentWindow(("north 0", "north 1", "south 2")), WaitForCount(2))
HALVES = FanOut(SAME_KEY, SegmentWindow(("first", "second")), SAME_KEY)

steps = st.lists(
    st.one_of(
        st.tuples(st.just("a"), st.integers(1, 2)),
        st.tuples(st.just("b"), st.integers(1, 2)),
        st.tuples(st.just("partition of a"), st.integers(0, 5)),
        st.tuples(st.just("partition of b"), st.integers(0, 5)),
        st.tuples(st.just("time"), st.sampled_from([60, 1200, 3600])),
        st.tuples(st.just("pause"), st.integers(0, 1)),
        st.tuples(st.just("read"), st.integers(0, 9)),
    ),
    max_size=14,
)
dags = st.builds(
    Dag,
    st.just("report"),
    tasks=st.just((Task("work"),)),
    timetable=st.one_of(
        st.just(AssetTriggered()),
        st.just(AssetOrTime(CronTrigger("0 * * * *"))),
        st.builds(PartitionedAssets, st.just(()), st.sampled_from([SAME_KEY, SIDES, HALVES])),
        st.builds(
            AssetAndTime,
            st.just(CronTrigger("0 * * * *")),
            deadline=st.sampled_from([None, Delta.of(timedelta(minutes=20))]),
            on_deadline=st.sampled_from(OnDeadline),
        ),
    ),
    assets=st.sampled_from([A, AnyAsset((A, B)), AllAssets((A, B))]),
    start_at=st.just(utc("2026-01-01T00:00:01")),
    catchup=st.booleans(),
)


def lived_through(dag: Dag, story: list[Step], schedulers: int) -> Outcome:
    """The story in a world of its own, with so many schedulers."""
    events: list[Event] = []
    database = Database("sqlite://", hub=Hub(events.append))
    make_tables(database)
    world = World(database, FakeClock(), events)
    try:
        with database.begin() as tx:
            tx.pools.create(Pool(DEFAULT_POOL, 128))
        world.dag(Task("source", outlets=(A, B)), dag_id="producer")
        world.publish(dag)
        for _ in range(schedulers):
            world.scheduler()
        world.settle()
        for what, amount in (*story, ("pause", 0), ("time", 60)):
            _live(world, dag, what, amount)
        return _outcome(world)
    finally:
        database.close()


def _live(world: World, dag: Dag, what: str, amount: int) -> None:
    match what:
        case "time":
            world.pass_time(amount)
        case "pause":
            world.pause("report", is_paused=bool(amount))
        case "read":
            world.publish(replace(dag, description=f"{amount}"))
        case "partition of a" | "partition of b":
            arrive(world, A if what.endswith("a") else B, f"{'north' if amount % 2 else 'south'} {amount // 2}")
        case _:
            update(world, *[A if what == "a" else B] * amount)
    world.settle()


def _outcome(world: World) -> Outcome:
    with world.database.engine.begin() as connection:
        deliveries = connection.execute(heard.select()).all()
        slots = connection.execute(schedule_slot.select().order_by(schedule_slot.c.run_after)).all()
    runs = [
        (run.run_id, tuple(sorted(row.event_key for row in deliveries if row.run_key == run.key)))
        for run in world.runs("report")
    ]
    # Who fans out has one update start a run for each of several partitions, and each of these once.
    consumed: list[tuple[str | None, int]] = []
    for run in world.runs("report"):
        taken = [row.event_key for row in deliveries if row.run_key == run.key]
        assert taken or run.run_type is not RunType.ASSET_TRIGGERED
        consumed += [(run.partition_key, event_key) for event_key in taken]
    assert len(consumed) == len(set(consumed))
    with_run = [row.run_key for row in slots if row.run_key is not None]
    assert len(with_run) == len(set(with_run))
    assert all(row.run_key is not None for row in slots if row.state == "open")
    assert not slots or len(runs) == len(with_run) <= len(slots)
    return sorted(runs), [(row.run_after, row.state) for row in slots]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(dag=dags, story=steps)
def test_the_outcome_does_not_depend_on_the_number_of_schedulers(dag: Dag, story: list[Step]) -> None:
    """C2, C4: each update once, an open slot has its run, no more runs than slots."""
    assert lived_through(dag, story, 1) == lived_through(dag, story, 3)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(dag=dags, story=steps)
def test_the_outcome_does_not_depend_on_when_files_are_read(dag: Dag, story: list[Step]) -> None:
    """C4."""
    unread = [step for step in story if step[0] != "read"]

    assert lived_through(dag, story, 1) == lived_through(dag, unread, 1)
