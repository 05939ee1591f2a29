"""Timetables that authors wrote: asked where their files are read, never by a scheduler (C1)."""

import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import Deployment, deployment, look_and_work, work_until_idle
from tests.instants import utc
from tradewind.errors import InvalidRequest
from tradewind.executors.instant import InstantExecutor
from tradewind.model.planned_runs import MOST_PAST, MOST_PLANNED, PlannedRuns
from tradewind.model.run import Run
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.model.timetable import DataInterval
from tradewind.operations.explain import why_run_waits
from tradewind.operations.foresee_runs import foresee_runs
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.plan_backfill import BackfillRequest, plan_backfill, runs_to_make
from tradewind.operations.start_backfill import start_backfill
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, request_shown_run, trigger_run
from tradewind.scheduler.service import Scheduler
from tradewind.testing.clock import FakeClock

START = utc("2026-01-01 00:07")
HOUR = timedelta(hours=1)
FILE = """
from datetime import timedelta
import pendulum
from airflow.sdk import DAG, Asset, AssetAndTimeSchedule, AssetOrTimeSchedule
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable

class SevenPast(Timetable):
    def __init__(self, most):
        self.most = most

    def serialize(self):
        return {{"most": self.most}}

    @classmethod
    def deserialize(cls, data):
        return cls(data["most"])

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        {body}
        if last_automated_data_interval is None:
            start = restriction.earliest
        else:
            start = last_automated_data_interval.end
        end = start + timedelta(hours=1)
        if (end - restriction.earliest).total_seconds() / 3600 > self.most:
            return None
        return DagRunInfo.interval(start=start, end=end)

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval(run_after, run_after)

with DAG("own", schedule={schedule}, start_date=pendulum.datetime(2026, 1, 1, 0, 7, tz="UTC"), catchup={catchup},
         max_active_runs=1000):
    EmptyOperator(task_id="a")
"""


def file_with(*, most: int = 250, body: str = "", schedule: str = "SevenPast({most})", catchup: bool = True) -> str:
    return FILE.format(body=body or "pass", schedule=schedule.format(most=most), catchup=catchup)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path / "home", dags_are_paused_at_creation="False") as made:
        yield made


def plan(world: Deployment) -> PlannedRuns | None:
    with world.database.begin() as tx:
        return tx.plans.find("own")


def starts(world: Deployment) -> list[datetime]:
    with world.database.begin() as tx:
        runs = tx.runs.of_dag("own")
    return sorted(run.data_interval.start for run in runs if run.data_interval is not None)


def make_all_due(world: Deployment, now: datetime) -> None:
    """What a scheduler does at that time, and with the poll that follows, in which it finds backfills that are over."""
    clock = FakeClock(now)
    scheduler = Scheduler(world.database, [InstantExecutor(clock.now)], clock, is_alone=True)
    scheduler.start()
    for _ in range(2):
        while scheduler.run_once():
            pass
        clock.advance(1)


@pytest.mark.parametrize(
    "schedule",
    ["SevenPast({most})", "AssetOrTimeSchedule(timetable=SevenPast({most}), assets=[Asset('x')])"],
    ids=["alone", "beside assets"],
)
def test_runs_of_an_authors_own_timetable_are_made_one_by_one_and_more_are_asked_for_in_time(
    world: Deployment, schedule: str
) -> None:
    """C1: none is left out or doubled where one list ends and the next begins, and no scheduler imports the file."""
    world.write("own.py", file_with(most=250, schedule=schedule))
    processor = world.processor()
    work_until_idle(processor)
    first = plan(world)
    assert first is not None
    assert len(first.runs) == MOST_PLANNED
    assert not first.is_complete

    counts = []
    for _ in range(10):
        make_all_due(world, START + 400 * HOUR)
        counts.append(len(starts(world)))
        processor.hear_requests()
        work_until_idle(processor)

    assert starts(world) == [START + number * HOUR for number in range(250)]
    assert counts[0] <= MOST_PLANNED
    last = plan(world)
    assert last is not None
    assert last.is_complete
    assert not [name for name, module in list(sys.modules.items()) if "SevenPast" in vars(module)]


