"""Whatever happens to DAGs and clocks, in whatever order: no tick is left out and none is doubled (B2, C1)."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.component.world import PatientExecutor, World
from tests.instants import utc
from tradewind.decide.timetables import upcoming
from tradewind.model.clock_changes import ClockChanges, RepeatedTime, SkippedTime
from tradewind.model.dag import Task
from tradewind.model.run import Run
from tradewind.model.timetable import (
    CronDataInterval,
    CronPartition,
    CronTrigger,
    DataInterval,
    Delta,
    DeltaDataInterval,
    DeltaTrigger,
    Events,
    MultipleCronTrigger,
    RunInfo,
    TimeRestriction,
    Timetable,
)

SPRING, AUTUMN = utc("2026-03-29 01:00"), utc("2026-10-25 01:00")
"""When clocks are put forward and back in Berlin; in Lord Howe that is some days later and earlier."""
BERLIN = "Europe/Berlin"
OMITS = ClockChanges(SkippedTime.OMIT, RepeatedTime.FIRST)


def schedules(change: datetime) -> list[Timetable]:
    return [
        CronTrigger("30 */2 * * *", BERLIN),
        CronTrigger("0 * * * *", BERLIN),
        CronDataInterval("*/45 1-3 * * *", BERLIN),
        CronDataInterval("15 */3 * * *", "Australia/Lord_Howe"),
        CronTrigger("30 2 * * *", BERLIN, clock_changes=OMITS),
        MultipleCronTrigger(("0 2 * * *", "30 */5 * * *"), BERLIN),
        DeltaTrigger(Delta(seconds=5_000)),
        DeltaDataInterval(Delta(seconds=7_201)),
        Events(tuple(change + timedelta(minutes=97 * number) for number in range(-20, 40))),
        CronPartition("*/50 * * * *", BERLIN, run_offset=-1),
    ]


class Life:
    """DAGs of one kind of catchup, and all that happens to them."""

    def __init__(self, world: World, dice: random.Random, *, catchup: bool, change: datetime) -> None:
        self.world = world
        self.dice = dice
        self.catchup = catchup
        self.start = change - timedelta(hours=dice.randint(1, 40), minutes=dice.randint(0, 59))
        self.versions = 0
        self.dags = {f"dag{number}": timetable for number, timetable in enumerate(schedules(change))}
        self.ends: dict[str, datetime | None] = {
            dag_id: self.start + timedelta(minutes=dice.randint(0, 4_000)) if dice.randint(0, 1) else None
            for dag_id in self.dags
        }

    def publish(self, dag_id: str, *, version: int) -> None:
        dates: dict[str, Any] = {"start_at": self.start, "end_at": self.ends[dag_id]}
        values: dict[str, Any] = {**dates, "catchup": self.catchup, "max_active_runs": 3}
        self.world.dag(Task(f"a{version}"), dag_id=dag_id, timetable=self.dags[dag_id], **values)

    def live(self, steps: int) -> None:
        for dag_id in self.dags:
            self.publish(dag_id, version=0)
        for _ in range(steps):
            self.happen()
            self.world.settle()
        for dag_id in self.dags:
            self.world.pause(dag_id, is_paused=False)
        for _ in range(60):  # until all that is due is made, within the limits of each pass
            self.world.pass_time(2.0)

    def happen(self) -> None:
        dag_id = self.dice.choice(sorted(self.dags))
        match self.dice.randint(0, 6):
            case 0:
                self.world.pause(dag_id)
            case 1:
                self.world.pause(dag_id, is_paused=False)
            case 2:
                self.publish(dag_id, version=0)  # it is read again, and says the same
            case 3:
                self.versions += 1
                self.publish(dag_id, version=self.versions)
            case 4:
                self.world.clock.jump(-self.dice.randint(1, 7_200))  # somebody sets the clock back
            case _:
                self.world.clock.advance(self.dice.choice((30, 600, 3_600, 20_000)))

    def ticks(self, dag_id: str) -> Iterator[DataInterval]:
        """All that the schedule names, one after the other."""
        every = TimeRestriction(self.start, self.ends[dag_id], catchup=True)
        for run in upcoming(self.dags[dag_id], last=None, restriction=every, now=self.start, count=1_000):
            if run.run_after > self.world.clock.now():
                return
            yield about(run)


def about(run: Run | RunInfo) -> DataInterval:
    """A run for a partition has no interval, and is known by the moment of its tick."""
    return run.data_interval or DataInterval(run.run_after, run.run_after)


def intervals(runs: list[Run]) -> list[DataInterval]:
    return [about(run) for run in runs]


@pytest.mark.parametrize(("seed", "change"), [(0, SPRING), (1, AUTUMN), (2, SPRING)])
def test_with_catchup_every_tick_has_one_run(world: World, seed: int, change: datetime) -> None:
    """B2, C1: over pauses, readings of the file, new versions, end dates, moved clocks, and one that is set back."""
    world.clock.jump((change - timedelta(hours=2) - world.clock.now()).total_seconds())
    life = Life(world, random.Random(seed), catchup=True, change=change)
    for _ in range(1 + seed % 2):
        world.scheduler(max_dagruns_to_create_per_loop=100)

    life.live(60)

    for dag_id, timetable in life.dags.items():
        made, named = intervals(world.runs(dag_id)), list(life.ticks(dag_id))
        # A clock that was set back has not reached again what was made before.
        assert made[: len(named)] == named, (dag_id, timetable)
        assert len(set(made)) == len(made)
        # Their keys are readings of the clock, and two of them are alike when one is shown twice.
        dates = [run.partition_date for run in world.runs(dag_id) if run.partition_key is not None]
        assert len(set(dates)) == len(dates) == (len(made) if isinstance(timetable, CronPartition) else 0)


@pytest.mark.parametrize(("seed", "change"), [(3, SPRING), (4, AUTUMN)])
def test_without_catchup_each_run_is_a_tick_and_none_comes_twice(world: World, seed: int, change: datetime) -> None:
    """B2, C1."""
    world.clock.jump((change - timedelta(hours=2) - world.clock.now()).total_seconds())
    life = Life(world, random.Random(seed), catchup=False, change=change)
    world.scheduler(max_dagruns_to_create_per_loop=100)

    life.live(60)

    for dag_id, timetable in life.dags.items():
        made = intervals(world.runs(dag_id))
        assert made == sorted(set(made), key=lambda each: each.end), (dag_id, timetable)
        if not isinstance(timetable, DeltaTrigger | DeltaDataInterval):  # those count from wherever they are
            world.clock.advance(10 * 86_400)
            assert set(made) <= set(life.ticks(dag_id)), (dag_id, timetable)
            world.clock.jump(-10 * 86_400)


@pytest.mark.parametrize("change", [SPRING, AUTUMN])
def test_without_catchup_and_without_a_pause_no_tick_is_missed(world: World, change: datetime) -> None:
    """B2, C1: on the days on which clocks are moved too."""
    world.clock.jump((change - timedelta(hours=20) - world.clock.now()).total_seconds())
    life = Life(world, random.Random(99), catchup=False, change=change)
    life.start = world.clock.now()
    for dag_id in life.dags:
        life.publish(dag_id, version=0)
    world.scheduler(max_dagruns_to_create_per_loop=100)

    world.pass_time(40 * 3_600, step_s=600)

    for dag_id, timetable in life.dags.items():
        assert intervals(world.runs(dag_id))[-20:] == list(life.ticks(dag_id))[-20:], (dag_id, timetable)


@pytest.mark.parametrize("change", [SPRING, AUTUMN])
def test_who_edits_the_file_whenever_a_tick_is_due_changes_nothing_about_when_it_runs(
    world: World, change: datetime
) -> None:
    """B2, C1: each has a twin that nobody edits."""
    world.clock.jump((change - timedelta(hours=20) - world.clock.now()).total_seconds())
    life = Life(world, random.Random(99), catchup=False, change=change)
    life.start = world.clock.now()
    edited = list(life.dags)
    life.dags |= {f"{dag_id}_twin": timetable for dag_id, timetable in life.dags.items()}
    life.ends = dict.fromkeys(life.dags)
    for dag_id in life.dags:
        life.publish(dag_id, version=0)
    world.scheduler(max_dagruns_to_create_per_loop=100)

    for version in range(80):
        world.clock.advance(1_500.5)
        for dag_id in edited:
            life.publish(dag_id, version=version)
        world.settle()

    for dag_id in edited:
        made, expected = intervals(world.runs(dag_id)), intervals(world.runs(f"{dag_id}_twin"))
        assert made == expected, (dag_id, life.dags[dag_id])


@pytest.mark.parametrize(
    "timetable",
    [
        Events(tuple(utc(f"2026-01-01T00:0{minute}") for minute in range(1, 8))),
        CronTrigger("* * * * *"),
        CronDataInterval("* * * * *"),
        MultipleCronTrigger(("*/2 * * * *", "1-59/2 * * * *"), interval=Delta(days=1)),
        DeltaTrigger(Delta(seconds=60), interval=Delta(days=1)),
        DeltaDataInterval(Delta(seconds=60)),
        CronPartition("* * * * *"),
    ],
)
def test_a_tick_that_waits_for_a_place_is_kept_when_the_file_is_edited(world: World, timetable: Timetable) -> None:
    """B2, C1: it is made before any newer one, as it is when nobody edits the file."""
    executor = PatientExecutor(world.clock)
    values: dict[str, Any] = {"timetable": timetable, "start_at": utc("2026-01-01"), "max_active_runs": 1}
    for dag_id in ("edited", "twin"):
        world.dag(Task("a"), dag_id=dag_id, **values)
    world.scheduler(executor)
    world.pass_time(210, step_s=30)
    assert len(world.runs("edited")) == 1

    world.dag(Task("a"), Task("b"), dag_id="edited", **values)
    for _ in range(3):
        executor.end()
        world.pass_time(2)

    assert len(world.runs("edited")) > 1
    assert intervals(world.runs("edited")) == intervals(world.runs("twin"))


def test_a_tick_that_is_due_is_not_kept_by_a_schedule_that_does_not_name_it_or_catches_up_no_more(world: World) -> None:
    """B2."""
    values: dict[str, Any] = {"start_at": utc("2025-12-20"), "max_active_runs": 1}
    hourly = CronTrigger("0 * * * *")
    world.dag(Task("a"), dag_id="other", timetable=hourly, start_at=utc("2026-01-01T00:00:01"))
    world.dag(Task("a"), dag_id="eager", timetable=hourly, catchup=True, **values)
    world.clock.advance(3_600.5)

    world.dag(Task("a"), dag_id="other", timetable=CronTrigger("30 * * * *"), start_at=utc("2026-01-01T00:00:01"))
    world.dag(Task("a"), dag_id="eager", timetable=hourly, catchup=False, **values)
    world.scheduler()
    world.settle()

    assert [run.run_after for run in world.runs("other")] == [utc("2026-01-01T00:30")]
    assert [run.run_after for run in world.runs("eager")] == [utc("2026-01-01T01:00")]
