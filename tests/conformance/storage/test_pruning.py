"""Throwing old history away, never what is needed or still runs (D7)."""

from tests.conformance.storage.worlds import NOW, World, add_version, minutes
from tradewind.model.states import RunState, TaskState
from tradewind.storage.database import Database
from tradewind.storage.interface.pruning_store import Archive, Prunable, PruneChoice

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
            add_version(tx, "sales", f"h{number}")

    with store.begin() as tx:
        assert tx.pruning.count(Prunable.VERSIONS, LATER) == 3
        assert tx.pruning.delete(Prunable.VERSIONS, LATER, limit=2) == 2
        assert tx.pruning.delete(Prunable.VERSIONS, LATER, limit=2) == 1
        assert tx.pruning.count(Prunable.VERSIONS, LATER) == 0
        assert tx.dags.version_data([first]) == {}


def test_copies_are_kept_of_what_goes_and_dropped_when_asked(world: World, store: Database) -> None:
    """D7, B1: with all that goes along, value for value, once for each row."""
    old = world.ended("old", RunState.FAILED, run_after=NOW - minutes(3))
    task = world.task(TaskState.SUCCESS, old)
    world.ended("newest", RunState.SUCCESS, run_after=NOW - minutes(2))
    archive = Archive("20260101120000")
    with store.begin() as tx:
        assert {"dag_run", "task_instance", "xcom"} <= set(tx.archives.tables_of(Prunable.RUNS))
        tx.archives.create(Prunable.RUNS, archive)

    with store.begin() as tx:
        tx.pruning.delete_runs([old], archive)
    found = {each.table: each for each in store.read(lambda tx: tx.archives.all())}
    columns, row = store.read(lambda tx: [*tx.archives.rows(found["dag_run"])])
    of_tasks, of_task = store.read(lambda tx: [*tx.archives.rows(found["task_instance"])])

    kept = dict(zip(columns, row, strict=True))
    assert found["dag_run"].name == "_tradewind_deleted__dag_run__20260101120000"
    assert (kept["run_id"], kept["state"], kept["run_after"]) == ("old", "failed", NOW - minutes(3))
    assert dict(zip(of_tasks, of_task, strict=True))["task_id"] == task.task_id
    with store.begin() as tx:
        assert tx.archives.count(found["xcom"].name) == 0
        tx.archives.drop([each.name for each in found.values()])
    assert store.read(lambda tx: tx.archives.all()) == []


def test_of_what_is_no_run_copies_are_kept_too(world: World, store: Database) -> None:
    """D7, B1: of some at a time, into one table."""
    world.dag()
    archive = Archive("20260101120001")
    with store.begin() as tx:
        for number in range(3):
            add_version(tx, "sales", f"h{number}")
    with store.begin() as tx:
        tx.archives.create(Prunable.VERSIONS, archive)

    for _ in range(2):
        with store.begin() as tx:
            tx.pruning.delete(Prunable.VERSIONS, LATER, 2, archive)

    (archived,) = store.read(lambda tx: tx.archives.all())
    assert (archived.table, store.read(lambda tx: tx.archives.count(archived.name))) == ("dag_version", 3)
    with store.begin() as tx:
        tx.archives.drop([archived.name])