def test_without_catchup_what_was_due_when_the_timetable_named_it_is_run(world: Deployment) -> None:
    """C1: as in Airflow, what catchup means is for the timetable to say; this one does not look at it."""
    world.write("own.py", file_with(catchup=False, most=120))
    processor = world.processor()
    work_until_idle(processor)

    for _ in range(3):
        make_all_due(world, START + 400 * HOUR)
        processor.hear_requests()
        work_until_idle(processor)

    assert starts(world) == [START + number * HOUR for number in range(120)]


def test_without_catchup_unpausing_starts_only_the_newest_of_what_became_due_meanwhile(world: Deployment) -> None:
    """C1: and nothing while the newest is not on the list, which is made anew."""
    later = START.replace(year=2090)
    world.write("own.py", file_with(catchup=False).replace("pendulum.datetime(2026,", "pendulum.datetime(2090,"))
    work_until_idle(world.processor())

    for now in (later + 30.5 * HOUR, later + 400 * HOUR):
        with world.database.begin() as tx:
            pause_dag(tx, "own", now, is_paused=True)
            pause_dag(tx, "own", now, is_paused=False)
        make_all_due(world, now)

    assert starts(world) == [later + 29 * HOUR]
    assert world.file("own.py").is_requested


def test_coming_runs_are_told_and_unpausing_asks_anew(world: Deployment) -> None:
    """C1."""
    world.write("own.py", file_with(most=3))
    processor = world.processor()
    work_until_idle(processor)

    with world.database.begin() as tx:
        foreseen = foresee_runs(tx, "own", Structures(), START, count=10)
        pause_dag(tx, "own", START, is_paused=True)
        pause_dag(tx, "own", START, is_paused=False)

    assert [run.logical_date for run in foreseen.runs] == [START, START + HOUR, START + 2 * HOUR]
    assert world.file("own.py").is_requested


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('raise ZeroDivisionError("no such day")', "no such day"),
        ("return DagRunInfo.exact(restriction.earliest.naive())", "has no time zone"),
        ('return "tomorrow"', "which is no run"),
        ("return DagRunInfo.exact(restriction.earliest)", "again and again"),
    ],
)
def test_a_timetable_that_fails_is_an_import_error_and_the_dag_goes_on_as_it_was(
    world: Deployment, body: str, said: str
) -> None:
    """C1, B10."""
    world.write("own.py", file_with())
    processor = world.processor()
    work_until_idle(processor)

    world.write("own.py", file_with(body=body))
    look_and_work(processor)

    assert said in world.errors()["own.py"]
    record = world.record("own")
    assert record is not None
    assert record.next_run is not None
    assert record.next_run.logical_date == START


def test_a_schedule_of_another_kind_takes_the_place_of_the_list(world: Deployment) -> None:
    """C1."""
    world.write("own.py", file_with())
    processor = world.processor()
    work_until_idle(processor)

    world.write("own.py", file_with(schedule="'@daily'"))
    look_and_work(processor)

    assert plan(world) is None
    record = world.record("own")
    assert record is not None
    assert record.next_run is not None
    assert record.next_run.run_after == utc("2026-01-02 00:00")


