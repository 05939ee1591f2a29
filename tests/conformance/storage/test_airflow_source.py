"""Airflow's database is read as it is at one moment, in parts, and never written to (A8)."""

import zlib
from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests import airflow_tables
from tests.airflow_tables import FIRST, add_run, make_tables
from tradewind.errors import DatabaseError, DatabaseUnavailable
from tradewind.storage.airflow_database import opened_airflow
from tradewind.storage.airflow_source import airflow_source

FIRST_DAY = FIRST.replace(tzinfo=None)


@pytest.fixture
def old_airflow(database_url: str) -> Iterator[sa.Engine]:
    """A database of Airflow 2.10 without any row."""
    engine = make_tables(database_url)
    yield engine
    engine.dispose()


def test_an_older_airflow_is_read_as_far_as_it_has_the_same(old_airflow: sa.Engine, database_url: str) -> None:
    """No conf: Airflow 2 pickles it, and nothing is unpickled."""
    add_run(old_airflow, 1)
    with old_airflow.begin() as writer:
        connection = {"conn_id": "web", "conn_type": "http", "port": 80, "is_encrypted": False}
        writer.execute(sa.insert(airflow_tables.connection).values(**connection, is_extra_encrypted=False))
        writer.execute(sa.insert(airflow_tables.variable).values(key="k", val=None, is_encrypted=True))
        writer.execute(sa.insert(airflow_tables.pool).values(pool="etl", slots=-1))
        writer.execute(sa.insert(airflow_tables.dag).values(dag_id="old", is_paused=True, is_active=True))
        writer.execute(sa.insert(airflow_tables.dag).values(dag_id="older", is_paused=False, is_active=False))
        note = {"dag_id": "old", "task_id": "load", "run_id": "scheduled__1", "map_index": 0, "content": "slow"}
        writer.execute(sa.insert(airflow_tables.note).values(**note))

    with airflow_source(database_url) as source:
        history = source.history
        assert source.version == "Airflow 2.10 (schema revision 22ed7efa9da2)"
        assert (source.has_users, source.users(), history.has_conf, history.has_xcoms) == (False, [], False, False)
        assert [(each.record.fields.conn_id, each.record.fields.port) for each in source.connections()] == [("web", 80)]
        assert [(each.record.value, each.record.is_encrypted) for each in source.variables()] == [("", False)]
        assert [(each.pool.name, each.pool.include_deferred) for each in source.pools()] == [("etl", False)]
        assert [(dag.dag_id, dag.is_paused, dag.is_stale) for dag in source.dags()] == [
            ("old", True, False),
            ("older", False, True),
        ]
        ((run,),) = history.runs(None, 10)
        assert (run.logical_date, run.run_after) == (FIRST + timedelta(days=1), FIRST + timedelta(days=2))
        assert (run.run_type, run.conf, run.clear_number) == ("scheduled", None, 0)
        ((task,),) = history.tasks([run.number])
        assert (task.map_index, task.note, task.started_at) == (0, "slow", FIRST + timedelta(days=1))
        assert (list(history.tries([run.number])), list(history.xcoms([run.number]))) == ([], [])


def test_runs_and_tasks_come_in_parts(old_airflow: sa.Engine, database_url: str) -> None:
    for day, tasks in enumerate((0, 1200, 3)):
        add_run(old_airflow, day, tasks=tasks)

    with airflow_source(database_url) as source:
        history = source.history
        parts = [[run.number for run in part] for part in history.runs(None, 2)]
        since = FIRST + timedelta(days=2, hours=1)
        late = [run.run_id for part in history.runs(since, 2) for run in part]
        tasks_read = [len(part) for part in history.tasks([number for part in parts for number in part])]
        counts = history.count_tasks(parts[0])

    assert [len(part) for part in parts] == [2, 1]
    assert late == ["scheduled__2"]
    assert tasks_read == [1000, 203]
    assert counts == (1200, 0, 0)


def test_a_dag_is_read_as_it_was_written_down_last(old_airflow: sa.Engine, database_url: str) -> None:
    """Compressed or not, as `[core] compress_serialized_dags` says."""
    plain, packed = {"dag": {"tasks": ["a"]}}, zlib.compress(b'{"dag": 2}')
    rows: list[dict[str, object]] = [
        {"dag_id": "old", "data": {"dag": 0}, "data_compressed": None, "last_updated": FIRST_DAY},
        {"dag_id": "old", "data": plain, "data_compressed": None, "last_updated": FIRST_DAY + timedelta(days=1)},
        {"dag_id": "packed", "data": None, "data_compressed": packed, "last_updated": FIRST_DAY},
        {"dag_id": "torn", "data": None, "data_compressed": b"torn", "last_updated": FIRST_DAY},
    ]
    with old_airflow.begin() as writer:
        writer.execute(sa.insert(airflow_tables.serialized), rows)

    with airflow_source(database_url) as source:
        found = {dag_id: source.history.structure(dag_id) for dag_id in ("old", "packed", "torn", "unknown")}

    assert found == {"old": plain, "packed": {"dag": 2}, "torn": None, "unknown": None}


def test_what_changes_meanwhile_is_not_seen_and_nothing_can_be_written(
    old_airflow: sa.Engine, database_url: str
) -> None:
    add_run(old_airflow, 0)

    with airflow_source(database_url) as source:
        assert source.history.count_runs(None) == 1
        add_run(old_airflow, 1)
        assert source.history.count_runs(None) == 1

    with opened_airflow(database_url) as database, pytest.raises(sa.exc.DBAPIError):
        database.connection.execute(sa.delete(sa.table("dag_run")))
    with airflow_source(database_url) as source:
        assert source.history.count_runs(None) == 2


def test_one_that_is_too_old_is_refused(database_url: str) -> None:
    make_tables(database_url, without=["map_index"], revision="b1b348e02d07").dispose()

    with (
        pytest.raises(DatabaseError, match=r"an Airflow before 2\.3 \(schema revision b1b348e02d07\)"),
        airflow_source(database_url),
    ):
        pass


def test_a_server_without_such_a_database_is_refused_without_its_password(database_url: str) -> None:
    missing = sa.make_url(database_url)
    nowhere = missing.set(database=f"{missing.database}_missing").render_as_string(hide_password=False)

    with (
        pytest.raises(DatabaseUnavailable, match="no connection to Airflow's database") as refused,
        airflow_source(nowhere),
    ):
        pass

    assert "\n" not in str(refused.value)
