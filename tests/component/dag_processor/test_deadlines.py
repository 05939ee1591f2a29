"""Deadlines: set with the run, missed by the clock, told to the author's code (D4)."""

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import Deployment, deployment, work_until_idle
from tests.component.world import PatientExecutor
from tests.instants import utc
from tradewind.dag_processor.service import DagProcessor
from tradewind.errors import CallbackCalledOff
from tradewind.executors.instant import InstantExecutor
from tradewind.executors.interface import Executor
from tradewind.model.deadline import Deadline, DeadlineState
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem, CallbackOrder
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.model.states import RunState
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.clear_tasks import clear_tasks
from tradewind.operations.deadline_callback_engine import StoredCallbacks
from tradewind.operations.manage_variables import set_variable
from tradewind.operations.mark_state import mark_run
from tradewind.operations.outside_tasks import OutsideTasks
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.runtime.clock import SystemClock
from tradewind.scheduler.service import Scheduler
from tradewind.secrets.encryption import Encryption
from tradewind.telemetry.events import CallbackCalled, DeadlineCallbackLost, DeadlineMet, DeadlineMissed
from tradewind.telemetry.hub import Hub
from tradewind.testing.clock import FakeClock
from tradewind.triggerer.calling_back import Call, CallingBack
from tradewind.worker.callback_process import CallbackProcess

NOW = utc("2026-06-01 12:00")
MINUTE = timedelta(minutes=1)
LEASE_S = 30.0
PATIENCE_S = 60.0
FILE = """
import json
import logging
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from airflow.sdk import DAG, AsyncCallback, BaseDeadlineReference, DeadlineAlert, DeadlineReference, SyncCallback
from airflow.sdk import Variable
from airflow.sdk import deadline_reference
from airflow.sdk.bases.notifier import BaseNotifier
from airflow.sdk.definitions.deadline import VariableInterval
from airflow.providers.standard.operators.bash import BashOperator

def write(line):
    with Path({notes!r}).open("a") as file:
        file.write(json.dumps(line) + "\\n")

def note(text, context):
    write([text, context["dag_run"]["run_id"], context["deadline"]["deadline_time"]])

def bare(text):
    write([text])

async def note_later(text, context):
    write([text, context["dag_run"]["dag_run_id"], context["deadline"]["deadline_time"]])

class Told(BaseNotifier):
    def __init__(self, text):
        super().__init__()
        self.text = text

    def notify(self, context):
        write([self.text, context["dag_run"]["run_id"]])

    async def async_notify(self, context):
        write([self.text, context["dag_run"]["run_id"]])

def never_ends(context):
    while True:
        pass

def breaks(context):
    raise ValueError("nobody is at home")

def talks(context):
    print("so late", Variable.get("password"))
    logging.getLogger("mine").warning("call %s", Variable.get("password"))
    os.system("echo from another program")

def writes_variable(context):
    Variable.set("a", "b")

def dies(context):
    os._exit(7)

@deadline_reference
class HalfPast(BaseDeadlineReference):
    required_kwargs = {{"run_after"}}

    def _evaluate_with(self, *, session, run_after, **kwargs):
        return run_after.replace(minute=30)

MINUTE = timedelta(minutes=1)
with DAG("sales", schedule=None, is_paused_upon_creation=False, deadline={deadlines}):
    BashOperator(task_id="load", bash_command="x")
"""
QUEUED = "DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, 10 * MINUTE, {callback})"
SYNC = "SyncCallback(note, kwargs={'text': 'late'})"


def deadline_with(callback: str = SYNC) -> str:
    return QUEUED.format(callback=callback)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Deployment]:
    with deployment(tmp_path / "home") as made:
        with made.database.begin() as tx:
            tx.pools.create(Pool(DEFAULT_POOL, 16))
        yield made


class CallingExecutor(PatientExecutor):
    """Keeps what it is to have called."""

    def __init__(self, clock: FakeClock, name: str = "patient") -> None:
        super().__init__(clock, name=name)
        self.items: list[CallbackItem] = []

    def call_back(self, items: Sequence[CallbackItem]) -> None:
        self.items += items


