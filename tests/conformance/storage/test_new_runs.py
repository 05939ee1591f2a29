"""The store of runs that are about to be (D7, B4)."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import NOW, World, add_version, new_task
from tradewind.model.ids import RunKey, VersionKey
from tradewind.model.run import NewRun
from tradewind.model.states import RunState, RunType
from tradewind.storage.database import Database
from tradewind.storage.schema import dag, dag_file, task_instance
from tradewind.storage.transaction import SqlTransaction

NO_RUN_YET = RunKey(0)
READ_WHOLE = sa.text("SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'dag_run'")
"""How often this connection has read all runs on PostgreSQL, of late."""


def new_run(version: VersionKey, run_id: str = "mine") -> NewRun:
    return NewRun(
        dag_id="sales",
        run_id=run_id,
        run_type=RunType.MANUAL,
        run_after=NOW,
        version_key=version,
        logical_date=NOW,
        conf={"a": [1, "ü"]},
        note="by hand",
    )


def test_the_dag_of_a_new_run_is_locked_if_there_is_one(world: World, store: Database) -> None:
    version = world.dag(is_paused=True)

    with store.begin() as tx:
        assert tx.new_runs.lock_dag("unknown") is None
        locked = tx.new_runs.lock_dag("sales")

    assert locked is not None
    record, has_file_error = locked
    assert (record.dag_id, record.is_paused, record.version_key, has_file_error) == ("sales", True, version, False)


def test_a_run_is_made_with_its_tasks_and_is_to_be_looked_at(world: World, store: Database) -> None:
    version = world.dag()
    tasks = [new_task(NO_RUN_YET, "extract"), new_task(NO_RUN_YET, "load", pool="narrow", pool_slots=2)]

    with store.begin() as tx:
        tx.new_runs.lock_dag("sales")
        key = tx.new_runs.create(new_run(version), tasks, NOW)

    run = world.find("mine")
    assert (run.key, run.state, run.conf, run.note) == (key, RunState.QUEUED, {"a": [1, "ü"]}, "by hand")
    with store.begin() as tx:
        found = {task.task_id: (task.run_key, task.pool, task.pool_slots) for task in tx.tasks.instances(key)}
        assert tx.changes.is_any_pending()
    assert found == {"extract": (key, "default_pool", 1), "load": (key, "narrow", 2)}


def test_a_new_run_is_shown_as_it_is_in_lists(world: World, store: Database) -> None:
    version = world.dag()

    with store.begin() as tx:
        tx.new_runs.lock_dag("sales")
        key, shown = tx.new_runs.create_shown(new_run(version), [], NOW)

    assert (shown["dag_id"], shown["dag_run_id"]) == ("sales", "mine")
    assert shown["note"] == "by hand"
    assert world.find("mine").key == key


def test_a_run_is_made_of_a_dag_that_is_as_it_was(world: World, store: Database) -> None:
    """B4: without a look at the DAG before."""
    version = world.dag()
    new = replace(new_run(version), logical_date=None)

    with store.begin() as tx:
        made = tx.new_runs.create_shown_of(new, [new_task(NO_RUN_YET, "load")], NOW)

    assert made is not None
    key, shown = made
    assert (shown["dag_run_id"], shown["conf"], world.find("mine").key) == ("mine", '{"a":[1,"ü"]}', key)
    with store.begin() as tx:
        assert [task.task_id for task in tx.tasks.instances(key)] == ["load"]
        assert tx.changes.is_any_pending()


@pytest.mark.parametrize("case", ["unknown", "another version", "stale", "a broken file"])
def test_no_run_is_made_of_a_dag_that_is_not_as_it_was(world: World, store: Database, case: str) -> None:
    """B4: nor anything else that a run has."""
    version = world.dag()
    new = replace(new_run(version), logical_date=None)
    with store.begin() as tx:
        match case:
            case "unknown":
                new = replace(new, dag_id="gone")
            case "another version":
                add_version(tx, "sales", "other")
            case "stale":
                tx.dags.set_stale(["sales"])
            case _:
                _break_file(tx, "sales")

    with store.begin() as tx:
        made = tx.new_runs.create_shown_of(new, [new_task(NO_RUN_YET, "load")], NOW)
        is_pending = tx.changes.is_any_pending()

    assert (made, is_pending) == (None, False)
    with store.engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(task_instance)).scalar_one() == 0


def _break_file(tx: SqlTransaction, dag_id: str) -> None:
    broken = {"bundle_name": "dags", "path": "sales.py"}
    tx.bundles.sync([broken["bundle_name"]])
    tx.connection.execute(sa.update(dag).where(dag.c.dag_id == dag_id).values(broken))
    tx.connection.execute(
        sa.insert(dag_file).values(**broken, error="oops", error_at=NOW, is_volatile=False, is_requested=False)
    )


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_new_run_is_found_by_its_key_also_where_there_are_few(world: World, store: Database) -> None:
    """A8: PostgreSQL looks for the run of each new task instance by a plan that it keeps while runs become many."""
    version = world.dag()
    with store.begin() as tx:
        for number in range(100):
            tx.new_runs.create(replace(new_run(version, f"run {number}"), logical_date=None), [], NOW)
    with store.engine.begin() as connection:
        connection.exec_driver_sql("ANALYZE dag_run")

    with store.begin() as tx:
        before = tx.connection.execute(READ_WHOLE).scalar_one()
        tx.new_runs.create(new_run(version), [new_task(NO_RUN_YET, f"task {number}") for number in range(3)], NOW)
        after = tx.connection.execute(READ_WHOLE).scalar_one()

    assert after == before
