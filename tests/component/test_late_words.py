"""What an attempt may ask, and what it may not say, after its end was stored (D4, B7)."""

import sqlalchemy as sa

from tests.component.world import PatientExecutor, World
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import AttemptResult
from tradewind.model.dag import Task
from tradewind.model.exchange import Exchange, Refusal, Request
from tradewind.model.task import Succeeded, WorkItem
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.secrets.encryption import Encryption
from tradewind.storage.schema import dag_version


def test_callbacks_of_an_ended_attempt_get_answers_and_change_nothing(world: World) -> None:
    world.dag(Task("load"))
    world.trigger()
    executor = PatientExecutor(world.clock)
    world.scheduler(executor)
    world.settle()
    attempt = executor.attempt("load")
    beginner = Beginner(world.structures, hostname="here", pid=1)
    engine = StoredEngine(world.database, world.clock, beginner, Encryption(), longest_delay_s=60)
    asker = Asker(attempt.task, "sales", "r1")
    engine.exchange(Exchange(results=[AttemptResult(report=Succeeded(attempt, world.clock.now()))]))

    value = {"dag_id": "sales", "run_id": "r1", "task_id": "load", "key": "late", "value": 1, "map_index": -1}
    asked = Request(attempt, asker, "get_dag_run", {"dag_id": "sales", "run_id": "r1"})
    said = Request(attempt, asker, "set_xcom", {**value, "mapped_length": None, "dag_result": False})
    answer, refusal = engine.exchange(Exchange(requests=[asked, said])).answers

    assert not isinstance(answer, Refusal)
    assert isinstance(refusal, Refusal)
    with world.database.begin() as tx:
        assert tx.xcoms.of_run(attempt.run_key) == []


def test_who_got_no_answer_to_a_begin_may_ask_again(world: World) -> None:
    """A commit whose answer was lost has begun the attempt: the same supervisor gets its order again, others do not."""
    world.dag(Task("load"))
    with world.database.engine.begin() as connection:
        connection.execute(sa.update(dag_version).values(bundle_name="files", path="sales.py"))
    world.trigger()
    executor = PatientExecutor(world.clock, starts=False)
    world.scheduler(executor)
    world.settle()
    attempt = executor.attempt("load")
    begins = Exchange(begins=[WorkItem(attempt, "sales", "default", 1, 1)])
    mine, other = (
        StoredEngine(
            world.database,
            world.clock,
            Beginner(world.structures, hostname="here", pid=pid),
            Encryption(),
            longest_delay_s=60,
        )
        for pid in (1, 2)
    )
    mine.begin_life(None)
    other.begin_life(None)

    first, again, foreign = mine.exchange(begins), mine.exchange(begins), other.exchange(begins)

    assert [order.attempt for order in first.orders] == [order.attempt for order in again.orders] == [attempt]
    assert foreign.orders == []
