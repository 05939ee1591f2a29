"""Branching by the day, the time, and by whether a newer run exists (D2)."""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.instants import utc
from tests.unit.standard.running import answering, context_of, run_of
from tradewind.model.task_answers import DagResult, DagRunResult
from tradewind.sdk import DAG
from tradewind.sdk.exceptions import AirflowException, DownstreamTasksSkipped
from tradewind.sdk.standard.branch_datetime import BranchDateTimeOperator
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.latest_only import LatestOnlyOperator, newer_run
from tradewind.sdk.standard.weekday import BranchDayOfWeekOperator, DayOfWeekSensor, WeekDay
from tradewind.testing.clock import FakeClock

TOKYO = ZoneInfo("Asia/Tokyo")


def follows(kind: type[Any], zone: ZoneInfo | None = None, run: DagRunResult | None = None, **kwargs: Any) -> str:
    """Which of `yes` and `no` is followed."""
    start = utc("2026-01-01") if zone is None else datetime(2026, 1, 1, tzinfo=zone)
    with DAG("calendar", start_date=start):
        task = kind(task_id="branch", follow_task_ids_if_true="yes", follow_task_ids_if_false="no", **kwargs)
        task >> [EmptyOperator(task_id="yes"), EmptyOperator(task_id="no")]
    with pytest.raises(DownstreamTasksSkipped) as skip:
        task.execute(context_of(task, run))
    return "no" if skip.value.tasks == ["yes"] else "yes"


@pytest.mark.parametrize(
    ("week_day", "followed"),
    [
        ("monday", "yes"),
        ("Tuesday", "no"),
        ({"Saturday", "MONDAY"}, "yes"),
        (WeekDay.MONDAY, "yes"),
        ([WeekDay.SATURDAY, WeekDay.SUNDAY], "no"),
    ],
)
def test_a_day_of_the_week_can_be_given_in_many_ways(clock: FakeClock, week_day: Any, followed: str) -> None:
    assert follows(BranchDayOfWeekOperator, week_day=week_day) == followed


def test_the_day_is_that_of_the_dags_zone_or_of_the_logical_date(clock: FakeClock) -> None:
    clock.advance(4 * 3600)  # Tuesday in Tokyo, Monday in UTC

    assert follows(BranchDayOfWeekOperator, TOKYO, week_day="Tuesday") == "yes"
    assert follows(BranchDayOfWeekOperator, week_day="Tuesday") == "no"
    sunday = run_of("calendar", utc("2026-03-01"))
    assert follows(BranchDayOfWeekOperator, run=sunday, week_day="Sunday", use_task_logical_date=True) == "yes"
    due = run_of("calendar", None, run_id="manual", run_after=utc("2026-03-01"))
    assert follows(BranchDayOfWeekOperator, run=due, week_day="Sunday", use_task_logical_date=True) == "yes"


def test_what_is_no_day_is_refused() -> None:
    with pytest.raises(AttributeError, match="'Caturday' is no day of the week; use one of Monday"):
        WeekDay.validate_week_day("Caturday")
    with pytest.raises(TypeError, match="not int"):
        WeekDay.validate_week_day(5)  # type: ignore[arg-type]


def test_a_day_of_the_week_can_be_waited_for(clock: FakeClock) -> None:
    with DAG("calendar"):
        tuesday = DayOfWeekSensor(task_id="tuesday", week_day="Tuesday")
        sunday = DayOfWeekSensor(task_id="sunday", week_day={"Sunday"}, use_task_logical_date=True)

    assert tuesday.poke(context_of(tuesday)) is False
    clock.advance(24 * 3600)
    assert tuesday.poke(context_of(tuesday)) is True
    assert sunday.poke(context_of(sunday, run_of("calendar", utc("2026-03-01")))) is True


@pytest.mark.parametrize(
    ("lower", "upper", "followed"),
    [
        (utc("2026-03-02 11:00"), utc("2026-03-02 13:00"), "yes"),
        (utc("2026-03-02 12:00"), utc("2026-03-02 12:00"), "yes"),
        (utc("2026-03-02 12:01"), None, "no"),
        (None, utc("2026-03-02 11:59"), "no"),
        (time(11), time(13), "yes"),
        (time(13), time(14), "no"),
        (time(11), time(2), "yes"),
        (time(23), time(2), "no"),
        (None, time(13), "yes"),
    ],
)
def test_the_time_can_lie_between_instants_or_times_of_day(
    clock: FakeClock, lower: Any, upper: Any, followed: str
) -> None:
    assert follows(BranchDateTimeOperator, target_lower=lower, target_upper=upper) == followed


def test_bounds_without_a_zone_are_in_that_of_the_dag(clock: FakeClock) -> None:
    # It is 21:00 in Tokyo.
    naive: dict[str, Any] = {"target_lower": datetime(2026, 3, 2, 20), "target_upper": datetime(2026, 3, 2, 22)}  # noqa: DTZ001

    assert follows(BranchDateTimeOperator, TOKYO, **naive) == "yes"
    assert follows(BranchDateTimeOperator, **naive) == "no"


def test_the_day_of_a_time_is_that_of_the_dags_zone(clock: FakeClock) -> None:
    clock.advance(8 * 3600)  # 20:00 in UTC, and 05:00 of the next day in Tokyo

    assert follows(BranchDateTimeOperator, TOKYO, target_lower=time(4), target_upper=time(6)) == "yes"


