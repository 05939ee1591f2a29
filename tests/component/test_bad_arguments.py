"""With arguments that no method can be called with a task fails alone: all others go on and time out (B10, E1)."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy as sa

from tests.component.world import PatientExecutor, World
from tests.unit.triggerer.test_running import NoFolders, ScriptedRunner
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import AttemptResult, Deferral, InputAwaited
from tradewind.model.dag import Task
from tradewind.model.exchange import Exchange, Request
from tradewind.model.ids import AttemptKey, JobKey, try_id
from tradewind.model.inquiry import HumanAnswer
from tradewind.model.task import AwaitingInput, Deferred
from tradewind.model.task_answers import HITLDetailRequest, HITLUserResult
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.inquire import answer_inquiry, find_inquiry
from tradewind.secrets.encryption import Encryption
from tradewind.storage.schema import deferral
from tradewind.telemetry.events import DutyFailed
from tradewind.telemetry.hub import Hub
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.logs import TriggerLogs
from tradewind.triggerer.neighbours import Neighbours
from tradewind.triggerer.options import TriggererOptions
from tradewind.triggerer.protocol import Ending, FrameKind, Outcome, Ready
from tradewind.triggerer.running import RunningTriggers
from tradewind.triggerer.service import Triggerer

MINUTE: Final = timedelta(minutes=1)
UNREADABLE: Final = "{"
"""What no JSON is: whoever reads the row raises."""
OPTIONS: Final = TriggererOptions(
    capacity=10, claimed_at_once=10, heartbeat_s=5, threshold_s=30, runner_threshold_s=30, longest_retry_delay_s=60
)


class Waiting:
    """A run of two tasks, of which `bad` shall go on with what is no dict, and `good` has done nothing wrong."""

    def __init__(self, world: World, **kinds: Any) -> None:
        world.dag(Task("bad", **kinds), Task("good", **kinds))
        world.trigger()
        self.world = world
        self.executor = PatientExecutor(world.clock)
        world.scheduler(self.executor)
        world.settle()
        beginner = Beginner(world.structures, hostname="here", pid=1)
        self.engine = StoredEngine(world.database, world.clock, beginner, Encryption(), longest_delay_s=60)

    def defer(self, timeout: timedelta | None = None, **kwargs: object) -> None:
        """Both leave their worker for a trigger, with these arguments."""
        waits = {
            name: Deferral(
                trigger_path="p.Bell", trigger_kwargs={}, next_method="go_on", next_kwargs=each, timeout=timeout
            )
            for name, each in kwargs.items()
        }
        self._leave(Deferred, waits, timeout)

    def ask(self, timeout: timedelta | None = None, **kwargs: object) -> None:
        """Both leave their worker for a person."""
        for name in kwargs:
            attempt, run = self.executor.attempt(name), self.world.run()
            question = HITLDetailRequest(
                ti_id=str(try_id("sales", "r1", name, -1, 1)), options=("yes",), subject="Go on?", defaults=("yes",)
            )
            asked = Request(attempt, Asker(attempt.task, run.dag_id, "r1"), "upsert_hitl_detail", {"request": question})
            self.engine.exchange(Exchange(requests=[asked]))
        waits = {
            name: InputAwaited(next_method="go_on", next_kwargs=each, timeout=timeout) for name, each in kwargs.items()
        }
        self._leave(AwaitingInput, waits, timeout)

    def _leave(self, report: Any, waits: dict[str, Any], timeout: timedelta | None) -> None:
        now = self.world.clock.now()
        until = None if timeout is None else now + timeout
        attempts = {name: self.executor.attempt(name) for name in waits}
        results = [
            AttemptResult(report=report(attempts[name], now, until=until), waits_for=each)
            for name, each in waits.items()
        ]
        self.engine.exchange(Exchange(results=results))
        self.executor.revoke(list(attempts.values()))

    def spoil(self, stored: str) -> None:
        """As a version before this one may have left it."""
        with self.world.database.engine.begin() as connection:
            connection.execute(sa.update(deferral).where(deferral.c.task_id == "bad").values(next_kwargs=stored))

    def answer(self, name: str) -> None:
        given = HumanAnswer(
            chosen_options=("yes",), params_input={}, at=self.world.clock.now(), by=HITLUserResult("ann", "Ann")
        )
        self.world.database.transact(
            lambda tx: answer_inquiry(tx, *find_inquiry(tx, "sales", "r1", name), given),
        )

    def goes_on_with(self, name: str) -> tuple[str, Any]:
        key = self.world.instances()[name].key
        with self.world.database.begin() as tx:
            (found,) = tx.deferrals.of_tasks([key]).values()
        return found.next_method, found.next_kwargs


class Alone(Neighbours):
    """Without a file that somebody would have to close."""

    def enter(self, job: JobKey) -> None:
        pass


class Triggering:
    """A triggerer whose runner says what the test wants."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.runner = ScriptedRunner()
        self.service = Triggerer(
            world.database,
            world.clock,
            RunningTriggers(
                lambda: self.runner,
                world.clock,
                places=CodePlaces(NoFolders(), ""),
                logs=TriggerLogs(folder, now=world.clock.now, limit_bytes=0),
                cipher=Encryption([]),
            ),
            options=OPTIONS,
            neighbours=Alone(folder),
            structures=world.structures,
            hub=Hub(world.events.append),
        )
        self.service.start()
        self.work()

    def work(self) -> None:
        """It hears and stores what there is."""
        for _ in range(3):
            self.service.run_once()
        self.world.settle()

    def fire_all(self) -> None:
        for trigger in self.runner.runs:
            self.runner.say(FrameKind.FIRED, Outcome(trigger, Ending.EVENT, json.dumps("ding")))
        self.work()