class Life:
    """A run of the DAG, the clock, and who does what."""

    def __init__(self, world: Deployment, tmp_path: Path, *deadlines: str) -> None:
        self.world = world
        self.notes = tmp_path / "notes.txt"
        world.write("sales.py", FILE.format(notes=str(self.notes), deadlines=f"[{', '.join(deadlines)}]"))
        self.processor: DagProcessor = world.processor()
        work_until_idle(self.processor)
        assert world.errors() == {}
        self.clock = FakeClock(NOW)
        self.executor = CallingExecutor(self.clock)
        answer = OutsideTasks(world.database, Encryption([]))
        self.engine = StoredCallbacks(world.database, self.clock, answer, lease_s=LEASE_S)
        self.make = partial(
            CallbackProcess,
            ask=answer,
            clock=SystemClock(),
            environ=dict(os.environ),
            plugins="",
            patience_s=PATIENCE_S,
        )

    def trigger(self, run_id: str = "r1", logical_date: datetime | None = None) -> None:
        with self.world.database.begin() as tx:
            request = RunRequest("sales", run_id=run_id, logical_date=logical_date)
            trigger_run(tx, request, Structures(), self.clock.now(), suffix="aaaaaaaa")

    def clear(self, after: timedelta) -> None:
        """Somebody has all tasks of the run start over."""
        self.clock.advance(after.total_seconds())
        with self.world.database.begin() as tx:
            clear_tasks(tx, Selection("sales", "r1"), Structures(), self.clock.now())

    def schedule(self, *others: Executor, instantly: bool = False) -> Scheduler:
        first: Executor = InstantExecutor(self.clock.now) if instantly else self.executor
        made = Scheduler(self.world.database, [first, *others], self.clock, hub=Hub(self.world.events.append))
        made.start()
        self.settle(made)
        return made

    def settle(self, scheduler: Scheduler, after: timedelta = timedelta(0)) -> None:
        self.clock.advance(after.total_seconds())
        for _ in range(3):
            while scheduler.run_once():
                pass
            self.clock.advance(2.0)

    def miss(self) -> Scheduler:
        """A run that is not over in time."""
        self.trigger()
        scheduler = self.schedule()
        self.settle(scheduler, 11 * MINUTE)
        return scheduler

    def begin(self) -> list[CallbackOrder]:
        """What a worker is to call."""
        items, self.executor.items = self.executor.items, []
        return self.engine.begin(items)

    def call(self) -> None:
        """All that is for workers."""
        for order in self.begin():
            error, output = self.make(order).run(self.world.dags)
            self.engine.end([CallbackEnd(order.key, order.attempt, error, output)])

    def calling(self, wake: Callable[[], None], make: Callable[[CallbackOrder], Call] | None = None) -> CallingBack:
        """The part of a triggerer."""
        return CallingBack(
            self.world.database,
            self.clock,
            make or self.make,
            Folder(self.world.dags),
            lease_s=LEASE_S,
            wake=wake,
            hub=Hub(self.world.events.append),
        )

    def call_in_triggerer(self) -> None:
        """All that is for triggerers."""
        has_ended = threading.Event()
        calling = self.calling(has_ended.set)
        left = calling.take()
        while left:
            assert has_ended.wait(PATIENCE_S)
            has_ended.clear()
            left -= calling.store_ended()
        calling.close()

    def deadlines(self, run_id: str = "r1") -> list[Deadline]:
        with self.world.database.begin() as tx:
            run = tx.runs.find("sales", run_id)
            assert run is not None
            return tx.deadlines.of_run(run.key)

    def told(self) -> list[list[str]]:
        return [json.loads(line) for line in self.notes.read_text().splitlines()] if self.notes.exists() else []


