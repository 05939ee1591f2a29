"""One broken DAG is fenced off with its error shown; all others go on (B10)."""

import json
from collections.abc import Callable

import pytest
import sqlalchemy as sa

from tests.component.world import PatientExecutor, World, fails
from tradewind.decide.structure import Structure
from tradewind.errors import DagUnusable
from tradewind.model.dag import Retry, Task
from tradewind.model.dag_json import decode_dag
from tradewind.model.ids import VersionKey
from tradewind.model.states import RunState
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.schema import dag_version
from tradewind.telemetry.events import DagFenced, DutyFailed, RunMoved


def cut_off(data: str) -> str:
    return data[: len(data) // 2]


def of_a_newer_format(data: str) -> str:
    document = json.loads(data)
    document["format"] += 1
    return json.dumps(document)


def not_even_json(_: str) -> str:
    return "%PDF-1.7"


DAMAGES = [cut_off, of_a_newer_format, not_even_json]


def damage(world: World, dag_id: str, how: Callable[[str], str] = cut_off) -> None:
    """Something happens to the stored form of the DAG's versions."""
    with world.database.begin() as tx:
        record = tx.dags.find(dag_id)
        assert record is not None
        found = tx.connection.execute(sa.select(dag_version).where(dag_version.c.dag_id == dag_id)).mappings().all()
        for row in found:
            statement = sa.update(dag_version).where(dag_version.c.version_key == row["version_key"])
            tx.connection.execute(statement.values(data=how(row["data"])))


def error_of(world: World, dag_id: str) -> str | None:
    with world.database.begin() as tx:
        record = tx.dags.find(dag_id)
    assert record is not None
    return record.error


@pytest.mark.parametrize("how", DAMAGES, ids=lambda how: how.__name__)
def test_a_damaged_dag_is_fenced_and_the_others_go_on(world: World, how: Callable[[str], str]) -> None:
    """B10."""
    for dag_id in ("before", "broken", "later"):
        world.dag(Task("a"), dag_id=dag_id)
        world.trigger(dag_id)
    damage(world, "broken", how)
    world.scheduler()

    world.settle()

    assert world.run(dag_id="before").state is world.run(dag_id="later").state is RunState.SUCCESS
    assert world.run(dag_id="broken").state is RunState.QUEUED
    error = error_of(world, "broken")
    assert error
    assert [(event.dag_id, event.error) for event in world.told(DagFenced)] == [("broken", error)]


def test_a_dag_of_a_newer_format_says_so(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    damage(world, "sales", of_a_newer_format)
    world.scheduler()

    world.settle()

    assert "upgrade Tradewind" in (error_of(world, "sales") or "")


def test_a_fenced_dag_is_told_once_and_not_looked_at_again(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    damage(world, "sales")
    world.scheduler()
    world.settle()

    world.pass_time(60, step_s=1)

    assert len(world.told(DagFenced)) == 1


def test_a_new_version_heals_a_dag_whose_run_had_not_begun(world: World) -> None:
    """B10."""
    world.dag(Task("a"))
    world.trigger()
    damage(world, "sales")
    world.scheduler()
    world.settle()

    world.dag(Task("a"), Task("b"))
    world.trigger(run_id="r2")
    world.pass_time(2)

    assert world.run("r2").state is RunState.SUCCESS


def test_a_new_version_heals_a_dag_although_a_run_of_the_damaged_one_is_running(world: World) -> None:
    """B10: the run that cannot be decided about must not fence off the sound version with it."""
    world.dag(Task("a"), Task("b", upstream=("a",)))
    world.trigger()
    executor = PatientExecutor(world.clock)
    former = world.scheduler(executor)
    world.settle()
    former.stop()
    world.schedulers.clear()
    damage(world, "sales")
    world.scheduler(executor)
    executor.end()
    world.settle()
    world.pass_time(2)
    assert error_of(world, "sales") is not None

    world.dag(Task("a"), Task("b", upstream=("a",)), Task("c"))
    world.trigger(run_id="r2")
    world.settle()
    for _ in range(3):
        world.pass_time(2)
        executor.end()
    world.settle()

    assert world.run("r2").state is RunState.SUCCESS


def test_publishing_the_same_dag_again_heals_its_damaged_version(world: World) -> None:
    """B10: the file did not change, only what was stored of it."""
    world.dag(Task("a"))
    world.trigger()
    damage(world, "sales")
    world.scheduler()
    world.settle()
    assert error_of(world, "sales") is not None

    world.dag(Task("a"))
    world.trigger(run_id="r2")
    world.settle()
    world.pass_time(2)

    assert world.run("r2").state is RunState.SUCCESS


def test_triggering_a_damaged_dag_is_refused_with_its_error(world: World) -> None:
    world.dag(Task("a"))
    damage(world, "sales")

    with pytest.raises(DagUnusable, match="'sales' cannot be used"):
        world.trigger()


def test_a_failure_of_a_damaged_dags_task_does_not_stop_the_reports_of_others(world: World) -> None:
    """B10: whether it is tried again is asked of its DAG; that the DAG cannot answer concerns nobody else."""
    world.dag(Task("a", retry=Retry(retries=1)), dag_id="broken")
    world.dag(Task("a"), dag_id="sound")
    world.trigger("broken")
    world.trigger("sound")
    executor = PatientExecutor(world.clock)
    former = world.scheduler(executor)
    world.settle()
    former.stop()
    world.schedulers.clear()
    damage(world, "broken")
    world.scheduler(executor)
    broken = min(executor.work)
    executor.finish(broken, fails())
    executor.end()

    world.settle(allow_failures=True)
    world.clock.advance(3)
    world.settle(allow_failures=True)

    assert world.run(dag_id="sound").state is RunState.SUCCESS
    assert world.told(DutyFailed) == []


class PoisonedStructures(Structures):
    """Hands out a structure on which the rules stumble: a defect of ours that shows for one DAG only."""

    def __init__(self, dag_id: str) -> None:
        super().__init__()
        self._dag_id = dag_id

    def get(self, tx: Transaction, version_key: VersionKey) -> Structure:
        structure = super().get(tx, version_key)
        if structure.dag.dag_id != self._dag_id:
            return structure
        poisoned = Structure(structure.dag)
        poisoned.downstream = [(99,)] * len(structure.tasks)
        return poisoned


def test_a_defect_that_shows_in_one_run_fences_off_its_dag_only(world: World) -> None:
    """B10."""
    for dag_id in ("a_sound", "broken", "z_sound"):
        world.dag(Task("a"), dag_id=dag_id)
        world.trigger(dag_id)
    scheduler = world.scheduler()
    scheduler.state.structures = PoisonedStructures("broken")

    world.settle()

    assert world.run(dag_id="a_sound").state is world.run(dag_id="z_sound").state is RunState.SUCCESS
    assert "IndexError" in (error_of(world, "broken") or "")


def test_a_handler_that_raises_stops_nobody(world: World) -> None:
    """B10."""
    world.dag(Task("a"))
    world.trigger()
    scheduler = world.scheduler()

    def raises(event: object) -> None:
        raise RuntimeError("a metric that cannot be written")

    scheduler.state.hub.attach(raises)
    world.settle()

    assert world.run().state is RunState.SUCCESS
    assert world.told(RunMoved)


def test_what_was_published_can_be_read_back(world: World) -> None:
    dag = world.dag(Task("a"), Task("b", upstream=("a",)))

    with world.database.begin() as tx:
        data = tx.connection.execute(sa.select(dag_version.c.data)).scalar_one()

    assert decode_dag(data) == dag
