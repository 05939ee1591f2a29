"""Runs that timetables ask for (B2 C5)."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.component.world import PatientExecutor, World, fails
from tests.instants import utc
from tradewind.model.dag import Task
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType
from tradewind.model.timetable import (
    Continuous,
    CronDataInterval,
    CronTrigger,
    DataInterval,
    Delta,
    DeltaDataInterval,
    Never,
    Once,
)

DAILY = CronDataInterval("@daily")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = 3600.0


def intervals(runs: list[Run]) -> list[str]:
    """The start of each run's data interval, shortly."""
    return [run.data_interval.start.strftime("%m-%d %H:%M") for run in runs if run.data_interval is not None]


def test_a_run_is_created_at_the_end_of_its_data_interval(any_world: World) -> None:
    """B2, C5."""
    any_world.dag(Task("a"), timetable=DAILY, start_at=NOW)
    any_world.scheduler()

    any_world.settle()
    any_world.pass_time(24 * HOUR - 1)
    assert any_world.runs() == []
    any_world.pass_time(1)

    (run,) = any_world.runs()
    assert run.run_id == "scheduled__2026-01-02T00:00:00+00:00"
    assert run.data_interval == DataInterval(NOW, NOW + timedelta(days=1))
    assert (run.logical_date, run.run_after) == (NOW, NOW + timedelta(days=1))
    assert (run.run_type, run.state) == (RunType.SCHEDULED, RunState.SUCCESS)


def test_the_first_run_covers_the_interval_from_the_smallest_start_date(world: World) -> None:
    """B2."""
    world.dag(
        Task("a", start_at=utc("2025-12-29")),
        Task("b", start_at=utc("2025-12-28")),
        timetable=DAILY,
        start_at=utc("2025-12-30"),
        catchup=True,
    )
    world.scheduler()

    world.settle()

    assert intervals(world.runs()) == ["12-28 00:00", "12-29 00:00", "12-30 00:00", "12-31 00:00"]


def test_catchup_creates_every_missed_run_in_order_within_the_limit_of_runs(any_world: World) -> None:
    """B2, B4."""
    any_world.dag(Task("a"), timetable=DAILY, start_at=utc("2025-12-20"), catchup=True, max_active_runs=3)
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    for _ in range(20):
        any_world.settle()
        active = [run for run in any_world.runs() if run.state in (RunState.QUEUED, RunState.RUNNING)]
        assert len(active) <= 3
        executor.end()
        any_world.clock.advance(1)

    runs = any_world.runs()
    assert intervals(runs) == [f"12-{day} 00:00" for day in range(20, 32)]
    assert {run.state for run in runs} == {RunState.SUCCESS}


@pytest.mark.parametrize("timetable", [DAILY, Continuous()])
def test_the_next_run_is_made_when_a_place_comes_free_and_not_with_the_next_poll(
    world: World, timetable: CronDataInterval | Continuous
) -> None:
    """B2, B9."""
    world.dag(Task("a"), timetable=timetable, start_at=utc("2025-12-20"), catchup=True, max_active_runs=1)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    for _ in range(3):
        executor.end()
        world.clock.advance(0.01)
        world.settle()

    assert len(world.runs()) == 4


def test_without_catchup_only_the_latest_interval_is_run(world: World) -> None:
    world.dag(Task("a"), timetable=DAILY, start_at=utc("2025-06-01"))
    world.scheduler()

    world.settle()
    world.pass_time(24 * HOUR)

    assert intervals(world.runs()) == ["12-31 00:00", "01-01 00:00"]


def test_a_cron_trigger_runs_at_the_tick_itself(world: World) -> None:
    world.dag(Task("a"), timetable=CronTrigger("0 6 * * *"), start_at=NOW)
    world.scheduler()

    world.pass_time(6 * HOUR)

    (run,) = world.runs()
    assert run.logical_date == run.run_after == NOW + timedelta(hours=6)


def test_a_delta_runs_again_and_again(world: World) -> None:
    world.dag(Task("a"), timetable=DeltaDataInterval(Delta(seconds=600)), start_at=NOW, catchup=True)
    world.scheduler()

    world.pass_time(HOUR, step_s=60)

    assert intervals(world.runs()) == [f"01-01 00:{minute:02}" for minute in range(0, 60, 10)]


def test_once_means_once(world: World) -> None:
    world.dag(Task("a"), timetable=Once(), start_at=NOW)
    world.scheduler()

    world.settle()
    world.pass_time(24 * HOUR, step_s=HOUR)

    assert len(world.runs()) == 1


