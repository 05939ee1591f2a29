"""Which runs a timetable would make, and what would hold them back (B2)."""

from datetime import UTC, datetime, timedelta

import pytest

from tradewind.decide.load import RunsTake
from tradewind.decide.simulate import Course, Held, SimulatedRun, made_before, simulate
from tradewind.model.dag import Dag
from tradewind.model.timetable import (
    Continuous,
    CronDataInterval,
    CronTrigger,
    DataInterval,
    Delta,
    DeltaTrigger,
    Events,
    Never,
    Once,
    RunInfo,
    TimeRestriction,
    Timetable,
)

START = datetime(2026, 1, 1, tzinfo=UTC)
HOURLY = CronTrigger("0 * * * *")


def hour(number: float) -> datetime:
    return START + timedelta(hours=number)


def simulated(
    timetable: Timetable = HOURLY,
    *,
    hours: float = 4,
    catchup: bool = False,
    most: int = 16,
    duration: timedelta = timedelta(0),
    active: int = 0,
    last: DataInterval | RunInfo | None = None,
) -> list[SimulatedRun]:
    course = Course(
        start=START,
        end=hour(hours),
        last=last,
        restriction=TimeRestriction(START, None, catchup),
        max_active_runs=most,
        active_runs=active,
    )
    return simulate(Dag("a", timetable=timetable), course, RunsTake(duration)).runs


def shown(runs: list[SimulatedRun]) -> list[tuple[float, float | None, Held | None]]:
    def hours(instant: datetime) -> float:
        return (instant - START) / timedelta(hours=1)

    return [
        (hours(run.info.run_after), None if run.starts_at is None else hours(run.starts_at), run.held_by)
        for run in runs
    ]


def test_runs_are_made_when_they_are_due() -> None:
    assert shown(simulated(hours=3)) == [(0, 0, None), (1, 1, None), (2, 2, None), (3, 3, None)]


def test_those_after_the_newest_one_that_there_is() -> None:
    last = RunInfo(hour(1), DataInterval(hour(1), hour(1)))

    assert [run.info.run_after for run in simulated(hours=3, last=last)] == [hour(2), hour(3)]


def test_max_active_runs_delays_runs_of_a_dag_that_makes_up_for_them() -> None:
    runs = simulated(hours=5, catchup=True, most=1, duration=timedelta(hours=2))

    assert shown(runs) == [
        (0, 0, None),
        (1, 2, Held.MAX_ACTIVE_RUNS),
        (2, 4, Held.MAX_ACTIVE_RUNS),
        (3, None, Held.MAX_ACTIVE_RUNS),
        (4, None, Held.MAX_ACTIVE_RUNS),
        (5, None, Held.MAX_ACTIVE_RUNS),
    ]


def test_a_dag_without_catchup_passes_over_what_it_missed_while_it_was_full() -> None:
    runs = simulated(hours=6, most=1, duration=timedelta(hours=3))

    assert shown(runs) == [
        (0, 0, None),
        (1, 3, Held.MAX_ACTIVE_RUNS),
        (2, None, Held.NO_CATCHUP),
        (3, 6, Held.MAX_ACTIVE_RUNS),
        (4, None, Held.NO_CATCHUP),
        (5, None, Held.NO_CATCHUP),
        (6, None, Held.MAX_ACTIVE_RUNS),
    ]


def test_whatever_is_late_by_the_limit_says_so() -> None:
    """Two places that come free together: the second run is no less late than the first."""
    course = Course(
        start=START,
        end=hour(1),
        last=None,
        restriction=TimeRestriction(hour(-4), None, catchup=True),
        max_active_runs=2,
    )
    runs = simulate(Dag("a", timetable=HOURLY), course, RunsTake(timedelta(minutes=40))).runs

    assert [(run.starts_at, run.held_by) for run in runs[:4]] == [
        (hour(0), None),
        (hour(0), None),
        (hour(2 / 3), Held.MAX_ACTIVE_RUNS),
        (hour(2 / 3), Held.MAX_ACTIVE_RUNS),
    ]


@pytest.mark.parametrize("catchup", [True, False])
@pytest.mark.parametrize(
    ("timetable", "before"),
    [
        (HOURLY, 9),
        (CronDataInterval("0 */4 * * *"), 8),
        (DeltaTrigger(Delta(seconds=7200)), 8),
        (Events((hour(1), hour(2), hour(9), hour(11))), 9),
        (Once(), 0),
        (Never(), None),
    ],
)
def test_what_is_due_before_a_time_to_come_has_its_run(
    timetable: Timetable, before: float | None, catchup: bool
) -> None:
    restriction = TimeRestriction(START, None, catchup)

    last = made_before(timetable, hour(10), last=None, restriction=restriction)

    assert last is None if before is None else isinstance(last, RunInfo) and last.run_after == hour(before)


def test_runs_of_a_continuous_dag_follow_each_other_up_to_a_time_to_come() -> None:
    last = made_before(Continuous(), hour(10), last=None, restriction=TimeRestriction(START, None, catchup=True))

    assert isinstance(last, RunInfo)
    assert last.run_after < hour(10)


def test_runs_under_way_count() -> None:
    runs = simulated(hours=1, most=2, duration=timedelta(minutes=90), active=2, catchup=True)

    assert shown(runs) == [(0, None, Held.MAX_ACTIVE_RUNS), (1, None, Held.MAX_ACTIVE_RUNS)]


def test_what_nothing_comes_free_for_is_told_up_to_the_end() -> None:
    """Without catchup, the first waits for its place, and the others are passed over."""
    runs = simulated(hours=3, most=1, duration=timedelta(days=10))

    assert shown(runs) == [
        (0, 0, None),
        (1, None, Held.MAX_ACTIVE_RUNS),
        (2, None, Held.NO_CATCHUP),
        (3, None, Held.NO_CATCHUP),
    ]


@pytest.mark.parametrize(("timetable", "count"), [(Never(), 0), (Once(), 1)])
def test_schedules_without_an_again(timetable: Timetable, count: int) -> None:
    assert len(simulated(timetable)) == count


def test_continuous_runs_follow_each_other() -> None:
    runs = simulated(Continuous(), hours=2, most=1, duration=timedelta(hours=1))

    assert [run.starts_at for run in runs] == [hour(0), hour(1), hour(2)]


def test_days_on_which_clocks_are_moved_are_marked() -> None:
    """C1: in the zone of the schedule."""
    dag = Dag("a", timetable=CronTrigger("30 2 * * *", "Europe/Berlin"))
    course = Course(
        start=datetime(2026, 3, 27, 12, tzinfo=UTC),
        end=datetime(2026, 3, 31, tzinfo=UTC),
        last=None,
        restriction=TimeRestriction(datetime(2026, 3, 27, 12, tzinfo=UTC), None, catchup=True),
        max_active_runs=1,
    )
    runs = simulate(dag, course, RunsTake(timedelta(0))).runs

    assert [(run.info.run_after.day, run.clock_change) for run in runs] == [
        (28, None),
        (29, timedelta(hours=1)),
        (30, None),
    ]
