"""How often the services go to the database for each task of a chain (D5).

Times depend on the machine; the ways to a server and back, of which a hop mostly consists, can be counted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from tests.component.world import PatientExecutor, World
from tests.databases import DatabaseKind
from tradewind.model.asset import AssetRef
from tradewind.model.attempt_end import AttemptResult
from tradewind.model.dag import Dag, Task
from tradewind.model.exchange import Exchange
from tradewind.model.task import Succeeded, WorkItem
from tradewind.model.timetable import AssetTriggered
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.record_asset_events import record_outside_event
from tradewind.scheduler.run_for_assets import create_asset_runs, find_listeners
from tradewind.scheduler.service import Scheduler
from tradewind.secrets.encryption import Encryption
from tradewind.storage.database import Database
from tradewind.storage.schema import dag_version

WARM_UP = 3
"""Tasks after which every service knows the DAG, the run and the pool."""

# Of the worker that begins and ends a task, and of the scheduler in between: all statements, BEGIN and COMMIT included.
EXPECTED = {
    "sqlite": {"begins": 5, "ends": 4, "schedules": 14},
    "postgres": {"begins": 3, "ends": 3, "schedules": 9},
}


@contextmanager
def _counted(database: Database) -> Iterator[list[str]]:
    """What is said to the database."""
    said: list[str] = []
    listeners: dict[str, Callable[..., Any]] = {
        "before_cursor_execute": lambda _connection, _cursor, statement, *_: said.append(statement),
        "commit": lambda _: said.append("COMMIT"),
        "rollback": lambda _: said.append("ROLLBACK"),
    }
    if database.dialect_name == "postgresql":
        listeners["begin"] = lambda _: said.append("BEGIN")  # by the driver, before the first statement
    for name, listener in listeners.items():
        sa.event.listen(database.engine, name, listener)
    try:
        yield said
    finally:
        for name, listener in listeners.items():
            sa.event.remove(database.engine, name, listener)


class Chain:
    """A run of tasks one after the other, a worker and a scheduler in one process."""

    def __init__(self, world: World) -> None:
        self._world = world
        tasks = [Task(f"t{number}", upstream=(f"t{number - 1}",) if number else ()) for number in range(WARM_UP + 2)]
        world.dag(*tasks)
        with world.database.engine.begin() as connection:
            connection.execute(sa.update(dag_version).values(bundle_name="files", path="sales.py"))
        world.trigger()
        self.executor = PatientExecutor(world.clock, starts=False)
        self.scheduler: Scheduler = world.scheduler(self.executor)
        world.settle()
        beginner = Beginner(world.structures, hostname="here", pid=1)
        self._worker = StoredEngine(world.database, world.clock, beginner, Encryption(), longest_delay_s=60)
        self._worker.begin_life(None)

    def take(self) -> WorkItem:
        """What the executor was handed."""
        (item,) = self.executor.work.values()
        self.executor.work.clear()
        return item

    def begin(self, item: WorkItem) -> None:
        (order,) = self._worker.exchange(Exchange(begins=[item])).orders
        assert order.attempt == item.attempt

    def end(self, item: WorkItem) -> None:
        self._worker.exchange(
            Exchange(results=[AttemptResult(report=Succeeded(item.attempt, self._world.clock.now()))])
        )


@pytest.fixture
def chain(any_world: World) -> Chain:
    """Warm."""
    chain = Chain(any_world)
    for _ in range(WARM_UP):
        item = chain.take()
        chain.begin(item)
        chain.end(item)
        chain.scheduler.run_once()
    return chain


@pytest.mark.parametrize("database_kind", sorted(EXPECTED), indirect=True)
def test_a_hop_takes_no_more_ways_to_the_database_than_it_did(
    chain: Chain, any_world: World, database_kind: DatabaseKind
) -> None:
    item = chain.take()

    with _counted(any_world.database) as begins:
        chain.begin(item)
    with _counted(any_world.database) as ends:
        chain.end(item)
    with _counted(any_world.database) as schedules:
        is_busy = chain.scheduler.run_once()

    said = {"begins": begins, "ends": ends, "schedules": schedules}
    assert {name: len(statements) for name, statements in said.items()} == EXPECTED[database_kind], said
    # The next task is handed over, and the scheduler waits to be woken instead of looking once more.
    assert not is_busy
    assert chain.take().attempt.task_id == f"t{WARM_UP + 1}"


def test_a_scheduler_that_finds_more_than_one_change_looks_again_at_once(any_world: World) -> None:
    """Where no signal comes through, as between machines without one, a busy scheduler goes on."""
    any_world.dag(Task("a"), Task("b"), Task("c", upstream=("a", "b")))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock, starts=False)
    scheduler = any_world.scheduler(executor)
    any_world.settle()
    beginner = Beginner(any_world.structures, hostname="here", pid=1)
    worker = StoredEngine(any_world.database, any_world.clock, beginner, Encryption(), longest_delay_s=60)
    now = any_world.clock.now()

    results = [AttemptResult(report=Succeeded(attempt, now, now)) for attempt in executor.work]
    worker.exchange(Exchange(results=results))

    assert [scheduler.run_once(), scheduler.run_once()] == [True, False]
    assert [attempt.task_id for attempt in executor.work][-1] == "c"


def _statements_for(world: World, scheduler: Scheduler, name: str, consumers: int) -> list[str]:
    """What is said to the database to make the runs of so many DAGs that one update came for."""
    dag_ids = [f"{name}_{number}" for number in range(consumers)]
    asset = AssetRef(name, f"s3://{name}")
    for dag_id in dag_ids:
        world.publish(Dag(dag_id, tasks=(Task("a"),), timetable=AssetTriggered(), assets=asset))
    find_listeners(scheduler.state)
    world.settle()
    with world.database.begin() as tx:
        (known,) = tx.assets.named([name], [])
        record_outside_event(tx, known.key, extra={}, partition_key=None, now=world.clock.now())
    with _counted(world.database) as said:
        create_asset_runs(scheduler.state)
    assert [len(world.runs(dag_id)) for dag_id in dag_ids] == [1] * consumers
    return said


@pytest.mark.parametrize("database_kind", sorted(EXPECTED), indirect=True)
def test_an_update_costs_no_more_ways_to_the_database_for_many_dags_than_for_two(
    any_world: World, database_kind: DatabaseKind
) -> None:
    """B9, C2."""
    scheduler = any_world.scheduler(PatientExecutor(any_world.clock))
    any_world.settle()

    two = _statements_for(any_world, scheduler, "orders", 2)
    many = _statements_for(any_world, scheduler, "stock", 30)

    assert many == two