@pytest.mark.parametrize("backwards", [False, True])
def test_a_backfill_runs_what_an_authors_own_timetable_has_named(world: Deployment, backwards: bool) -> None:
    """C5: the dry run lists exactly the runs that are made; a schedule that changes meanwhile changes none of them."""
    world.write("own.py", file_with(most=250, catchup=False))
    processor = world.processor()
    work_until_idle(processor)
    now = START + 500 * HOUR
    request = BackfillRequest("own", START + HOUR, START + 60 * HOUR, run_backwards=backwards)
    expected = [START + number * HOUR for number in range(1, 61)]

    with world.database.begin() as tx:
        asked_for = plan_backfill(tx, request, Structures(), now)
        listed = [info.logical_date for info in runs_to_make(tx, asked_for, Structures())]
        begun = start_backfill(tx, asked_for, Structures(), now)
    world.write("own.py", file_with(most=7))
    look_and_work(processor)
    make_all_due(world, now)

    with world.database.begin() as tx:
        runs = [run for run in tx.runs.of_dag("own") if run.run_type is RunType.BACKFILL]
        done = tx.backfills.find(begun.key)
    assert listed == (expected[::-1] if backwards else expected)
    assert sorted(run.logical_date for run in runs if run.logical_date is not None) == expected
    assert {run.state for run in runs} == {RunState.SUCCESS}
    assert done is not None
    assert done.is_complete


def test_a_backfill_of_dates_that_an_authors_own_timetable_has_not_named_is_refused(world: Deployment) -> None:
    """C5: before the start date, after the last one that was named, or where its code fails."""
    world.write("own.py", file_with(most=2 * MOST_PAST))
    processor = world.processor()
    work_until_idle(processor)
    now = START + 3 * MOST_PAST * HOUR

    def refusal(first: datetime, last: datetime) -> str:
        with world.database.begin() as tx, pytest.raises(InvalidRequest) as refused:
            plan_backfill(tx, BackfillRequest("own", first, last), Structures(), now)
        return str(refused.value)

    assert "from_date must not lie before" in refusal(START - HOUR, START + HOUR)
    assert f"its first {MOST_PAST} dates" in refusal(START, START + MOST_PAST * HOUR)
    broken = "if last_automated_data_interval is None and restriction.catchup: raise ValueError('no such day')"
    world.write("own.py", file_with(body=broken, catchup=False))
    look_and_work(processor)
    assert world.errors() == {}
    assert "ValueError: no such day" in refusal(START, START + HOUR)


WORKDAYS = """
from datetime import timedelta
import pendulum
from airflow.sdk import DAG, Asset, AssetOrTimeSchedule
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable

class Workdays(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        return None

    def infer_manual_data_interval(self, *, run_after):
        {body}
        end = run_after.start_of("day")
        while end.subtract(days=1).day_of_week in (pendulum.SATURDAY, pendulum.SUNDAY):
            end = end.subtract(days=1)
        return DataInterval(end.subtract(days=1), end)

with DAG("own", schedule={schedule}, start_date=pendulum.datetime(2026, 1, 1, tz="UTC"), catchup=False):
    EmptyOperator(task_id="a")
"""
SUNDAY = utc("2026-06-14 10:20")
FRIDAY = DataInterval(utc("2026-06-12"), utc("2026-06-13"))


def workdays(body: str = "", schedule: str = "Workdays()") -> str:
    return WORKDAYS.format(body=body or "pass", schedule=schedule)


def ask_for_run(world: Deployment, logical_date: datetime | None = SUNDAY, **values: object) -> Run:
    request = RunRequest("own", logical_date=logical_date, **values)  # type: ignore[arg-type]
    return world.database.transact(lambda tx: trigger_run(tx, request, Structures(), SUNDAY, suffix="abcdefgh"))


def run_again(world: Deployment, run: Run) -> Run:
    with world.database.begin() as tx:
        (found,) = tx.runs.read([run.key])
    return found


def why_waiting(world: Deployment, run: Run) -> list[str]:
    with world.database.begin() as tx:
        return [reason.code for reason in why_run_waits(tx, "own", run.run_id, Structures(), SUNDAY + HOUR)]


