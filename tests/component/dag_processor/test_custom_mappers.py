"""Mappers and windows that authors wrote: asked where their files are read, never by a scheduler (C1, C2)."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import Deployment, deployment, look_and_work, work_until_idle
from tests.instants import utc
from tradewind.dag_processor.service import DagProcessor
from tradewind.executors.instant import InstantExecutor
from tradewind.model.run import Run
from tradewind.operations.explain import why_no_next_run
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.operations.structures import Structures
from tradewind.scheduler.service import Scheduler
from tradewind.storage.interface.shared_stores import NewAssetEvent
from tradewind.telemetry.events import PartitionRefused
from tradewind.testing.clock import FakeClock

NOW = utc("2026-01-01")
FILE = """
from datetime import datetime, timedelta
from airflow.partition_mappers.base import PartitionMapper
from airflow.partition_mappers.window import Window
from airflow.sdk import (
    DAG, Asset, ChainMapper, FanOutMapper, IdentityMapper, MinimumCount, PartitionedAssetTimetable, RollupMapper,
    SegmentWindow, StartOfDayMapper, StartOfWeekMapper, task,
)

sales = Asset("sales")

class WithoutPrefix(PartitionMapper):
    def __init__(self, prefix):
        super().__init__()
        self.prefix = prefix

    def to_downstream(self, key):
        if key == "broken":
            raise LookupError("no such shop")
        return key.removeprefix(self.prefix)

    def to_partition_date(self, downstream_key):
        return datetime.fromisoformat("2026-02-03T00:00:00+01:00") if downstream_key == "dated" else None

    def serialize(self):
        return {{"prefix": self.prefix}}

class WorkingDays(Window):
    expected_decoded_type = datetime

    def to_upstream(self, monday):
        return (monday + timedelta(days=day) for day in range(5))

schedule = PartitionedAssetTimetable(assets=sales, default_partition_mapper={mapper})

with DAG("own", schedule=schedule, max_active_runs=99):
    @task(outlets=[sales])
    def work():
        pass

    work()
