"""Partitions of assets start runs, each key its own (C2, C3)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.component.test_assets_start_runs import A, B, consumed, update
from tests.component.world import World
from tests.instants import utc
from tradewind.model.asset import AllAssets, AssetExpression, AssetRef
from tradewind.model.backfill import ReprocessBehavior
from tradewind.model.dag import Dag, Task
from tradewind.model.partition import (
    SAME_KEY,
    FanOut,
    FixedKey,
    Mapper,
    Period,
    PeriodWindow,
    RollUp,
    SegmentWindow,
    StartOfPeriod,
    WaitForCount,
)
from tradewind.model.states import RunState, RunType
from tradewind.model.timetable import (
    AssetAndTime,
    AssetMapper,
    AssetOrTime,
    AssetTriggered,
    CronPartition,
    PartitionedAssets,
    Timetable,
)
from tradewind.operations.explain import why_no_next_run
from tradewind.operations.foresee_runs import foresee_runs
from tradewind.operations.plan_backfill import BackfillRequest, plan_backfill, runs_to_make
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.operations.simulate_dag import SimulationRequest, simulate_dag
from tradewind.operations.start_backfill import start_backfill
from tradewind.storage.interface.shared_stores import NewAssetEvent
from tradewind.telemetry.events import PartitionRefused

DAY = StartOfPeriod(Period.DAY, "%Y-%m-%d")
SIDES = ("north", "south", "west")


def consumer(
    world: World,
    condition: AssetExpression = A,
    *,
    default: Mapper = SAME_KEY,
    mappers: dict[AssetRef, Mapper] | None = None,
    timetable: Timetable | None = None,
    dag_id: str = "report",
    **options: object,
) -> None:
    """A DAG that waits for partitions, and one that declares the assets."""
    world.dag(Task("source", outlets=(A, B)), dag_id="producer")
    named = tuple(AssetMapper(asset, mapper) for asset, mapper in (mappers or {}).items())
    wanted = PartitionedAssets(named, default) if timetable is None else timetable
    world.publish(Dag(dag_id, tasks=(Task("work"),), timetable=wanted, assets=condition, **options))  # type: ignore[arg-type]


def arrive(world: World, asset: AssetRef, *keys: str | None) -> list[int]:
    """Partitions of an asset are updated, in one transaction."""
    with world.database.begin() as tx:
        (record,) = tx.assets.named([str(asset.name)], [])
        events = [NewAssetEvent(asset_key=record.key, partition_key=key) for key in keys]
        return add_asset_events(tx, events, world.clock.now())


def partitions(world: World, dag_id: str = "report") -> list[str | None]:
    """Of the runs, in the order in which they were made."""
    return [run.partition_key for run in sorted(world.runs(dag_id), key=lambda run: run.key)]


def explained(world: World) -> list[str]:
    with world.database.begin() as tx:
        return [each.text for each in why_no_next_run(tx, "report", world.structures, world.clock.now())]


def test_each_partition_gets_a_run_of_its_own(any_world: World) -> None:
    """C2, C3: also where the key was there before, since its data is new."""
    consumer(any_world)
    any_world.scheduler()
    any_world.settle()

    first = arrive(any_world, A, "north", "south")
    second = arrive(any_world, A, "north")
    any_world.settle()

    assert partitions(any_world) == ["north", "north", "south"]
    assert sorted(consumed(any_world)) == sorted([[event] for event in first + second])
    run = any_world.runs("report")[0]
    assert (run.run_type, run.logical_date, run.partition_date) == (RunType.ASSET_TRIGGERED, None, None)
    any_world.settle()
    assert len(any_world.runs("report")) == 3


def test_partitions_start_no_run_of_who_knows_none_and_the_reverse(world: World) -> None:
    """C2, C3: as in Airflow."""
    consumer(world)
    world.publish(Dag("plain", tasks=(Task("work"),), timetable=AssetTriggered(), assets=A))
    world.scheduler()
    world.settle()

    arrive(world, A, "north")
    update(world, A)
    world.settle()

    assert partitions(world) == ["north"]
    assert partitions(world, "plain") == [None]


def test_all_assets_have_to_have_the_partition(any_world: World) -> None:
    """C3."""
    consumer(any_world, AllAssets((A, B)), mappers={A: DAY})
    any_world.scheduler()
    any_world.settle()

    (five, _, six) = arrive(any_world, A, "2026-01-01T05:00:00", "2026-01-02T05:00:00", "2026-01-01T06:00:00")
    any_world.settle()
    assert partitions(any_world) == []
    assert explained(any_world) == [f"partition 2026-01-0{day} waits for an update of b" for day in (1, 2)]

    (last,) = arrive(any_world, B, "2026-01-01")
    any_world.settle()
    (run,) = any_world.runs("report")
    assert (run.partition_key, run.partition_date) == ("2026-01-01", utc("2026-01-01 00:00"))
    assert consumed(any_world) == [[five, six, last]]


def test_updates_of_partitions_that_no_scheduler_has_handed_out_are_named(any_world: World) -> None:
    """C2: which partitions they count for, only who hands them out finds out."""
    consumer(any_world, AllAssets((A, B)), mappers={A: DAY})
    assert explained(any_world) == ["the DAG waits for an update of a & b"]

    arrive(any_world, A, "2026-01-01T05:00:00", "2026-01-02T05:00:00")

    assert explained(any_world) == ["updates of a wait for a scheduler to hand them out"]


def test_a_roll_up_opens_when_the_last_key_of_its_window_is_there(any_world: World) -> None:
    """C3: in whatever order, and twice the same is once."""
    consumer(any_world, default=RollUp(DAY, PeriodWindow(Period.DAY)))
    any_world.scheduler()
    any_world.settle()
    hours = [f"2026-01-01T{hour:02}:00:00" for hour in range(24)]

    arrive(any_world, A, *reversed(hours[1:]), hours[5])
    any_world.settle()
    assert partitions(any_world) == []
    assert explained(any_world) == ["partition 2026-01-01 waits for 1 key of a: 2026-01-01T00:00:00"]

    arrive(any_world, A, hours[0])
    any_world.settle()
    (run,) = any_world.runs("report")
    assert (run.partition_key, run.partition_date) == ("2026-01-01", utc("2026-01-01 00:00"))
    assert len(consumed(any_world)[0]) == 25

    arrive(any_world, A, hours[7])
    any_world.settle()
    assert len(any_world.runs("report")) == 1  # a window that begins anew


def test_a_roll_up_lets_as_many_keys_be_missing_as_its_policy_says(world: World) -> None:
    """C3."""
    consumer(world, default=RollUp(FixedKey("all"), SegmentWindow(SIDES), WaitForCount(-1)))
    world.scheduler()
    world.settle()

    arrive(world, A, "north")
    world.settle()
    assert partitions(world) == []

    arrive(world, A, "west")
    world.settle()
    assert partitions(world) == ["all"]


def test_a_fan_out_makes_a_run_for_each_part(any_world: World) -> None:
    """C3."""
    week = StartOfPeriod(Period.WEEK, "%Y-%m-%d (W%V)", input_format="%Y-%m-%d")
    consumer(any_world, default=FanOut(week, PeriodWindow(Period.WEEK), DAY), max_active_runs=7)
    any_world.scheduler()
    any_world.settle()

    (event,) = arrive(any_world, A, "2026-01-07")
    any_world.settle()

    assert sorted(map(str, partitions(any_world))) == [f"2026-01-{day:02}" for day in range(5, 12)]
    assert consumed(any_world) == [[event]] * 7


def test_a_key_that_no_mapper_takes_is_told_and_holds_up_nobody(world: World) -> None:
    """C3: bad input."""
    consumer(world, default=DAY)
    world.scheduler()
    world.settle()

    (bad, _) = arrive(world, A, "yesterday", "2026-01-01T00:00:00")
    world.settle()

    assert partitions(world) == ["2026-01-01"]
    (refused,) = [event for event in world.events if isinstance(event, PartitionRefused)]
    assert (refused.dag_id, refused.event_key, refused.partition_key) == ("report", bad, "yesterday")
    assert "%Y-%m-%dT%H:%M:%S" in refused.reason


def test_a_fan_out_of_too_many_keys_is_refused(world: World) -> None:
    """C3: bad input."""
    week = StartOfPeriod(Period.WEEK, "%Y-%m-%d (W%V)", input_format="%Y-%m-%d")
    consumer(world, default=FanOut(week, PeriodWindow(Period.WEEK), DAY))
    world.scheduler(partition_mapper_max_downstream_keys=6)
    world.settle()

    arrive(world, A, "2026-01-07")
    world.settle()

    assert partitions(world) == []
    assert [event.reason for event in world.events if isinstance(event, PartitionRefused)] == [
        "the partition key '2026-01-07' makes 7 keys; 6 are allowed"
    ]


def test_partitions_wait_for_a_place_and_are_mapped_anew_for_another_schedule(any_world: World) -> None:
    """C3: what waited counts for what the new mapper says."""
    consumer(any_world, default=RollUp(DAY, PeriodWindow(Period.DAY)))
    any_world.scheduler()
    any_world.settle()
    events = arrive(any_world, A, "2026-01-01T05:00:00", "2026-01-02T05:00:00")
    any_world.settle()
    assert partitions(any_world) == []

    consumer(any_world, default=StartOfPeriod(Period.MONTH, "%Y-%m"), max_active_runs=1)
    any_world.settle()

    assert partitions(any_world) == ["2026-01", "2026-01"]
    assert consumed(any_world) == [[event] for event in events]


def test_a_roll_up_that_waits_for_more_keys_than_its_window_has_says_that_they_never_come(world: World) -> None:
    """B6, C2: of a month that is too short, or of a DAG from before such a schedule was refused."""
    month = StartOfPeriod(Period.MONTH, "%Y-%m")
    consumer(world, default=RollUp(month, PeriodWindow(Period.MONTH), WaitForCount(31)))
    world.scheduler()
    world.settle()

    arrive(world, A, "2026-02-01T00:00:00", "2026-03-01T00:00:00")
    world.settle()

    february, march = explained(world)
    assert february == "partition 2026-02 waits for 31 keys of a, which never come: its window has 28"
    assert march.startswith("partition 2026-03 waits for 30 keys of a: 2026-03-02T00:00:00, ")


def test_a_timetable_of_partitions_names_the_partition_of_each_run(any_world: World) -> None:
    """C1, C3: on the clock of its zone, one tick before the run, without a logical date."""
    consumer(any_world)
    any_world.publish(
        Dag(
            "producer",
            tasks=(Task("source", outlets=(A, B)),),
            timetable=CronPartition("0 * * * *", "Europe/Berlin", run_offset=-1),
            start_at=utc("2026-01-01 00:00"),
            catchup=True,
        )
    )
    any_world.scheduler()
    any_world.settle()

    any_world.pass_time(3600)
    any_world.settle()

    made = [(run.partition_key, run.partition_date, run.run_after) for run in any_world.runs("producer")]
    assert sorted(made) == [
        ("2026-01-01T00:00:00", utc("2025-12-31 23:00"), utc("2026-01-01 00:00")),
        ("2026-01-01T01:00:00", utc("2026-01-01 00:00"), utc("2026-01-01 01:00")),
    ]
    assert {run.logical_date for run in any_world.runs("producer")} == {None}


@pytest.mark.parametrize("kind", [AssetOrTime, AssetAndTime])
def test_a_timetable_of_partitions_beside_assets_names_the_partition_of_each_run(
    any_world: World, kind: type[AssetOrTime | AssetAndTime]
) -> None:
    """C1, C3, C4: as it does without them; Airflow knows no key of these runs."""
    hours = kind(CronPartition("0 * * * *", "Europe/Berlin", run_offset=-1))
    consumer(any_world, timetable=hours, start_at=utc("2026-01-01 00:30"))
    any_world.scheduler()
    any_world.settle()
    with any_world.database.begin() as tx:
        foreseen = foresee_runs(tx, "report", any_world.structures, any_world.clock.now(), count=1)

    any_world.pass_time(3600)
    update(any_world, A)
    any_world.settle()

    (run,) = (run for run in any_world.runs("report") if run.run_type is RunType.SCHEDULED)
    assert (run.partition_key, run.partition_date) == ("2026-01-01T01:00:00", utc("2026-01-01 00:00"))
    assert (run.run_after, run.logical_date, run.data_interval) == (utc("2026-01-01 01:00"), None, None)
    assert [partition and partition.key for partition in foreseen.partitions] == ["2026-01-01T01:00:00"]


def test_partitions_of_a_timetable_beside_assets_are_run_by_hand_and_backfilled(any_world: World) -> None:
    """C3, C6."""
    daily = AssetOrTime(DAILY)
    any_world.publish(
        Dag("daily", tasks=(Task("source"),), timetable=daily, assets=A, start_at=utc("2026-02-01"), max_active_runs=9)
    )
    any_world.scheduler()

    any_world.trigger("daily", partition_key="2025-12-24")
    assert backfilled(any_world) == ["2025-12-10", "2025-12-11", "2025-12-12"]
    any_world.settle()

    *backfill, by_hand = any_world.runs("daily")
    assert (by_hand.partition_key, by_hand.partition_date) == ("2025-12-24", utc("2025-12-23 15:00"))
    assert [run.partition_key for run in backfill] == ["2025-12-10", "2025-12-11", "2025-12-12"]
    assert {run.state for run in any_world.runs("daily")} == {RunState.SUCCESS}


def test_partitions_to_come_are_foreseen(world: World) -> None:
    """B6, C1."""
    timetable = CronPartition("0 0 * * *", key_format="%Y-%m-%d")
    world.publish(Dag("daily", tasks=(Task("work"),), timetable=timetable, start_at=utc("2026-01-02")))

    with world.database.begin() as tx:
        foreseen = foresee_runs(tx, "daily", world.structures, world.clock.now(), count=2)

    assert [partition and partition.key for partition in foreseen.partitions] == ["2026-01-02", "2026-01-03"]


DAILY = CronPartition("0 0 * * *", "Asia/Tokyo", run_offset=-1, key_format="%Y-%m-%d")


def backfilled(world: World, **values: Any) -> list[str | None]:
    """Three partitions are asked for. Returns which of them a dry run has named."""
    request = BackfillRequest("daily", utc("2025-12-10"), utc("2025-12-12"), **values)
    plan = world.database.read(lambda tx: plan_backfill(tx, request, world.structures, world.clock.now()))
    named = world.database.read(lambda tx: [each.partition_key for each in runs_to_make(tx, plan, world.structures)])
    with world.database.begin() as tx:
        start_backfill(tx, plan, world.structures, world.clock.now())
    return named


def test_partitions_are_backfilled(any_world: World) -> None:
    """C6: by their dates on the clock of the timetable; what they update is their partition."""
    any_world.publish(Dag("daily", tasks=(Task("source", outlets=(A,)),), timetable=DAILY, start_at=utc("2026-02-01")))
    any_world.publish(Dag("report", tasks=(Task("work"),), timetable=PartitionedAssets(), assets=A))
    any_world.scheduler()

    assert backfilled(any_world) == ["2025-12-10", "2025-12-11", "2025-12-12"]
    any_world.settle()

    first = any_world.runs("daily")[0]
    assert first.run_id.startswith("backfill__2025-12-09T15:00:00+00:00__2025-12-10__")
    assert (first.run_type, first.state, first.logical_date) == (RunType.BACKFILL, RunState.SUCCESS, None)
    assert (first.partition_key, first.partition_date) == ("2025-12-10", utc("2025-12-09 15:00"))
    assert partitions(any_world, "daily") == ["2025-12-10", "2025-12-11", "2025-12-12"]


@pytest.mark.parametrize(
    ("reprocess", "made"),
    [
        (ReprocessBehavior.NONE, ["2025-12-11", "2025-12-10"]),
        (ReprocessBehavior.FAILED, ["2025-12-11", "2025-12-10"]),
        (ReprocessBehavior.COMPLETED, ["2025-12-12", "2025-12-11", "2025-12-10"]),
    ],
)
def test_a_partition_that_has_its_run_is_passed_over_or_gets_another(
    world: World, reprocess: ReprocessBehavior, made: list[str]
) -> None:
    """C6: as in Airflow, the run that there was is kept as it is; also where keys were written otherwise then."""
    other = replace(DAILY, key_format="%d.%m.%Y")
    world.publish(Dag("daily", tasks=(Task("work"),), timetable=other, start_at=utc("2026-02-01")))
    world.scheduler()
    world.trigger("daily", run_id="by_hand", partition_key="12.12.2025")
    world.settle()
    world.publish(Dag("daily", tasks=(Task("work"),), timetable=DAILY, start_at=utc("2026-02-01")))

    assert backfilled(world, run_backwards=True, reprocess_behavior=reprocess) == made
    world.settle()

    assert sorted(map(str, partitions(world, "daily"))) == ["12.12.2025", *sorted(made)]


def test_partitions_are_simulated(world: World) -> None:
    """C1: also with another schedule in place of the DAG's own."""
    world.publish(Dag("daily", tasks=(Task("work"),), timetable=DAILY, start_at=utc("2026-01-02")))
    wanted = SimulationRequest("daily", utc("2026-01-02"), utc("2026-01-12"))

    def keys(request: SimulationRequest) -> list[str | None]:
        with world.database.begin() as tx:
            found = simulate_dag(tx, request, world.structures, world.clock.now()).runs
        return [each.partition and each.partition.key for each in found][:2]

    assert keys(wanted) == ["2026-01-02", "2026-01-03"]
    assert keys(replace(wanted, schedule="0 0 * * 1")) == ["2025-12-29", "2026-01-05"]