@pytest.mark.parametrize(
    "schedule",
    ["Workdays()", "AssetOrTimeSchedule(timetable=Workdays(), assets=[Asset('x')])"],
    ids=["alone", "beside assets"],
)
def test_a_run_by_hand_waits_until_the_authors_timetable_has_said_what_it_is_about(
    world: Deployment, schedule: str
) -> None:
    """C1: as Airflow asks it when the run is triggered; but neither scheduler nor API imports the class."""
    world.write("own.py", workdays(schedule=schedule))
    processor = world.processor()
    work_until_idle(processor)

    asked = ask_for_run(world)
    make_all_due(world, SUNDAY + HOUR)

    waiting = run_again(world, asked)
    assert (waiting.state, waiting.data_interval) == (RunState.QUEUED, None)
    assert why_waiting(world, asked) == ["waits_for_interval"]
    processor.hear_requests()
    work_until_idle(processor)
    assert why_waiting(world, asked) == []
    make_all_due(world, SUNDAY + HOUR)
    done = run_again(world, asked)
    assert (done.state, done.data_interval, done.logical_date) == (RunState.SUCCESS, FRIDAY, SUNDAY)


def test_who_names_an_interval_or_no_date_asks_no_timetable(world: Deployment) -> None:
    """C1: such runs start at once, as in Airflow."""
    world.write("own.py", workdays(body="raise ZeroDivisionError"))
    work_until_idle(world.processor())

    named = ask_for_run(world, data_interval=FRIDAY)
    dateless = ask_for_run(world, None)
    make_all_due(world, SUNDAY + HOUR)

    assert {run_again(world, run).state for run in (named, dateless)} == {RunState.SUCCESS}
    assert (run_again(world, named).data_interval, run_again(world, dateless).data_interval) == (FRIDAY, None)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            'raise ZeroDivisionError("no such day")',
            "Workdays.infer_manual_data_interval: ZeroDivisionError: no such day",
        ),
        ("return DataInterval(run_after.naive(), run_after.naive())", "has no time zone"),
        ("return None", "TypeError"),
    ],
)
def test_a_run_of_which_the_timetable_says_nothing_fails_with_its_words(
    world: Deployment, body: str, said: str
) -> None:
    """C1, B10: it starts no task, and nobody waits for it for ever."""
    world.write("own.py", workdays(body))
    processor = world.processor()
    work_until_idle(processor)

    asked = ask_for_run(world)
    processor.hear_requests()
    work_until_idle(processor)

    failed = run_again(world, asked)
    assert failed.state is RunState.FAILED
    assert said in (failed.reason or "")
    with world.database.begin() as tx:
        assert {task.state for task in tx.tasks.instances(asked.key)} == {TaskState.SKIPPED}
    assert world.errors() == {}


def test_a_question_outlives_the_processor_and_a_file_that_cannot_be_imported(world: Deployment) -> None:
    """C1: it is answered when the file can be read again, by whichever processor, also by another kind of schedule."""
    world.write("own.py", workdays())
    first = world.processor()
    work_until_idle(first)
    asked, other = ask_for_run(world), ask_for_run(world, SUNDAY - HOUR, run_id="other")
    with world.database.begin() as tx:
        (file,) = tx.files.of_bundle("dags-folder")
        assert len(tx.plans.ask([file.key], SUNDAY)[file.key]) == 2  # who was given them died

    world.write("own.py", "import no_such_module  # airflow dag")
    second = world.processor()
    look_and_work(second)
    with world.database.begin() as tx:
        reasons = why_run_waits(tx, "own", asked.run_id, Structures(), SUNDAY + HOUR)
    assert ["cannot be imported" in reason.text for reason in reasons] == [True]
    world.write("own.py", workdays(schedule="'@daily'"))
    look_and_work(second)

    intervals = [run_again(world, run).data_interval for run in (asked, other)]
    assert intervals == [DataInterval(SUNDAY, SUNDAY), DataInterval(SUNDAY - HOUR, SUNDAY - HOUR)]


