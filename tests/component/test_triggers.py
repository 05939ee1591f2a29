"""Events of triggers change their tasks once, whoever says them and how often (E1, E4, E6, E7)."""

import json
import math
from datetime import timedelta

import msgspec
import pytest
import sqlalchemy as sa

from tests.component.world import PatientExecutor, World
from tradewind.model.assignment import Assignment
from tradewind.model.attempt_end import AttemptResult, Deferral
from tradewind.model.dag import Retry, Task
from tradewind.model.exchange import Exchange
from tradewind.model.ids import AttemptKey, JobKey, TriggerKey
from tradewind.model.states import TaskState
from tradewind.model.task import Deferred, Rescheduled, WorkItem
from tradewind.model.trigger import Broke, EndedTask, Fired, Happened
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.claim_triggers import TRIGGERER_KIND, bury_triggerers, claim_triggers, find_unwanted
from tradewind.operations.fire_triggers import fire_triggers
from tradewind.operations.settle_attempts import settle_attempts
from tradewind.secrets.encryption import Encryption, new_key
from tradewind.storage.schema import dag_version

CIPHER = Encryption([new_key()])
KWARGS = {"seconds": 3}


class Waiting:
    """A run whose task `a` waits for a trigger."""

    def __init__(self, world: World, *, retries: int = 0, timeout: timedelta | None = None) -> None:
        world.dag(Task("a", retry=Retry(retries=retries, delay_s=60.0)))
        world.trigger()
        self.world = world
        self.executor = PatientExecutor(world.clock, starts=False)
        world.scheduler(self.executor)
        world.settle()
        self.attempt = self.defer(timeout)

    def defer(self, timeout: timedelta | None = None) -> AttemptKey:
        """Its attempt leaves its worker."""
        attempt, now = self.executor.attempt("a"), self.world.clock.now()
        until = None if timeout is None else now + timeout
        waits_for = Deferral(
            trigger_path="p.Clock",
            trigger_kwargs=KWARGS,
            next_method="go_on",
            next_kwargs={"kept": 1},
            timeout=timeout,
        )
        result = AttemptResult(report=Deferred(attempt, now, until=until), waits_for=waits_for)
        self.executor.revoke([attempt])
        with self.world.database.begin() as tx:
            settle_attempts(tx, [result], now, self.world.structures, cipher=CIPHER)
        return attempt

    def claim(self, job: int = 1) -> TriggerKey:
        """A triggerer takes its trigger."""
        with self.world.database.begin() as tx:
            (claimed,) = claim_triggers(tx, JobKey(job), 5, self.world.clock.now())
        return claimed.key

    def fire(self, what: Happened | Broke | EndedTask, *, trigger: int = 1, attempt: AttemptKey | None = None) -> bool:
        """The trigger says so. Whether that changed the task."""
        fired = Fired(TriggerKey(trigger), attempt or self.attempt, what)
        with self.world.database.begin() as tx:
            return bool(fire_triggers(tx, [fired], self.world.clock.now(), self.world.structures))

    def goes_on_with(self) -> tuple[str, object]:
        """The method and the arguments with which it goes on."""
        with self.world.database.begin() as tx:
            (deferral,) = tx.deferrals.of_tasks([self.attempt.task]).values()
        return deferral.next_method, deferral.next_kwargs

    def triggers(self) -> int:
        """How many are stored."""
        with self.world.database.begin() as tx:
            return len(tx.triggers.sealed())


def test_an_event_of_ten_megabytes_arrives_whole(any_world: World) -> None:
    """E7: on every database."""
    waiting, much = Waiting(any_world), "x" * 10_000_000

    assert waiting.fire(Happened(much))

    assert waiting.goes_on_with() == ("go_on", {"kept": 1, "event": much})