"""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path / "home", dags_are_paused_at_creation="False") as made:
        yield made


class Story:
    """A processor and a scheduler, which take turns."""

    def __init__(self, world: Deployment, mapper: str) -> None:
        self.world = world
        self.write(mapper)
        self.processor: DagProcessor = world.processor()
        work_until_idle(self.processor)
        clock = FakeClock(NOW)
        self.scheduler = Scheduler(world.database, [InstantExecutor(clock.now)], clock, is_alone=True)
        self.scheduler.start()
        self.schedule()

    def write(self, mapper: str) -> None:
        self.world.write("own.py", FILE.format(mapper=mapper))

    def arrive(self, *keys: str) -> None:
        """Partitions of the asset are updated."""
        with self.world.database.begin() as tx:
            (record,) = tx.assets.named(["sales"], [])
            add_asset_events(tx, [NewAssetEvent(asset_key=record.key, partition_key=key) for key in keys], NOW)

    def schedule(self) -> None:
        """The scheduler does what it can."""
        while self.scheduler.run_once():
            pass

    def read(self) -> None:
        """The processor reads what it was asked to read."""
        self.processor.hear_requests()
        look_and_work(self.processor)

    def settle(self, *keys: str) -> list[str]:
        """Partitions are updated, all is done that follows, and these partitions have had runs."""
        self.arrive(*keys)
        self.schedule()
        self.read()
        self.schedule()
        return sorted(str(run.partition_key) for run in self.runs())

    def runs(self) -> list[Run]:
        with self.world.database.begin() as tx:
            return tx.runs.of_dag("own")

    def explained(self) -> list[str]:
        with self.world.database.begin() as tx:
            return [each.text for each in why_no_next_run(tx, "own", Structures(), NOW)]


def test_a_mapper_of_the_authors_own_says_which_runs_there_are(world: Deployment) -> None:
    """C2: with the date that it reads out of the key; a scheduler never imports it, and says what it waits for."""
    story = Story(world, "WithoutPrefix('eu::')")
    story.arrive("eu::dated", "dated", "us::plain")
    story.schedule()
    assert story.runs() == []
    (reason,) = story.explained()
    assert reason.startswith("3 partition keys wait for what ")
    assert "WithoutPrefix" in reason

    assert story.settle() == ["dated", "dated", "us::plain"]

    assert {run.partition_date for run in story.runs() if run.partition_key == "dated"} == {utc("2026-02-02 23:00")}
    assert not [name for name in sys.modules if name.rpartition("_")[2] == "own"]


def test_what_a_mapper_has_said_is_asked_once(world: Deployment) -> None:
    """C2: while updates of a key wait, another update of it needs no file to be read."""
    story = Story(world, "RollupMapper(upstream_mapper=WithoutPrefix('eu::'), window=SegmentWindow(['eu::a', 'a']))")
    assert story.settle("eu::a") == []

    story.arrive("eu::a")
    story.schedule()
    assert story.explained() == ["partition a waits for 1 key of sales: a"]

    assert story.settle("a") == ["a"]


def test_a_window_of_the_authors_own_is_waited_for(world: Deployment) -> None:
    """C2: five days make a week; the policy lets one of them be missing."""
    mapper = (
        "RollupMapper(upstream_mapper=StartOfWeekMapper(input_format='%Y-%m-%d'), window=WorkingDays(),"
        " wait_policy=MinimumCount(-1))"
    )
    story = Story(world, mapper)

    assert story.settle("2026-01-05", "2026-01-06", "2026-01-10") == []
    assert story.explained() == [
        "partition 2026-01-05 (W02) waits for 2 of 3 keys of sales: 2026-01-07, 2026-01-08, 2026-01-09"
    ]
    assert story.settle("2026-01-09", "2026-01-08") == ["2026-01-05 (W02)"]
    (run,) = story.runs()
    assert run.partition_date == utc("2026-01-05")


def test_a_window_of_the_authors_own_is_fanned_out(world: Deployment) -> None:
    """C2: also behind other mappers."""
    week = "upstream_mapper=StartOfWeekMapper(), window=WorkingDays()"
    story = Story(world, f"ChainMapper(IdentityMapper(), FanOutMapper({week}, downstream_mapper=StartOfDayMapper()))")

    assert story.settle("2026-01-07T00:00:00") == [f"2026-01-0{day}" for day in range(5, 10)]


def test_a_mapper_that_fails_is_told_and_holds_up_nobody(world: Deployment) -> None:
    """C2, B10: bad input."""
    story = Story(world, "WithoutPrefix('eu::')")

    assert story.settle("broken", "eu::a") == ["a"]

    (refused,) = [each for each in world.events if isinstance(each, PartitionRefused)]
    assert (refused.partition_key, refused.reason) == ("broken", "WithoutPrefix: LookupError: no such shop")
    assert story.settle() == ["a"]


def test_another_mapper_is_asked_anew(world: Deployment) -> None:
    """C2: what waits when the schedule changes counts for what the new mapper says."""
    week = "RollupMapper(upstream_mapper=StartOfWeekMapper(input_format='%Y-%m-%d'), window=WorkingDays())"
    story = Story(world, week)
    assert story.settle("2026-01-05", "2026-01-06") == []

    story.write("WithoutPrefix('2026-')")
    story.read()
    assert story.settle() == ["01-05", "01-06"]


def test_a_file_that_cannot_be_read_keeps_its_updates_until_it_can(world: Deployment) -> None:
    """C2: nothing is lost, and nothing is asked again and again."""
    story = Story(world, "WithoutPrefix('eu::')")
    story.write("WithoutPrefix(")
    assert story.settle("eu::a") == []

    story.write("WithoutPrefix('eu::')")
    assert story.settle() == ["a"]