SHARDS = """
from datetime import timedelta
import pendulum
from airflow.sdk import DAG
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.timetables.base import DagRunInfo, Timetable

class Shards(Timetable):
    partitioned = True

    def next_dagrun_info_v2(self, *, last_dagrun_info, restriction):
        number = 0 if last_dagrun_info is None else int(last_dagrun_info.partition_key.removeprefix("shard ")) + 1
        if number == 150:
            return None
        date = restriction.earliest.add(days=number)
        return DagRunInfo(restriction.earliest.add(hours=number), None, partition_date=date, partition_key={key})

with DAG("own", schedule=Shards(), start_date=pendulum.datetime(2026, 1, 1, 0, 7, tz="UTC"), catchup=True,
         max_active_runs=1000):
    EmptyOperator(task_id="a")
"""


def test_an_authors_own_timetable_names_partitions(world: Deployment) -> None:
    """C1, C3: with the date of each; the last one is told when more are asked for."""
    world.write("own.py", SHARDS.format(key='f"shard {number}"'))
    processor = world.processor()
    work_until_idle(processor)
    with world.database.begin() as tx:
        foreseen = foresee_runs(tx, "own", Structures(), START, count=2)

    for _ in range(3):
        make_all_due(world, START + 400 * HOUR)
        processor.hear_requests()
        work_until_idle(processor)

    with world.database.begin() as tx:
        runs = {run.partition_key: run for run in tx.runs.of_dag("own") if run.run_type is RunType.SCHEDULED}
    assert foreseen.partitions == [("shard 0", START), ("shard 1", START + 24 * HOUR)]
    assert set(runs) == {f"shard {number}" for number in range(150)}
    assert {(run.run_after, run.partition_date) for run in runs.values()} == {
        (START + number * HOUR, START + number * 24 * HOUR) for number in range(150)
    }
    assert {run.data_interval for run in runs.values()} == {None}


@pytest.mark.parametrize("backwards", [False, True])
def test_a_backfill_runs_the_partitions_that_an_authors_own_timetable_has_named(
    world: Deployment, backwards: bool
) -> None:
    """C3, C6: those with a date in the range, ends included; another schedule meanwhile changes none of them."""
    world.write("own.py", SHARDS.format(key='f"shard {number}"'))
    processor = world.processor()
    work_until_idle(processor)
    now = START + 9_000 * HOUR
    request = BackfillRequest("own", START + 24 * HOUR, START + 60 * 24 * HOUR, run_backwards=backwards)
    expected = [(f"shard {number}", START + number * 24 * HOUR) for number in range(1, 61)]

    with world.database.begin() as tx:
        asked_for = plan_backfill(tx, request, Structures(), now)
        listed = [(each.partition_key, each.partition_date) for each in runs_to_make(tx, asked_for, Structures())]
        begun = start_backfill(tx, asked_for, Structures(), now)
    world.write("own.py", SHARDS.format(key='f"shard {9000 - number}"'))
    look_and_work(processor)
    make_all_due(world, now)

    with world.database.begin() as tx:
        runs = [run for run in tx.runs.of_dag("own") if run.run_type is RunType.BACKFILL]
        done = tx.backfills.find(begun.key)
        once_more = plan_backfill(tx, request, Structures(), now)
        assert list(runs_to_make(tx, once_more, Structures())) == []
    assert listed == (expected[::-1] if backwards else expected)
    assert sorted((run.partition_date, run.partition_key) for run in runs if run.partition_date is not None) == [
        (date, key) for key, date in expected
    ]
    assert {(run.state, run.logical_date) for run in runs} == {(RunState.SUCCESS, None)}
    assert done is not None
    assert done.is_complete


@pytest.mark.parametrize("date", ["None", "restriction.earliest"])
def test_partitions_without_a_date_of_their_own_are_not_backfilled(world: Deployment, date: str) -> None:
    """C6."""
    file = SHARDS.format(key='f"shard {number}"').replace("partition_date=date", f"partition_date={date}")
    world.write("own.py", file)
    work_until_idle(world.processor())

    with world.database.begin() as tx, pytest.raises(InvalidRequest, match="no date each of its own"):
        plan_backfill(tx, BackfillRequest("own", START, START + HOUR), Structures(), START + 400 * HOUR)


