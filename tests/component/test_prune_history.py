"""What ended long ago is thrown away; what has not ended, and what others build on, stays (D7)."""

from datetime import timedelta

import sqlalchemy as sa

from tests.component.world import PatientExecutor, World
from tradewind.model.asset import AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.states import RunState
from tradewind.operations.prune_history import count_old, prune_some
from tradewind.storage.interface.pruning_store import Prunable, PruneChoice
from tradewind.storage.schema import dag_source, dag_version, run_change, task_instance

DAY_S = 86_400


def prune(world: World, what: Prunable, *, limit: int = 100, **choice: tuple[str, ...]) -> int:
    """Everything that ended before now."""
    wanted = PruneChoice(world.clock.now(), **choice)
    counted = world.database.read(lambda tx: count_old(tx, what, wanted))
    gone, now = 0, world.clock.now()
    while True:
        some = world.database.transact(lambda tx: prune_some(tx, what, wanted, now, limit))
        gone += some
        if some < limit:
            assert gone == counted
            return gone


def rows(world: World, table: sa.Table) -> int:
    with world.database.engine.connect() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def a_run_a_day(world: World, *run_ids: str) -> None:
    for run_id in run_ids:
        world.trigger(run_id=run_id)
        world.settle()
        world.clock.advance(DAY_S)


def test_ended_runs_go_with_all_that_belongs_to_them(any_world: World) -> None:
    any_world.dag(Task("a"), Task("b", upstream=("a",)))
    any_world.scheduler()
    a_run_a_day(any_world, "r1", "r2", "r3")

    assert prune(any_world, Prunable.RUNS, limit=1) == 2

    assert [run.run_id for run in any_world.runs()] == ["r3"]
    assert rows(any_world, task_instance) == 2


def test_only_what_ended_before_the_date_goes(any_world: World) -> None:
    any_world.dag(Task("a"))
    any_world.scheduler()
    a_run_a_day(any_world, "r1", "r2", "r3", "r4")
    two_days_ago = PruneChoice(any_world.clock.now() - timedelta(days=2, hours=1))
    now = any_world.clock.now()

    any_world.database.transact(lambda tx: prune_some(tx, Prunable.RUNS, two_days_ago, now))

    assert [run.run_id for run in any_world.runs()] == ["r3", "r4"]


def test_what_has_not_ended_stays(any_world: World) -> None:
    executor = PatientExecutor(any_world.clock)
    any_world.dag(Task("a"))
    any_world.scheduler(executor)
    a_run_a_day(any_world, "r1", "r2")
    any_world.pause()
    any_world.trigger(run_id="r3")

    assert prune(any_world, Prunable.RUNS) == 0
    assert [run.state for run in any_world.runs()] == [RunState.RUNNING, RunState.RUNNING, RunState.QUEUED]


def test_a_run_that_was_cleared_is_not_at_its_end(any_world: World) -> None:
    any_world.dag(Task("a"))
    any_world.scheduler()
    a_run_a_day(any_world, "r1", "r2")
    any_world.clear(run_id="r1")
    changes = rows(any_world, run_change)

    assert prune(any_world, Prunable.RUNS) == 0
    assert rows(any_world, run_change) == changes


def test_a_run_that_waited_for_one_before_it_goes_on(any_world: World) -> None:
    executor = PatientExecutor(any_world.clock)
    any_world.dag(Task("a", depends_on_past=True))
    any_world.scheduler(executor)
    any_world.trigger(run_id="r1")
    any_world.settle()
    any_world.mark_run(RunState.FAILED)
    any_world.settle()
    any_world.clock.advance(DAY_S)
    any_world.trigger(run_id="r2")
    any_world.settle()
    assert any_world.states("r2") == {"a": "none"}

    assert prune(any_world, Prunable.RUNS) == 1
    any_world.settle()

    assert any_world.states("r2") == {"a": "running"}


def test_dags_can_be_named_and_spared(any_world: World) -> None:
    any_world.scheduler()
    for dag_id in ("sales", "stock"):
        any_world.dag(Task("a"), dag_id=dag_id)
        for run_id in ("r1", "r2"):
            any_world.trigger(dag_id, run_id)
    any_world.settle()
    any_world.clock.advance(DAY_S)

    assert prune(any_world, Prunable.RUNS, spared=("sales", "stock")) == 0
    assert prune(any_world, Prunable.RUNS, dag_ids=("stock",)) == 1
    assert prune(any_world, Prunable.RUNS, spared=("stock",)) == 1


def test_versions_go_when_nothing_uses_them(any_world: World) -> None:
    any_world.scheduler()
    for number in range(3):
        any_world.dag(*(Task(f"t{each}") for each in range(number + 1)))
        a_run_a_day(any_world, f"r{number}")
    assert prune(any_world, Prunable.VERSIONS) == 0

    prune(any_world, Prunable.RUNS)

    assert prune(any_world, Prunable.VERSIONS) == 2
    assert rows(any_world, dag_version) == 1
    assert rows(any_world, dag_source) == 0


def test_services_that_ended_and_old_events_go(any_world: World) -> None:
    any_world.publish(Dag("sales", tasks=(Task("a", outlets=(AssetRef("raw", "s3://raw"),)),)))
    ended, alive = any_world.scheduler(), any_world.scheduler()
    ended.stop()
    any_world.clock.advance(DAY_S)

    assert prune(any_world, Prunable.JOBS) == 1
    assert prune(any_world, Prunable.JOBS, dag_ids=("sales",)) == 0
    assert prune(any_world, Prunable.ASSET_EVENTS) == 0
    alive.stop()