def test_the_first_event_lets_the_task_go_on_and_no_other_does(any_world: World) -> None:
    """E7: doubled in one message, again later, and from another triggerer."""
    waiting = Waiting(any_world)
    key = waiting.claim()
    events = [Fired(key, waiting.attempt, Happened(number)) for number in (1, 2)]

    with any_world.database.begin() as tx:
        changed = fire_triggers(tx, events, any_world.clock.now(), any_world.structures)

    assert changed == {waiting.attempt.task}
    assert waiting.goes_on_with() == ("go_on", {"kept": 1, "event": 1})
    assert not waiting.fire(Happened(3), trigger=key)
    assert waiting.goes_on_with() == ("go_on", {"kept": 1, "event": 1})
    assert waiting.triggers() == 0
    any_world.settle()
    assert waiting.executor.attempt("a") == waiting.attempt._replace(attempt=2)


def test_an_event_of_an_earlier_deferral_changes_nothing(world: World) -> None:
    """E7: neither after the task defers again nor after it was cleared."""
    waiting = Waiting(world)
    first, key = waiting.attempt, waiting.claim()
    assert waiting.fire(Happened("one"), trigger=key)
    world.settle()
    waiting.attempt = waiting.defer()

    assert not waiting.fire(Happened("late"), trigger=key, attempt=first)
    assert waiting.goes_on_with() == ("go_on", {"kept": 1})

    second = waiting.claim()
    world.clear("a")
    assert not waiting.fire(Happened("later"), trigger=second)
    world.settle()
    assert waiting.executor.attempt("a").attempt == 3


def test_an_error_goes_to_the_worker_with_its_traceback(world: World) -> None:
    waiting = Waiting(world)

    assert waiting.fire(Broke(("line 1", "ValueError: no")), trigger=waiting.claim())

    error = {"error": "Trigger failure", "traceback": ["line 1", "ValueError: no"]}
    assert waiting.goes_on_with() == ("__fail__", error)


def test_a_deferral_that_takes_too_long_goes_on_with_an_error(any_world: World) -> None:
    """E1: as in Airflow, so that callbacks of the author are called in a worker. Its trigger is to stop at once."""
    waiting = Waiting(any_world, timeout=timedelta(seconds=60))
    key = waiting.claim()

    any_world.pass_time(60)

    assert waiting.executor.attempt("a") == waiting.attempt._replace(attempt=2)
    assert waiting.goes_on_with() == ("__fail__", {"error": "Trigger timeout"})
    with any_world.database.begin() as tx:
        assert find_unwanted(tx, JobKey(1), [key]) == {key}
        assert tx.triggers.called_off(JobKey(1)) == {key: False}


@pytest.mark.parametrize(
    ("said", "retries", "state", "value"),
    [
        (TaskState.SUCCESS, 0, "success", 7),
        (TaskState.SKIPPED, 0, "skipped", 7),
        (TaskState.FAILED, 0, "failed", 7),
        (TaskState.FAILED, 1, "up_for_retry", None),
    ],
)
def test_an_event_may_end_the_task(world: World, said: TaskState, retries: int, state: str, value: object) -> None:
    """E4: what it leaves to others is kept only if it has ended for good."""
    waiting = Waiting(world, retries=retries)
    key = waiting.claim()

    assert waiting.fire(EndedTask(said, {"result": 7}), trigger=key)
    assert not waiting.fire(EndedTask(TaskState.FAILED, {"result": 8}), trigger=key)

    world.settle()
    assert world.states() == {"a": state}
    with world.database.begin() as tx:
        found = {each.key: each.value for each in tx.xcoms.of_run(waiting.attempt.run_key)}
    assert found.get("result") == value


