"""What tasks ask people is kept for each try, and answered once (D2, D7)."""

from dataclasses import replace

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.ids import AttemptKey
from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.listing import Condition, Listed, Query
from tradewind.model.listing import Test as Asked
from tradewind.model.states import TaskState
from tradewind.model.task_answers import HITLUserResult
from tradewind.storage.database import Database

ANN, BOB = HITLUserResult("ann", "Ann Ämter"), HITLUserResult("bob", "Bob")
YES = HumanAnswer(chosen_options=("yes",), params_input={"why": ["ü", None]}, at=NOW + minutes(1), by=ANN)


def plain(attempt: AttemptKey, try_number: int = 1) -> Inquiry:
    """A question with as little as possible."""
    return Inquiry(attempt=attempt, try_number=try_number, options=("yes", "no"), subject="Go?", created_at=NOW)


def test_a_question_comes_back_as_it_was(world: World, store: Database) -> None:
    run_key = world.running()
    asks, silent = (world.task(TaskState.RUNNING, run_key, name) for name in ("asks", "silent"))
    full = replace(
        plain(asks),
        body="**really?**\n\N{ROCKET}",
        defaults=("no",),
        multiple=True,
        params={"why": {"value": None, "schema": {"type": ["null", "array"]}}},
        assigned_users=(ANN, BOB),
    )
    with store.begin() as tx:
        tx.inquiries.put(plain(asks))
        tx.inquiries.put(full)

    with store.begin() as tx:
        assert tx.inquiries.find(asks.task, 1) == full
        assert tx.inquiries.find(asks.task, 2) is None
        assert tx.inquiries.of_attempts([asks, silent, asks._replace(attempt=2)]) == {asks: full}
        assert tx.inquiries.of_attempts([]) == {}


def test_a_question_is_answered_once(world: World, store: Database) -> None:
    asks = world.task(TaskState.RUNNING, world.running())
    asked = plain(asks)
    with store.begin() as tx:
        tx.inquiries.put(asked)
        assert not tx.inquiries.answer(replace(asked, attempt=asks._replace(attempt=2)), YES)
        assert tx.inquiries.answer(asked, YES)
        assert not tx.inquiries.answer(asked, replace(YES, by=BOB))

    with store.begin() as tx:
        assert tx.inquiries.find(asks.task, 1) == replace(asked, answer=YES)
        # A later attempt of the same try asks something else.
        tx.inquiries.put(plain(asks._replace(attempt=2)))
        assert tx.inquiries.answer(plain(asks._replace(attempt=2)), replace(YES, by=None))
        found = tx.inquiries.find(asks.task, 1)
        assert found is not None
        assert found.answer == replace(YES, by=None)


def test_only_what_the_present_try_asks_is_listed(world: World, store: Database) -> None:
    run_key = world.running()
    waits = world.task(TaskState.AWAITING_INPUT, run_key, "waits")
    again = world.task(TaskState.UP_FOR_RETRY, run_key, "again")
    with store.begin() as tx:
        for attempt in (waits, again):
            tx.inquiries.put(plain(attempt))
        tx.inquiries.put(plain(waits, try_number=0))
        tx.inquiries.answer(plain(waits), YES)

    def found(*conditions: Condition) -> list[object]:
        with store.begin() as tx:
            return [row["task_id"] for row in tx.listings.page(Listed.INQUIRIES, Query(conditions)).rows]

    assert found() == ["waits"]
    assert found(Condition("responded_at", Asked.IS, None)) == []
    assert found(Condition("responded_by_user_name", Asked.ONE_OF, ("Ann Ämter",))) == ["waits"]
    assert found(Condition("subject", Asked.MATCHES, "gO")) == ["waits"]


def test_questions_go_with_their_task(world: World, store: Database) -> None:
    asks = world.task(TaskState.RUNNING, world.running())
    with store.begin() as tx:
        tx.inquiries.put(plain(asks))
        tx.tasks.delete([asks.task])

    with store.begin() as tx:
        assert tx.inquiries.find(asks.task, 1) is None
