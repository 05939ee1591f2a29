"""Throwing old history away, never what is needed or still runs (D7)."""

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.states import RunState, TaskState
from tradewind.storage.database import Database
from tradewind.storage.interface.pruning_store import Prunable, PruneChoice

LATER = PruneChoice(NOW + minutes(60))


def test_ended_runs_go_with_their_tasks_and_the_newest_stays(world: World, store: Database) -> None:
    old = world.ended("old", RunState.FAILED, run_after=NOW - minutes(3))
    world.task(TaskState.SUCCESS, old)
    world.ended("newest", RunState.SUCCESS, run_after=NOW - minutes(2))

    with store.begin() as tx:
        assert tx.pruning.count(Prunable.RUNS, LATER) == 1
        assert [run.run_id for run in tx.pruning.old_runs(LATER, limit=10)] == ["old"]
        assert tx.pruning.old_runs(PruneChoice(NOW - minutes(600)), limit=10) == []
        assert tx.pruning.old_runs(PruneChoice(LATER.before, spared=("sales",)), limit=10) == []
        assert tx.pruning.old_runs(PruneChoice(LATER.before, dag_ids=("other",)), limit=10) == []
        tx.pruning.delete_runs([old])

    with store.begin() as tx:
        assert tx.pruning.count(Prunable.RUNS, LATER) == 0
        assert tx.tasks.instances(old) == []
    assert world.find("newest").run_id == "newest"


def test_running_runs_are_not_old(world: World, store: Database) -> None:
    world.running("one", run_after=NOW - minutes(3))
    world.running("other", run_after=NOW - minutes(2))

    with store.begin() as tx:
        assert tx.pruning.count(Prunable.RUNS, LATER) == 0


def test_versions_that_nobody_uses_go_in_batches(world: World, store: Database) -> None:
    first = world.dag()
    with store.begin() as tx:
        for number in range(3):
            tx.dags.add_version("sales", structure_hash=f"h{number}", data="{}", now=NOW)

    with store.begin() as tx:
        assert tx.pruning.count(Prunable.VERSIONS, LATER) == 3
        assert tx.pruning.delete(Prunable.VERSIONS, LATER, limit=2) == 2
        assert tx.pruning.delete(Prunable.VERSIONS, LATER, limit=2) == 1
        assert tx.pruning.count(Prunable.VERSIONS, LATER) == 0
        assert tx.dags.version_data([first]) == {}