DATES = """
    def resolve_partition_date(self, partition_key):
        number = int(partition_key.removeprefix("shard "))
        return None if number > 149 else pendulum.datetime(2026, 1, 1, 0, 7, tz="UTC").add(days=number)

with DAG("""


def shards_with_dates() -> str:
    return SHARDS.format(key='f"shard {number}"').replace("\nwith DAG(", DATES)


@pytest.mark.parametrize(
    ("key", "date", "state"),
    [
        pytest.param("shard 7", START + 7 * 24 * HOUR, RunState.QUEUED, id="a key that has a date"),
        pytest.param("shard 150", None, RunState.QUEUED, id="one that has none"),
        pytest.param("north", None, RunState.FAILED, id="one that the timetable does not know"),
    ],
)
def test_a_run_by_hand_of_a_partition_has_the_date_that_the_timetable_says(
    world: Deployment, key: str, date: datetime | None, state: RunState
) -> None:
    """C1, C3: it waits until the author's code has said so, also where nobody looks for a run of that id first."""
    world.write("own.py", shards_with_dates())
    processor = world.processor()
    work_until_idle(processor)
    structures = Structures()
    request = RunRequest("own", partition_key=key)
    for suffix in ("abcdefgh", "stuvwxyz"):
        with world.database.begin() as tx:
            request_shown_run(tx, request, structures, START, suffix=suffix)
    with world.database.begin() as tx:
        by_hand = [run for run in tx.runs.of_dag("own") if run.run_type is RunType.MANUAL]
        assert {question.run_key for question in tx.plans.questions(["own"])} == {run.key for run in by_hand}

    processor.hear_requests()
    work_until_idle(processor)

    with world.database.begin() as tx:
        assert tx.plans.questions(["own"]) == []
    told = [run_again(world, run) for run in by_hand]
    assert [(run.partition_date, run.data_interval, run.state) for run in told] == [(date, None, state)] * 2
    if state is RunState.FAILED:
        assert "Shards.resolve_partition_date: ValueError" in (told[0].reason or "")


def test_a_timetable_that_took_the_place_of_the_authors_own_says_what_date_a_partition_has(world: Deployment) -> None:
    """C1, C3."""
    world.write("own.py", shards_with_dates())
    processor = world.processor()
    work_until_idle(processor)
    known = ask_for_run(world, None, partition_key="2026-01-05T00:00:00")
    unknown = ask_for_run(world, None, partition_key="shard 7", run_id="other")

    schedule = 'schedule=CronPartitionTimetable("0 0 * * *", timezone="UTC")'
    cron = shards_with_dates().replace("schedule=Shards()", schedule)
    world.write("own.py", "from airflow.sdk import CronPartitionTimetable\n" + cron)
    processor.hear_requests()
    work_until_idle(processor)

    assert world.errors() == {}
    assert run_again(world, known).partition_date == utc("2026-01-05")
    failed = run_again(world, unknown)
    assert (failed.state, failed.partition_date) == (RunState.FAILED, None)
    assert "does not match format" in (failed.reason or "")


@pytest.mark.parametrize("key", ["7", "' '", "'x' * 300"])
def test_a_partition_key_that_is_none_is_an_import_error(world: Deployment, key: str) -> None:
    """C1, B10."""
    world.write("own.py", SHARDS.format(key=key))

    work_until_idle(world.processor())

    assert "a partition key is a text of 1 to 250 characters" in world.errors()["own.py"]