class Folder:
    """Where the code is. Implements `code_places.Folders`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def known_folder(self, _bundle: str, _version: str | None) -> Path:
        return self._path

    def folder(self, _bundle: str, _version: str | None) -> Path:
        return self._path


@pytest.mark.parametrize(
    ("callback", "expected"),
    [
        (SYNC, ["late", "r1", "2026-06-01T12:10:00+00:00"]),
        ("SyncCallback(bare, kwargs={'text': 'short'})", ["short"]),
        ("SyncCallback(Told, kwargs={'text': 'a notifier'})", ["a notifier", "r1"]),
    ],
)
def test_a_run_that_is_not_over_in_time_is_told_of_once_by_a_worker(
    world: Deployment, tmp_path: Path, callback: str, expected: list[str]
) -> None:
    """D4: with every kind of callback. Neither the scheduler, nor the DAG processor, nor a triggerer calls it."""
    life = Life(world, tmp_path, deadline_with(callback))
    life.trigger()
    scheduler = life.schedule()
    assert [each.state for each in life.deadlines()] == [DeadlineState.AHEAD]

    life.settle(scheduler, 11 * MINUTE)
    life.processor.meet_deadlines()
    work_until_idle(life.processor)
    life.call_in_triggerer()
    (queued,) = life.deadlines()
    (item,) = life.executor.items
    life.call()
    life.settle(scheduler, MINUTE)
    life.call()

    assert queued.missed_at is not None
    assert queued.state is DeadlineState.QUEUED
    assert life.told() == [expected]
    assert [each.state for each in life.deadlines()] == [DeadlineState.SUCCESS]
    assert life.engine.begin([item]) == []
    assert len([event for event in world.events if isinstance(event, DeadlineMissed)]) == 1


@pytest.mark.parametrize(
    ("callback", "expected"),
    [
        ("AsyncCallback(note_later, kwargs={'text': 'later'})", ["later", "r1", "2026-06-01T12:10:00+00:00"]),
        ("AsyncCallback(Told, kwargs={'text': 'a notifier'})", ["a notifier", "r1"]),
    ],
)
def test_callbacks_that_are_awaited_are_called_by_a_triggerer(
    world: Deployment, tmp_path: Path, callback: str, expected: list[str]
) -> None:
    """D4."""
    life = Life(world, tmp_path, deadline_with(callback))
    life.miss()

    assert life.executor.items == []
    life.call_in_triggerer()
    life.call_in_triggerer()

    assert life.told() == [expected]
    assert [each.state for each in life.deadlines()] == [DeadlineState.SUCCESS]
    assert [event.error for event in world.events if isinstance(event, CallbackCalled)] == [None]


def test_a_callback_goes_to_the_executor_that_it_names(world: Deployment, tmp_path: Path) -> None:
    """D1, D4: or it fails, and says why, where that calls none."""
    life = Life(world, tmp_path, deadline_with("SyncCallback(note, kwargs={'text': 'late'}, executor='far')"))
    far, deaf = CallingExecutor(life.clock, "far"), PatientExecutor(life.clock, name="far")
    life.trigger("r1")
    life.settle(life.schedule(far), 11 * MINUTE)
    states = [each.state for each in life.deadlines("r1")]
    life.trigger("r2")
    life.settle(life.schedule(deaf), 11 * MINUTE)
    life.trigger("r3")
    life.settle(life.schedule(), 11 * MINUTE)

    assert (len(far.items), life.executor.items) == (1, [])
    assert states == [DeadlineState.QUEUED]
    assert [each.message for each in life.deadlines("r2")] == ["executor 'far' calls no callbacks of deadlines"]
    assert [each.message for each in life.deadlines("r3")] == ["there is no executor 'far'"]


def test_what_a_callback_prints_and_logs_is_kept_without_secrets(world: Deployment, tmp_path: Path) -> None:
    """D4, D5."""
    life = Life(world, tmp_path, deadline_with("SyncCallback(talks)"))
    with world.database.begin() as tx:
        set_variable(tx, "password", "hush-hush-77", cipher=Encryption([]), now=NOW)
    life.miss()

    life.call()

    (ended,) = life.deadlines()
    assert (ended.state, ended.message) == (DeadlineState.SUCCESS, None)
    assert ended.output is not None
    assert "so late ***" in ended.output
    assert "[warning] call ***" in ended.output
    assert "from another program" in ended.output
    assert "hush" not in ended.output


@pytest.mark.parametrize(
    ("callback", "why"),
    [
        ("SyncCallback(breaks)", "ValueError: nobody is at home"),
        ("SyncCallback(writes_variable)", "needs a running task"),
        ("SyncCallback(dies)", "its process ended before it did, with exit code 7"),
        ("SyncCallback('missing.module.function')", "No module named 'missing'"),
    ],
)
def test_a_callback_that_fails_is_noted_and_not_called_again(
    world: Deployment, tmp_path: Path, callback: str, why: str
) -> None:
    """D4, B10."""
    life = Life(world, tmp_path, deadline_with(callback), deadline_with())
    scheduler = life.miss()

    life.call()
    life.settle(scheduler, 2 * MINUTE)
    life.call()

    failed, called = life.deadlines()
    assert failed.state is DeadlineState.FAILED
    assert why in str(failed.message)
    assert called.state is DeadlineState.SUCCESS
    assert len(life.told()) == 1


def test_a_file_that_has_changed_since_says_so(world: Deployment, tmp_path: Path) -> None:
    """D4: nothing else is called instead."""
    life = Life(world, tmp_path, deadline_with())
    life.miss()
    world.write("sales.py", FILE.format(notes=str(life.notes), deadlines="[]"))

    life.call()

    (failed,) = life.deadlines()
    assert "the file has no such deadline any more" in str(failed.message)


@pytest.mark.parametrize(("killed", "state", "times"), [(1, DeadlineState.SUCCESS, 1), (2, DeadlineState.FAILED, 0)])
def test_who_died_over_a_callback_is_followed_once_and_no_more(
    world: Deployment, tmp_path: Path, killed: int, state: DeadlineState, times: int
) -> None:
    """D4, B5: a callback that ends the process of who calls it does not go on doing so, and what a process says that
    was taken for dead does not count."""
    life = Life(world, tmp_path, deadline_with())
    scheduler = life.miss()
    dead: CallbackOrder
    for _ in range(killed):
        (dead,) = life.begin()
        life.settle(scheduler, timedelta(seconds=LEASE_S))

    life.engine.end([CallbackEnd(dead.key, dead.attempt, "late")])
    life.call()

    (after,) = life.deadlines()
    assert after.state is state
    assert (after.message is not None and "more than once" in after.message) is (killed == 2)
    assert len(life.told()) == times
    lost = [event for event in world.events if isinstance(event, DeadlineCallbackLost)]
    assert [event.attempt for event in lost] == list(range(1, killed + 1))


def test_who_lives_keeps_its_callback(world: Deployment, tmp_path: Path) -> None:
    """D4: however long that takes."""
    life = Life(world, tmp_path, deadline_with())
    scheduler = life.miss()
    (order,) = life.begin()

    for _ in range(3):
        life.settle(scheduler, timedelta(seconds=LEASE_S / 2))
        life.engine.renew([order.item])
    life.engine.end([CallbackEnd(order.key, order.attempt, None)])

    assert life.executor.items == []
    assert [each.state for each in life.deadlines()] == [DeadlineState.SUCCESS]


def test_a_triggerer_that_stops_leaves_its_callback_to_another_one(world: Deployment, tmp_path: Path) -> None:
    """D4, E6."""
    life = Life(world, tmp_path, deadline_with("AsyncCallback(note_later, kwargs={'text': 'later'})"))
    scheduler = life.miss()
    stopping = life.calling(lambda: None, make=Held)
    assert stopping.take() == 1
    stopping.close()
    life.settle(scheduler, MINUTE)

    life.call_in_triggerer()

    assert life.told() == [["later", "r1", "2026-06-01T12:10:00+00:00"]]
    assert [each.state for each in life.deadlines()] == [DeadlineState.SUCCESS]


class Held:
    """A callback that does not end by itself."""

    def __init__(self, _order: CallbackOrder) -> None:
        self._is_over = threading.Event()

    def run(self, _root: Path) -> tuple[str | None, str]:
        assert self._is_over.wait(PATIENCE_S)
        raise CallbackCalledOff("stopped")

    def call_off(self) -> None:
        self._is_over.set()


def test_a_callback_that_takes_too_long_is_ended(world: Deployment, tmp_path: Path) -> None:
    """D4, B10: `[callbacks] callback_execution_timeout`, besides what the file may take to be imported."""
    life = Life(world, tmp_path, deadline_with("SyncCallback(never_ends)"))
    life.miss()
    life.make = partial(life.make, patience_s=2.5)

    life.call()

    (ended,) = life.deadlines()
    assert ended.state is DeadlineState.FAILED
    assert "did not end within 2.5 s" in str(ended.message)
    assert "callback_execution_timeout" in str(ended.message)


def test_a_run_that_succeeds_in_time_leaves_no_deadline(world: Deployment, tmp_path: Path) -> None:
    """D4."""
    life = Life(world, tmp_path, deadline_with())
    life.trigger()
    scheduler = life.schedule(instantly=True)

    life.settle(scheduler, 11 * MINUTE)
    life.call()

    assert life.deadlines() == []
    assert life.told() == []
    assert len([event for event in world.events if isinstance(event, DeadlineMet)]) == 1


def test_a_run_that_has_succeeded_has_no_deadline_to_come_also_if_it_starts_over(
    world: Deployment, tmp_path: Path
) -> None:
    """D4: it has done what was wanted, and what somebody does with it later is no miss."""
    life = Life(world, tmp_path, deadline_with())
    life.trigger()
    scheduler = life.schedule(instantly=True)

    assert life.deadlines() == []
    life.clear(2 * MINUTE)
    life.settle(scheduler, 11 * MINUTE)

    assert not [event for event in world.events if isinstance(event, DeadlineMissed)]


def test_a_run_that_is_marked_as_successful_has_met_its_deadlines(world: Deployment, tmp_path: Path) -> None:
    """D4."""
    life = Life(world, tmp_path, deadline_with())
    life.trigger()
    life.schedule()

    with world.database.begin() as tx:
        mark_run(tx, "sales", "r1", RunState.SUCCESS, Structures(), life.clock.now())

    assert life.deadlines() == []


@pytest.mark.parametrize(
    ("reference", "moves"),
    [
        ("DAGRUN_QUEUED_AT", True),
        ("AVERAGE_RUNTIME(10, 1)", True),
        ("DAGRUN_LOGICAL_DATE", False),
        ("FIXED_DATETIME(datetime(2026, 6, 1, 12, 5, tzinfo=timezone.utc))", False),
    ],
)
def test_a_run_that_starts_over_has_its_time_again(
    world: Deployment, tmp_path: Path, reference: str, moves: bool
) -> None:
    """D4: where it is counted from when the run was queued; a date stays a date."""
    life = Life(world, tmp_path, f"DeadlineAlert(DeadlineReference.{reference}, 30 * MINUTE, {SYNC})")
    life.trigger("before")
    life.schedule(instantly=True)
    life.trigger(logical_date=NOW)
    with world.database.begin() as tx:
        mark_run(tx, "sales", "r1", RunState.FAILED, Structures(), life.clock.now())
    (before,) = life.deadlines()

    life.clear(5 * MINUTE)

    (after,) = life.deadlines()
    assert before.due_at is not None
    assert after.due_at == before.due_at + (5 * MINUTE if moves else timedelta(0))


def test_deadlines_are_counted_from_what_their_reference_says(world: Deployment, tmp_path: Path) -> None:
    """D4: the author's own reference and an interval in a variable are worked out where the file is read."""
    references = {
        "DeadlineReference.DAGRUN_QUEUED_AT": NOW,
        "DeadlineReference.DAGRUN_LOGICAL_DATE": utc("2026-06-01 00:00"),
        "DeadlineReference.FIXED_DATETIME(datetime(2026, 7, 1, tzinfo=timezone.utc))": utc("2026-07-01 00:00"),
        "DeadlineReference.HalfPast": utc("2026-06-01 12:30"),
    }
    alerts = [f"DeadlineAlert({each}, 5 * MINUTE, {SYNC}, name='d')" for each in references]
    alerts.append(f"DeadlineAlert(DeadlineReference.DAGRUN_QUEUED_AT, VariableInterval('patience'), {SYNC})")
    alerts.append(f"DeadlineAlert(DeadlineReference.AVERAGE_RUNTIME(10, 1), 5 * MINUTE, {SYNC})")
    life = Life(world, tmp_path, *alerts)
    life.processor.state.pool._answer = lambda method, _: "90" if method == "get_variable" else None

    life.trigger(logical_date=utc("2026-06-01 00:00"))
    life.processor.meet_deadlines()
    work_until_idle(life.processor)

    # No run has ever ended, so that there is no average.
    assert [each.due_at for each in life.deadlines()] == [
        *(at + 5 * MINUTE for at in references.values()),
        NOW + timedelta(seconds=90),
    ]
    assert {each.state for each in life.deadlines()} == {DeadlineState.AHEAD}


def test_the_average_is_that_of_successful_runs(world: Deployment, tmp_path: Path) -> None:
    """D4."""
    life = Life(world, tmp_path, f"DeadlineAlert(DeadlineReference.AVERAGE_RUNTIME(10, 2), MINUTE, {SYNC})")
    for number, minutes in enumerate((2, 4)):
        life.trigger(f"before{number}")
        scheduler = life.schedule()
        life.clock.advance(60.0 * minutes)
        life.executor.end("load")
        life.settle(scheduler)
    with world.database.begin() as tx:
        runs = [run for run in tx.runs.of_dag("sales") if run.state is RunState.SUCCESS]
    took = [run.finished_at - run.started_at for run in runs if run.finished_at and run.started_at]
    assert len(took) == 2

    queued_at = life.clock.now()
    life.trigger("now")

    assert [each.due_at for each in life.deadlines("now")] == [queued_at + sum(took, timedelta()) / 2 + MINUTE]