def test_a_continuous_dag_runs_again_when_it_is_done(world: World) -> None:
    world.dag(Task("a"), timetable=Continuous(), start_at=NOW, max_active_runs=1)
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    world.pass_time(10)
    assert len(world.runs()) == 1

    executor.end()
    world.settle()
    world.pass_time(10)

    states = [run.state for run in world.runs()]
    assert states == [RunState.SUCCESS, RunState.RUNNING]


def test_nothing_is_created_while_paused_and_the_last_interval_when_unpaused(world: World) -> None:
    world.dag(Task("a"), timetable=DAILY, start_at=NOW, is_paused=True)
    world.scheduler()
    world.pass_time(72 * HOUR, step_s=12 * HOUR)
    assert world.runs() == []

    world.pause(is_paused=False)
    world.pass_time(2)

    assert intervals(world.runs())[-1] == "01-03 00:00"
    assert world.runs()[-1].state is RunState.SUCCESS


def test_without_catchup_unpausing_makes_no_run_of_when_the_pause_began(any_world: World) -> None:
    """C1: as in Airflow, one run, and that is the newest; with catchup, all."""
    for dag_id, catchup in (("newest", False), ("all", True)):
        any_world.dag(Task("a"), dag_id=dag_id, timetable=DAILY, start_at=NOW, catchup=catchup)
    any_world.scheduler()
    any_world.pass_time(24 * HOUR + 10)
    for is_paused in (True, False):
        for dag_id in ("newest", "all"):
            any_world.pause(dag_id, is_paused=is_paused)
        any_world.pass_time(3 * 24 * HOUR if is_paused else 5, step_s=HOUR if is_paused else 1)

    assert intervals(any_world.runs("newest")) == ["01-01 00:00", "01-04 00:00"]
    assert intervals(any_world.runs("all")) == [f"01-0{day} 00:00" for day in (1, 2, 3, 4)]


def test_a_dag_that_ended_makes_no_more_runs(world: World) -> None:
    world.dag(Task("a"), timetable=DAILY, start_at=NOW, end_at=utc("2026-01-02"), catchup=True)
    world.scheduler()

    world.pass_time(120 * HOUR, step_s=12 * HOUR)

    assert intervals(world.runs()) == ["01-01 00:00", "01-02 00:00"]


def test_a_run_by_hand_for_the_same_date_takes_the_place_of_the_scheduled_one(world: World) -> None:
    world.dag(Task("a"), timetable=DAILY, start_at=NOW)
    world.trigger(run_id="mine", logical_date=NOW)
    world.scheduler()

    world.pass_time(48 * HOUR, step_s=24 * HOUR)

    assert [run.run_id for run in world.runs()] == ["mine", "scheduled__2026-01-03T00:00:00+00:00"]


def test_run_ids_say_what_made_the_run_and_when(world: World) -> None:
    """C5."""
    world.dag(Task("a"))
    logical = utc("2025-12-24")

    for run_type in (RunType.MANUAL, RunType.BACKFILL, RunType.ASSET_TRIGGERED):
        world.trigger(run_id=None, run_type=run_type)
    world.trigger(run_id=None, logical_date=logical)

    assert sorted(run.run_id for run in world.runs()) == [
        "asset_triggered__2026-01-01T00:00:00+00:00_aaaaaaaa",
        "backfill__2026-01-01T00:00:00+00:00_aaaaaaaa",
        "manual__2026-01-01T00:00:00+00:00",
        "manual__2026-01-01T00:00:00+00:00_aaaaaaaa",
    ]
    assert {run.state for run in world.runs()} == {RunState.QUEUED}


def test_a_dag_that_fails_too_often_in_a_row_is_paused(world: World) -> None:
    world.dag(Task("a"), timetable=DAILY, start_at=NOW, max_consecutive_failed_runs=2)
    world.scheduler(endings={"a": fails()})

    world.pass_time(120 * HOUR, step_s=12 * HOUR)

    assert [run.state for run in world.runs()] == [RunState.FAILED] * 2
    with world.database.begin() as tx:
        record = tx.dags.find("sales")
    assert record is not None
    assert record.is_paused


def test_a_new_version_with_another_schedule_counts_from_the_last_run(world: World) -> None:
    world.dag(Task("a"), timetable=DAILY, start_at=NOW)
    world.scheduler()
    world.pass_time(24 * HOUR)

    world.dag(Task("a"), timetable=CronDataInterval("0 */6 * * *"), start_at=NOW, catchup=True)
    world.pass_time(12 * HOUR, step_s=HOUR)

    assert intervals(world.runs()) == ["01-01 00:00", "01-02 00:00", "01-02 06:00"]


def test_schedules_can_be_switched_off(world: World) -> None:
    world.dag(Task("a"), timetable=DAILY, start_at=NOW)
    world.scheduler(use_job_schedule=False)

    world.pass_time(48 * HOUR, step_s=12 * HOUR)

    assert world.runs() == []