def test_whoever_asks_through_the_api_is_shown_a_run_that_waits(world: Deployment) -> None:
    """C1, G1: the answer comes at once, and without an interval."""
    world.write("own.py", workdays())
    processor = world.processor()
    work_until_idle(processor)
    request = RunRequest("own", logical_date=SUNDAY)

    shown = world.database.transact(lambda tx: request_shown_run(tx, request, Structures(), SUNDAY, suffix="abcdefgh"))
    processor.hear_requests()
    work_until_idle(processor)

    assert (shown["state"], shown["data_interval_start"]) == ("queued", None)
    with world.database.begin() as tx:
        assert [run.data_interval for run in tx.runs.of_dag("own")] == [FRIDAY]


def test_a_timetable_that_does_not_answer_is_named_and_other_dags_of_the_file_are_read(tmp_path: Path) -> None:
    """C1, A5."""
    with deployment(tmp_path / "home", dags_are_paused_at_creation="False", dagbag_import_timeout="1") as world:
        other = 'with DAG("other", schedule=None):\n    EmptyOperator(task_id="a")\n'
        world.write("own.py", file_with(body="while True: pass") + other)

        work_until_idle(world.processor())

        error = world.errors()["own.py"]
        assert "the timetable SevenPast has not answered within 1 s" in error
        assert "while True: pass" in error
        assert "What to do: let next_dagrun_info, and what else the timetable is asked, return soon" in error
        assert world.active() == ["other"]


NAMED = """
    def generate_run_id(self, *, run_type, run_after, data_interval, **extra):
        return {run_id}

"""


def file_with_ids(run_id: str, schedule: str = "SevenPast({most})") -> str:
    return file_with(most=3, schedule=schedule).replace(
        "\n    def infer_manual", NAMED.format(run_id=run_id) + "    def infer_manual"
    )


def test_runs_of_the_timetable_and_of_backfills_are_called_as_the_author_wants(world: Deployment) -> None:
    """C1, C5."""
    world.write("own.py", file_with_ids("f'{run_type.value}__hour-{data_interval.start:%H}'"))
    work_until_idle(world.processor())
    now = START + 500 * HOUR
    request = BackfillRequest("own", START + HOUR, START + HOUR)

    with world.database.begin() as tx:
        start_backfill(tx, plan_backfill(tx, request, Structures(), now), Structures(), now)
    for _ in range(3):
        make_all_due(world, now)

    with world.database.begin() as tx:
        assert {run.run_id for run in tx.runs.of_dag("own")} == {
            "scheduled__hour-00",
            "backfill__hour-01",
            "scheduled__hour-02",
        }


@pytest.mark.parametrize(
    "schedule",
    [
        "AssetOrTimeSchedule(timetable=SevenPast({most}), assets=Asset('x'))",
        "AssetAndTimeSchedule(timetable=SevenPast({most}), assets=Asset('x'), deadline=timedelta(hours=1))",
    ],
)
def test_runs_of_a_timetable_beside_assets_are_called_as_its_author_wants(world: Deployment, schedule: str) -> None:
    """C1, C5: as in Airflow, where the combination asks the timetable in it."""
    world.write("own.py", file_with_ids("f'{run_type.value}__hour-{data_interval.start:%H}'", schedule))
    work_until_idle(world.processor())

    make_all_due(world, START + 500 * HOUR)

    with world.database.begin() as tx:
        made = {run.run_id for run in tx.runs.of_dag("own")}
    assert made == {"scheduled__hour-00", "scheduled__hour-01", "scheduled__hour-02"}


@pytest.mark.parametrize(
    ("run_id", "words"),
    [
        ("'the same'.replace(' ', '-')", "SevenPast.generate_run_id gives several runs the same id"),
        ("'up/../' + run_after.isoformat()", "must not contain '..'"),
        ("None", "SevenPast.generate_run_id: run id None is empty"),
        ("7", "SevenPast.generate_run_id"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_what_is_no_id_of_a_run_is_an_import_error(world: Deployment, run_id: str, words: str) -> None:
    """C1, B10."""
    world.write("own.py", file_with_ids(run_id))

    work_until_idle(world.processor())

    assert words in world.errors()["own.py"]