def test_triggers_of_dead_triggerers_are_free(any_world: World) -> None:
    """E6."""
    waiting = Waiting(any_world)
    now = any_world.clock.now()
    with any_world.database.begin() as tx:
        dead, alive = (tx.jobs.start(TRIGGERER_KIND, hostname="a", pid=pid, now=now) for pid in (1, 2))
    key = waiting.claim(dead)
    with any_world.database.begin() as tx:
        (record, _) = sorted(tx.jobs.live(TRIGGERER_KIND), key=lambda each: each.job_key)
        assert bury_triggerers(tx, [], now) == set()
        assert claim_triggers(tx, alive, 5, now) == []
        assert bury_triggerers(tx, [record], now) == {dead}
        assert [each.key for each in claim_triggers(tx, alive, 5, now)] == [key]
        assert claim_triggers(tx, alive, 0, now) == []
        assert find_unwanted(tx, dead, [key]) == {key}
        assert find_unwanted(tx, alive, [key]) == set()


def test_marking_and_clearing_call_triggers_off(world: World) -> None:
    waiting = Waiting(world)
    key = waiting.claim()

    world.clear("a")

    with world.database.begin() as tx:
        assert tx.triggers.called_off(JobKey(1)) == {key: True}
        assert find_unwanted(tx, JobKey(1), []) == set()
        assert len(tx.triggers.sealed()) == 1


def test_who_goes_on_and_did_not_hear_of_it_goes_on_at_the_same_place(world: World) -> None:
    """E1: a commit whose answer was lost must not let the task begin from the start. An attempt after it does."""
    waiting = Waiting(world)
    with world.database.engine.begin() as connection:
        connection.execute(sa.update(dag_version).values(bundle_name="files", path="sales.py"))
    assert waiting.fire(Happened("ding"), trigger=waiting.claim())
    world.pass_time(1)
    beginner = Beginner(world.structures, hostname="here", pid=1)
    engine = StoredEngine(world.database, world.clock, beginner, CIPHER, longest_delay_s=60)
    engine.begin_life(None)

    def begin() -> list[str | None]:
        attempt = waiting.executor.attempt("a")
        orders = engine.exchange(Exchange(begins=[WorkItem(attempt, "sales", "default", 1, 1)])).orders
        return [order.assignment.next_method for order in orders]

    assert [begin(), begin()] == [["go_on"], ["go_on"]]

    later = world.clock.now() + timedelta(seconds=5)
    waiting.executor.end(ending=lambda attempt, now: Rescheduled(attempt, now, until=later))
    world.settle()
    world.pass_time(5)
    assert begin() == [None]


def test_an_event_reaches_the_worker_as_it_was_said(world: World) -> None:
    """E7: with what an XCom may have too, and the encodings of pipes have no word for."""
    waiting, said = Waiting(world), {"n": math.nan, "i": [math.inf, -math.inf], "half": "\ud800", "big": 2**80}
    with world.database.engine.begin() as connection:
        connection.execute(sa.update(dag_version).values(bundle_name="files", path="sales.py"))
    assert waiting.fire(Happened(said), trigger=waiting.claim())
    world.pass_time(1)
    beginner = Beginner(world.structures, hostname="here", pid=1)
    engine = StoredEngine(world.database, world.clock, beginner, CIPHER, longest_delay_s=60)
    engine.begin_life(None)

    item = WorkItem(waiting.executor.attempt("a"), "sales", "default", 1, 1)
    (order,) = engine.exchange(Exchange(begins=[item])).orders
    assignment = msgspec.json.decode(msgspec.json.encode(order.assignment), type=Assignment)

    assert assignment.next_kwargs is not None
    heard = json.loads(assignment.next_kwargs)
    assert math.isnan(heard["event"].pop("n"))
    del said["n"]
    assert heard == {"kept": 1, "event": said}


def test_who_runs_a_trigger_knows_the_task_that_waits_for_it(any_world: World) -> None:
    waiting = Waiting(any_world)
    began_at = any_world.instances()["a"].started_at

    with any_world.database.begin() as tx:
        (claimed,) = claim_triggers(tx, JobKey(1), 5, any_world.clock.now())

    assert (claimed.attempt, claimed.task_queue, claimed.hostname) == (waiting.attempt, "default", None)
    assert claimed.started_at == began_at