def test_the_logical_date_can_be_compared_instead(clock: FakeClock) -> None:
    past = run_of("calendar", utc("2020-01-01 09:00"))
    bounds: dict[str, Any] = {"target_lower": time(8), "target_upper": time(10)}

    assert follows(BranchDateTimeOperator, run=past, use_task_logical_date=True, **bounds) == "yes"
    assert follows(BranchDateTimeOperator, run=past, **bounds) == "no"


def test_a_time_branch_needs_a_bound() -> None:
    with DAG("calendar"), pytest.raises(AirflowException, match="both are None"):
        BranchDateTimeOperator(
            task_id="b",
            follow_task_ids_if_true="a",
            follow_task_ids_if_false="b",
            target_lower=None,
            target_upper=None,
        )


def daily(day: str, **fields: Any) -> DagRunResult:
    """The run about one day, which is due at its end."""
    start = utc(day)
    end = start + timedelta(days=1)
    values = {"run_id": f"scheduled__{day}", "run_after": end, "data_interval_start": start, "data_interval_end": end}
    return run_of("calendar", start, **{**values, **fields})


def goes_on(run: DagRunResult, runs: list[DagRunResult], next_dagrun: datetime | None) -> bool:
    """Whether what is behind the task runs."""
    with DAG("calendar"):
        task = LatestOnlyOperator(task_id="latest")
        task >> [EmptyOperator(task_id="one"), EmptyOperator(task_id="two")]
    dag = DagResult(dag_id="calendar", is_paused=False, next_dagrun=next_dagrun)
    with answering(runs=[*runs, run], dags={"calendar": dag}):
        followed = list(task.choose_branch(context_of(task, run)))
        if followed:
            assert sorted(followed) == ["one", "two"]
            assert task.execute(context_of(task, run)) == followed
        else:
            with pytest.raises(DownstreamTasksSkipped) as skip:
                task.execute(context_of(task, run))
            assert skip.value.tasks == ["one", "two"]
    return bool(followed)


def test_the_newest_run_goes_on(clock: FakeClock) -> None:
    older = [daily("2026-02-27"), daily("2026-02-28")]

    assert goes_on(daily("2026-03-01"), older, next_dagrun=utc("2026-03-02")) is True
    assert goes_on(daily("2026-03-01"), older, next_dagrun=None) is True


def test_a_run_stops_here_when_a_newer_one_exists(clock: FakeClock) -> None:
    assert goes_on(daily("2026-02-28"), [daily("2026-03-01")], next_dagrun=utc("2026-03-02")) is False


def test_runs_by_hand_do_not_count_and_always_go_on(clock: FakeClock) -> None:
    by_hand = run_of("calendar", utc("2026-03-02 11:00"), run_id="manual__1", run_type="manual")

    assert goes_on(daily("2026-03-01"), [by_hand], next_dagrun=utc("2026-03-02")) is True
    assert goes_on(daily("2026-02-28"), [daily("2026-03-01"), by_hand], next_dagrun=utc("2026-03-02")) is False
    old = run_of("calendar", utc("2026-02-01"), run_id="manual__2", run_type="manual")
    assert goes_on(old, [daily("2026-03-01")], next_dagrun=utc("2026-03-02")) is True


def test_a_run_stops_here_when_a_newer_one_is_due_but_not_created_yet(clock: FakeClock) -> None:
    assert goes_on(daily("2026-02-20"), [], next_dagrun=utc("2026-02-21")) is False
    # Due at midnight.
    assert goes_on(daily("2026-03-01"), [], next_dagrun=utc("2026-03-02")) is True


def test_runs_about_a_single_moment_are_compared_too(clock: FakeClock) -> None:
    def tick(moment: str) -> DagRunResult:
        at = utc(moment)
        return run_of("calendar", at, run_id=moment, run_after=at, data_interval_start=at, data_interval_end=at)

    assert goes_on(tick("2026-03-02 11:00"), [], next_dagrun=utc("2026-03-02 13:00")) is True
    assert goes_on(tick("2026-03-02 11:00"), [], next_dagrun=utc("2026-03-02 11:30")) is False
    assert goes_on(tick("2026-03-02 11:00"), [tick("2026-03-02 11:30")], next_dagrun=utc("2026-03-02 13:00")) is False


def test_a_newer_run_that_is_created_between_two_questions_is_not_missed(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler creates a run and moves the date of the next one on in one step, at any moment (D2)."""
    old, new = daily("2026-02-28"), daily("2026-03-01")
    asked: list[str] = []

    def previous(*_: Any, **__: Any) -> DagRunResult:
        asked.append("runs")
        return new if len(asked) > 1 else old

    def dag(*_: Any) -> DagResult:
        asked.append("dag")
        date = utc("2026-03-02") if len(asked) > 1 else utc("2026-03-01")
        return DagResult(dag_id="calendar", is_paused=False, next_dagrun=date)

    with answering() as runtime:
        monkeypatch.setattr(runtime, "get_previous_dag_run", previous)
        monkeypatch.setattr(runtime, "get_dag", dag)
        assert newer_run(old, clock.now()) is not None