def test_a_dag_that_allows_no_scheduled_runs_keeps_no_other_from_its_own(any_world: World) -> None:
    """B10."""
    any_world.dag(Task("a"), dag_id="by_hand", timetable=DAILY, start_at=NOW, allowed_run_types=(RunType.MANUAL,))
    any_world.dag(Task("a"), dag_id="daily", timetable=DAILY, start_at=NOW)
    any_world.scheduler()

    any_world.pass_time(48 * HOUR, step_s=12 * HOUR)

    assert any_world.runs("by_hand") == []
    assert intervals(any_world.runs("daily")) == ["01-01 00:00", "01-02 00:00"]


@pytest.mark.parametrize("schedulers", [1, 3])
def test_each_interval_is_run_once_however_many_schedulers_look(any_world: World, schedulers: int) -> None:
    """B2, B4."""
    for number in range(4):
        any_world.dag(Task("a"), dag_id=f"dag{number}", timetable=DAILY, start_at=utc("2025-12-28"), catchup=True)
    for _ in range(schedulers):
        any_world.scheduler()

    any_world.settle()
    any_world.pass_time(3, step_s=1)

    for number in range(4):
        runs = any_world.runs(f"dag{number}")
        assert intervals(runs) == [f"12-{day} 00:00" for day in range(28, 32)]
        assert {run.state for run in runs} == {RunState.SUCCESS}


def test_a_schedule_that_changes_while_runs_are_active_leaves_them_as_they_are(any_world: World) -> None:
    """C1: they end as what they were begun as, count for max_active_runs, and none of their dates is run again."""
    executor = PatientExecutor(any_world.clock)
    any_world.dag(Task("a"), timetable=DAILY, start_at=utc("2025-12-30"), catchup=True, max_active_runs=2)
    any_world.scheduler(executor)
    any_world.settle()
    before = {run.run_id: run.data_interval for run in any_world.runs()}

    for timetable in (CronDataInterval("0 */12 * * *"), Never(), CronDataInterval("0 */12 * * *")):
        any_world.dag(Task("a"), timetable=timetable, start_at=utc("2025-12-30"), catchup=True, max_active_runs=2)
        any_world.pass_time(60)
    while_full = [run.run_id for run in any_world.runs() if run.state is RunState.RUNNING]
    executor.end()
    any_world.pass_time(60)

    runs = any_world.runs()
    assert sorted(while_full) == sorted(before)
    assert {run.run_id: run.data_interval for run in runs if run.run_id in before} == before
    assert intervals(runs) == ["12-30 00:00", "12-31 00:00"]
    assert {run.state for run in runs} == {RunState.SUCCESS}
    any_world.pass_time(12 * HOUR, step_s=HOUR)
    assert intervals(any_world.runs()) == ["12-30 00:00", "12-31 00:00", "01-01 00:00"]


def test_a_clock_that_goes_back_makes_no_run_twice_and_misses_none(any_world: World) -> None:
    """C1: runs wait until the time of the clock has come again, and go on from where they were."""
    any_world.dag(Task("a"), timetable=CronTrigger("0 * * * *"), start_at=NOW, catchup=True)
    any_world.scheduler()
    any_world.pass_time(3 * HOUR, step_s=HOUR)
    before = [run.run_id for run in any_world.runs()]

    any_world.clock.jump(-2 * HOUR)
    any_world.pass_time(2 * HOUR - 60, step_s=600)
    while_behind = [run.run_id for run in any_world.runs()]
    any_world.pass_time(2 * HOUR, step_s=600)

    assert len(before) == 4
    assert while_behind == before
    assert intervals(any_world.runs()) == [f"01-01 0{hour}:00" for hour in range(5)]


@pytest.mark.parametrize(
    ("date", "expected"),
    [("2025-12-01", {"load", "after"}), ("2025-12-15", {"load", "late", "after"}), ("2025-12-31", {"late", "after"})],
)
def test_a_task_outside_its_own_dates_is_no_part_of_a_run_and_the_others_do_not_wait_for_it(
    any_world: World, date: str, expected: set[str]
) -> None:
    """B2: Airflow makes no instance of it either, but lets a task that comes after it wait until the run fails."""
    any_world.dag(
        Task("load", end_at=utc("2025-12-20")),
        Task("late", start_at=utc("2025-12-10")),
        Task("after", upstream=("load", "late")),
    )
    any_world.scheduler()

    any_world.trigger(logical_date=utc(date))
    any_world.settle()

    assert any_world.states() == dict.fromkeys(expected, "success")
    assert any_world.run().state is RunState.SUCCESS
