"""What triggers may ask of the engine, and until when they may change something (E7, E9)."""

from tests.component.test_triggers import CIPHER, Waiting
from tests.component.world import World
from tradewind.model.assignment import Asker
from tradewind.model.exchange import Refusal, Request
from tradewind.model.ids import NO_ATTEMPT
from tradewind.model.task_answers import XComResult
from tradewind.model.trigger import Happened
from tradewind.operations.answer_triggers import TriggerRequests


def test_a_trigger_reads_xcoms_and_runs_and_changes_them_only_while_its_task_waits(any_world: World) -> None:
    waiting = Waiting(any_world)
    key = waiting.claim()
    answers = TriggerRequests(any_world.database, any_world.clock.now, any_world.structures, CIPHER)
    asker = Asker(waiting.attempt.task, "sales", "r1")
    place = {"dag_id": "sales", "run_id": "r1", "task_id": "a", "map_index": -1, "key": "seen"}

    def ask(method: str, **arguments: object) -> object:
        (answer,) = answers([Request(waiting.attempt, asker, method, arguments)])
        return answer

    assert ask("set_xcom", **place, value=7, mapped_length=None, dag_result=False) is None
    assert ask("get_xcom", **place) == XComResult("seen", 7)
    assert ask("get_dag_run_state", dag_id="sales", run_id="r1") == "running"
    assert ask("count_dag_runs", dag_id="sales", states=["running"]) == 1

    assert waiting.fire(Happened("ding"), trigger=key)

    refused = ask("set_xcom", **place, value=8, mapped_length=None, dag_result=False)
    assert isinstance(refused, Refusal)
    assert (refused.kind, "does not wait" in refused.message) == ("TaskIsLate", True)
    assert ask("get_xcom", **place) == XComResult("seen", 7)


def test_a_question_that_cannot_be_answered_spoils_no_other(world: World) -> None:
    waiting = Waiting(world)
    answers = TriggerRequests(world.database, world.clock.now, world.structures, CIPHER)
    asker = Asker(waiting.attempt.task, "sales", "r1")
    good = Request(waiting.attempt, asker, "get_dag_run_state", {"dag_id": "sales", "run_id": "r1"})
    bad = Request(waiting.attempt, asker, "trigger_dag_run", {"dag_id": "nothing", "run_id": "x"})

    first, refused, last = answers([good, bad, good])

    assert (first, last) == ("running", "running")
    assert isinstance(refused, Refusal)


def test_who_is_known_by_nobody_may_ask_for_what_belongs_to_no_task(world: World) -> None:
    """Such as a thread that a trigger started by itself. What depends on the task is refused, not called unknown."""
    Waiting(world)
    answers = TriggerRequests(world.database, world.clock.now, world.structures, CIPHER)
    asker = Asker(NO_ATTEMPT.task, "", "")

    def ask(method: str, **arguments: object) -> object:
        (answer,) = answers([Request(NO_ATTEMPT, asker, method, arguments)])
        return answer

    assert ask("get_variable_keys", prefix=None) == []
    assert ask("get_dag_run_state", dag_id="sales", run_id="r1") == "running"
    for method, arguments in (("get_task_state", {"key": "a"}), ("set_variable", {"key": "a", "value": "b"})):
        refused = ask(method, **arguments)
        assert isinstance(refused, Refusal)
        assert f"{method} was asked in a thread" in refused.message
