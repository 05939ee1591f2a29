"""Tasks ask people and go on with the answer: once, however many answer, whatever happens meanwhile (D2, D4, E1)."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest

from tests.component.world import PatientExecutor, World, fails, succeeds
from tradewind.errors import Conflict, InvalidRequest, NotFound
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import AttemptResult, InputAwaited
from tradewind.model.dag import Retry, Task
from tradewind.model.exchange import Exchange, Refusal, Request
from tradewind.model.ids import AttemptKey, try_id
from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.states import RunState, TaskState
from tradewind.model.task import AwaitingInput
from tradewind.model.task_answers import HITLDetailRequest, HITLDetailResponse, HITLUserResult
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.explain import why_task_waits
from tradewind.operations.inquire import answer_inquiry, find_inquiry
from tradewind.secrets.encryption import Encryption

ANN, BOB = HITLUserResult("ann", "Ann"), HITLUserResult("bob", "Bob")
FORM: dict[str, object] = {
    "n": {"value": 3, "description": None, "schema": {"type": "integer", "minimum": 1}, "source": None},
    "note": {"value": None, "description": None, "schema": {}, "source": None},
}


class Asking:
    """A run whose task `ask` runs, and asks when it is told to."""

    def __init__(self, world: World, *, retries: int = 0, **values: Any) -> None:
        world.dag(Task("ask", retry=Retry(retries=retries, delay_s=60.0)), **values)
        world.trigger()
        self.world = world
        self.executor = PatientExecutor(world.clock)
        world.scheduler(self.executor)
        world.settle()
        beginner = Beginner(world.structures, hostname="here", pid=1)
        self.engine = StoredEngine(world.database, world.clock, beginner, Encryption(), longest_delay_s=60)
        self.attempt = self.executor.attempt("ask")

    def request(self, method: str, arguments: dict[str, object], *, is_repeat: bool = False) -> object:
        """What the running attempt asks of the engine."""
        asker = Asker(self.attempt.task, "sales", "r1")
        asked = Request(self.attempt, asker, method, arguments, is_repeat=is_repeat)
        (answer,) = self.engine.exchange(Exchange(requests=[asked])).answers
        return answer

    @property
    def ti_id(self) -> str:
        number = self.world.instances()["ask"].try_number
        return str(try_id("sales", "r1", "ask", -1, number))

    def ask(self, *, is_repeat: bool = False, **values: Any) -> object:
        """The question is there; the attempt still runs."""
        self.attempt = self.executor.attempt("ask")
        plain = {"ti_id": self.ti_id, "options": ("yes", "no"), "subject": "Go on?"}
        question = HITLDetailRequest(**{**plain, **values})
        return self.request("upsert_hitl_detail", {"request": question}, is_repeat=is_repeat)

    def leave(self, timeout: timedelta | None = None) -> None:
        """The attempt leaves its worker."""
        now = self.world.clock.now()
        report = AwaitingInput(self.attempt, now, until=None if timeout is None else now + timeout)
        waits_for = InputAwaited(next_method="execute_complete", next_kwargs={"kept": 1}, timeout=timeout)
        self.executor.revoke([self.attempt])
        self.engine.exchange(Exchange(results=[AttemptResult(report=report, waits_for=waits_for)]))
        self.world.settle()

    def answer(self, *chosen: str, by: HITLUserResult = ANN, **params_input: Any) -> Inquiry:
        """Somebody answers."""
        given = HumanAnswer(chosen_options=chosen, params_input=params_input, at=self.world.clock.now(), by=by)

        def work(tx: Any) -> Inquiry:
            task, inquiry = find_inquiry(tx, "sales", "r1", "ask")
            answer_inquiry(tx, task, inquiry, given)
            return inquiry

        return self.world.database.transact(work)

    def goes_on_with(self) -> tuple[str, Any]:
        """The method and the arguments with which it goes on."""
        with self.world.database.begin() as tx:
            (deferral,) = tx.deferrals.of_tasks([self.attempt.task]).values()
        return deferral.next_method, deferral.next_kwargs

    def state(self) -> str:
        return self.world.states()["ask"]


def test_a_task_waits_without_a_slot_and_goes_on_with_the_first_answer(any_world: World) -> None:
    any_world.pool("narrow", 1)
    asking = Asking(any_world)
    asking.ask()
    asking.leave()
    assert asking.state() == "awaiting_input"
    with any_world.database.begin() as tx:
        assert tx.queue.occupied_slots("default_pool", include_deferred=True) == 0

    asking.answer("yes", by=BOB)
    with pytest.raises(Conflict, match="answered already"):
        asking.answer("no")

    method, arguments = asking.goes_on_with()
    assert method == "execute_complete"
    assert arguments["kept"] == 1
    assert arguments["event"]["chosen_options"] == ["yes"]
    assert arguments["event"]["responded_by_user"] == {"id": "bob", "name": "Bob"}
    any_world.settle()
    assert asking.executor.attempt("ask") == asking.attempt._replace(attempt=2)
    asking.executor.end("ask", ending=succeeds())
    any_world.settle()
    assert any_world.run().state is RunState.SUCCESS


def test_of_many_who_answer_at_once_one_does(any_world: World) -> None:
    """Each in a transaction of its own, all at the same moment."""
    asking = Asking(any_world)
    asking.ask()
    asking.leave()
    together = Barrier(4)

    def answers(name: str) -> bool:
        together.wait()
        try:
            asking.answer("yes", by=HITLUserResult(name, name))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(4) as people:
        taken = dict(zip("abcd", people.map(answers, "abcd"), strict=True))

    assert sum(taken.values()) == 1
    _, arguments = asking.goes_on_with()
    assert taken[arguments["event"]["responded_by_user"]["id"]]


def test_an_answer_may_come_before_the_task_has_left_its_worker(any_world: World) -> None:
    asking = Asking(any_world)
    asking.ask()

    asking.answer("no")
    assert asking.state() == "running"
    asking.leave()

    assert asking.state() == "running"
    assert asking.executor.attempt("ask") == asking.attempt._replace(attempt=2)
    assert asking.goes_on_with()[1]["event"]["chosen_options"] == ["no"]


def test_after_the_time_for_it_the_default_is_taken(any_world: World) -> None:
    asking = Asking(any_world)
    asking.ask(defaults=("no",), params=FORM)
    asking.leave(timedelta(seconds=60))

    any_world.pass_time(59)
    assert asking.state() == "awaiting_input"
    any_world.pass_time(1)

    assert asking.executor.attempt("ask").attempt == 2
    method, arguments = asking.goes_on_with()
    assert method == "execute_complete"
    assert arguments["event"]["params_input"] == {"n": 3, "note": None}
    assert (arguments["event"]["responded_by_user"], arguments["event"]["timedout"]) == (None, True)
    with pytest.raises(Conflict, match="time for an answer is over"):
        asking.answer("yes")


def test_after_the_time_for_it_a_task_without_default_goes_on_with_an_error(any_world: World) -> None:
    """D4: in a worker, so that `HITLTimeoutError` is raised there and callbacks of the author are called."""
    asking = Asking(any_world, retries=1)
    asking.ask()
    asking.leave(timedelta(seconds=60))

    any_world.pass_time(60)

    method, arguments = asking.goes_on_with()
    assert (method, arguments["event"]["error_type"]) == ("execute_complete", "timeout")
    with pytest.raises(Conflict, match="any more: it is running"):
        asking.answer("yes")
    asking.executor.end("ask", ending=fails())
    any_world.settle()
    assert asking.state() == "up_for_retry"


def test_who_waits_for_a_person_but_asked_nothing_fails_when_its_time_is_over(world: World) -> None:
    asking = Asking(world)
    asking.leave(timedelta(seconds=60))

    world.pass_time(60)

    assert asking.goes_on_with() == ("__fail__", {"error": "Trigger timeout"})


@pytest.mark.parametrize(
    ("chosen", "form", "problem"),
    [
        (["maybe"], {}, "not among the options"),
        (["yes", "no"], {}, "only one option"),
        (["yes"], {"n": 2}, "the form has"),
        (["yes"], {"n": 0, "note": "x"}, "Invalid input for param n"),
        (["yes"], {"n": 2, "note": {"__classname__": "os.system"}}, "reserved"),
        (["yes"], {"n": 2, "note": [{"__type": "x"}]}, "reserved"),
        (["yes"], {"n": 2, "note": "\ud800"}, "params_input has a text"),
    ],
)
def test_an_answer_that_the_question_does_not_allow_is_refused(
    world: World, chosen: list[str], form: dict[str, Any], problem: str
) -> None:
    asking = Asking(world)
    asking.ask(params=FORM)
    asking.leave()

    with pytest.raises(InvalidRequest, match=problem):
        asking.answer(*chosen, **form)

    assert asking.state() == "awaiting_input"
    asking.answer("yes", n=1, note=[{"a": None}])


def test_a_form_may_be_left_as_it_is_if_that_is_an_answer(world: World) -> None:
    asking = Asking(world)
    needed = {"n": {"value": None, "description": None, "schema": {"type": "integer"}, "source": None}}
    asking.ask(params=needed)
    asking.leave()

    with pytest.raises(InvalidRequest, match="param n"):
        asking.answer("yes")
    asking.answer("yes", n=1)


def test_a_cleared_task_asks_anew_and_what_it_asked_before_is_kept(any_world: World) -> None:
    asking = Asking(any_world)
    asking.ask(subject="First?")
    asking.leave()
    any_world.clear("ask")

    with pytest.raises(NotFound, match="asks nobody anything"):
        asking.answer("yes")
    any_world.settle()
    asking.ask(subject="Second?")
    asking.leave()
    second = asking.answer("yes")

    assert (second.subject, second.try_number) == ("Second?", 2)
    with any_world.database.begin() as tx:
        first = tx.inquiries.find(asking.attempt.task, 1)
        again = tx.inquiries.find(asking.attempt.task, 2)
    assert first is not None
    assert (first.subject, first.answer) == ("First?", None)
    assert again is not None
    assert again.answer is not None


@pytest.mark.parametrize("state", [TaskState.SUCCESS, TaskState.FAILED, TaskState.SKIPPED])
def test_who_is_marked_does_not_wait_any_more(world: World, state: TaskState) -> None:
    asking = Asking(world)
    asking.ask()
    asking.leave()
    world.mark(state, "ask")
    world.settle()

    with pytest.raises(Conflict, match=f"it is {state}"):
        asking.answer("yes")

    assert world.states() == {"ask": state.value}


def test_nobody_is_asked_for_a_run_that_was_ended(world: World) -> None:
    asking = Asking(world)
    asking.ask()
    asking.leave()

    world.mark_run(RunState.FAILED)
    world.settle()

    assert asking.state() in ("skipped", "failed")
    with pytest.raises(Conflict):
        asking.answer("yes")


def test_a_try_may_ask_several_times(world: World) -> None:
    asking = Asking(world)
    asking.ask(subject="First?")
    asking.leave()
    asking.answer("yes")
    world.settle()

    asking.ask(subject="Second?")
    asking.leave()

    assert asking.attempt.attempt == 2
    assert asking.answer("no").subject == "Second?"
    assert asking.goes_on_with()[1]["event"]["chosen_options"] == ["no"]


def test_a_question_that_is_sent_again_keeps_its_answer(world: World) -> None:
    """A worker that got no answer repeats what it said."""
    asking = Asking(world)
    asking.ask()
    asking.answer("yes")

    assert asking.ask(is_repeat=True) is None
    asking.leave()

    assert asking.goes_on_with()[1]["event"]["chosen_options"] == ["yes"]


def test_a_task_speaks_for_itself_only(world: World) -> None:
    asking = Asking(world)
    other = str(try_id("sales", "r1", "other", -1, 1))

    refused = asking.ask(ti_id=other)

    assert isinstance(refused, Refusal)
    assert "in its own name only" in refused.message
    assert isinstance(asking.request("get_hitl_detail", {"ti_id": other}), Refusal)


def test_a_task_reads_and_gives_the_answer_itself(world: World) -> None:
    """As the trigger of Airflow before 3.3 does."""
    asking = Asking(world)
    given = {"chosen_options": ["no"], "params_input": {}}
    assert asking.request("get_hitl_detail", {"ti_id": asking.ti_id}) is None
    assert isinstance(asking.request("update_hitl_detail", {"ti_id": asking.ti_id, **given}), Refusal)
    asking.ask()
    assert asking.request("get_hitl_detail", {"ti_id": asking.ti_id}) == HITLDetailResponse(response_received=False)

    asking.answer("yes")
    stored = asking.request("update_hitl_detail", {"ti_id": asking.ti_id, **given})

    assert isinstance(stored, HITLDetailResponse)
    assert (stored.chosen_options, stored.responded_by_user) == (("yes",), ANN)
    assert asking.request("get_hitl_detail", {"ti_id": asking.ti_id}) == stored
    asking.ask()
    own = asking.request("update_hitl_detail", {"ti_id": asking.ti_id, **given})
    assert own == replace(stored, chosen_options=("no",), responded_by_user=None)


def test_it_says_whose_answer_it_waits_for(world: World) -> None:
    asking = Asking(world)
    asking.ask(subject="Ship it?", assigned_users=(ANN, BOB))
    asking.leave(timedelta(hours=1))

    with world.database.begin() as tx:
        (reason,) = why_task_waits(tx, "sales", "r1", "ask", world.structures, world.clock.now())

    until = (world.clock.now() + timedelta(hours=1)).isoformat()
    assert (reason.code, reason.text) == (
        "awaiting_input",
        f"it waits for an answer of Ann, Bob to 'Ship it?', until {until}",
    )


def test_other_schedulers_go_on_where_one_ended(world: World) -> None:
    """B7: nothing that waits is in the memory of a process."""
    asking = Asking(world)
    asking.ask()
    asking.leave()
    world.schedulers.clear()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()

    asking.answer("yes")
    world.pass_time(2)

    assert executor.attempt("ask") == AttemptKey(*asking.attempt.task, 2)