@pytest.mark.parametrize("kwargs", [[1], "text", 3, {1: 2}], ids=repr)
def test_a_wait_with_such_arguments_is_refused_where_workers_report(world: World, kwargs: object) -> None:
    """Also workers without a database, whose SDK may be another one."""
    waiting = Waiting(world)

    waiting.defer(bad=kwargs, good={"kept": 1})

    found = world.instances()
    assert (found["bad"].state, found["good"].state) == ("failed", "deferred")
    assert "the arguments of go_on() have to be a dict with texts as keys" in str(found["bad"].reason)


def test_a_question_with_such_arguments_is_refused_where_workers_report(world: World) -> None:
    waiting = Waiting(world)

    waiting.ask(bad=[1], good=None)

    found = world.instances()
    assert (found["bad"].state, found["good"].state) == ("failed", "awaiting_input")


def test_an_event_for_such_a_row_fails_its_task_in_a_worker(any_world: World, tmp_path: Path) -> None:
    waiting = Waiting(any_world)
    waiting.defer(bad={}, good={"kept": 1})
    waiting.spoil("[1]")

    Triggering(any_world, tmp_path).fire_all()

    method, arguments = waiting.goes_on_with("bad")
    assert (method, arguments["error"]) == ("__fail__", "Trigger failure")
    assert "the arguments of go_on() have to be a dict with texts as keys" in arguments["traceback"][0]
    assert waiting.goes_on_with("good") == ("go_on", {"kept": 1, "event": "ding"})


def test_an_event_for_a_row_that_nobody_can_read_ends_its_task_and_no_other(any_world: World, tmp_path: Path) -> None:
    waiting = Waiting(any_world)
    waiting.defer(bad={}, good={"kept": 1})
    waiting.spoil(UNREADABLE)
    triggering = Triggering(any_world, tmp_path)

    triggering.fire_all()

    found = any_world.instances()
    assert (found["bad"].state, waiting.executor.busy_with) == ("failed", ["good"])
    assert "what the trigger said cannot be stored: JSONDecodeError" in str(found["bad"].reason)
    assert waiting.goes_on_with("good") == ("go_on", {"kept": 1, "event": "ding"})
    with any_world.database.begin() as tx:
        assert tx.triggers.sealed() == []


def test_a_task_that_begins_with_a_trigger_and_such_arguments_fails_alone(world: World, tmp_path: Path) -> None:
    """E3: what code says is checked where it is stored, too."""
    Waiting(world, starts_from_trigger=True)
    triggering = Triggering(world, tmp_path)
    names = {start.trigger: start.task.task_id for start in triggering.runner.runs.values()}
    assert sorted(names.values()) == ["bad", "good"]

    for trigger, name in names.items():
        kwargs = json.dumps([1] if name == "bad" else {"kept": 1})
        ready = Ready(trigger, "p.Bell", "{}", "go_on", kwargs, None, None, None)
        triggering.runner.say(FrameKind.READY, ready)
    triggering.work()

    waiting = {name: world.instances()[name].state for name in ("bad", "good")}
    assert waiting["good"] == "deferred"
    assert waiting["bad"] in ("queued", "running")
    keys = [task.key for task in world.instances().values()]
    with world.database.begin() as tx:
        found = tx.deferrals.of_tasks(keys)
    methods = {key.task_id: each.next_method for key, each in found.items()}
    assert methods == {"bad": "__fail__", "good": "go_on"}


@pytest.mark.parametrize("stored", ["[1]", UNREADABLE], ids=["no dict", "unreadable"])
def test_timeouts_of_others_come_while_there_is_such_a_row(any_world: World, stored: str) -> None:
    waiting = Waiting(any_world)
    waiting.defer(MINUTE, bad={}, good={})
    waiting.spoil(stored)

    any_world.pass_time(60)

    assert waiting.goes_on_with("good") == ("__fail__", {"error": "Trigger timeout"})
    assert any_world.instances()["bad"].wake_at is None
    assert any_world.told(DutyFailed) == []


@pytest.mark.parametrize(("stored", "state"), [("[1]", "running"), (UNREADABLE, "failed")])
def test_questions_of_others_time_out_while_there_is_such_a_row(any_world: World, stored: str, state: str) -> None:
    waiting = Waiting(any_world)
    waiting.ask(MINUTE, bad={}, good={})
    waiting.spoil(stored)

    any_world.pass_time(60)

    method, arguments = waiting.goes_on_with("good")
    assert (method, arguments["event"]["timedout"]) == ("go_on", True)
    assert any_world.states() == {"bad": state, "good": "running"}
    assert any_world.told(DutyFailed) == []


def test_a_question_of_such_a_row_is_answered_and_its_task_fails_in_a_worker(world: World) -> None:
    waiting = Waiting(world)
    waiting.ask(bad={}, good={})
    waiting.spoil("[1]")

    waiting.answer("bad")
    waiting.answer("good")

    method, arguments = waiting.goes_on_with("bad")
    assert method == "__fail__"
    assert "have to be a dict" in arguments["traceback"][0]
    assert waiting.goes_on_with("good")[0] == "go_on"
    world.settle()
    assert sorted(waiting.executor.busy_with) == ["bad", "good"]
    assert waiting.executor.attempt("bad") == AttemptKey(*waiting.executor.attempt("bad").task, 2)
