"""Tables as older Airflows have them, as far as they are read: no real Airflow makes those for the tests."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

FIRST: Final = datetime(2025, 6, 1, tzinfo=UTC)
REVISION_OF_2_10: Final = "22ed7efa9da2"

_metadata: Final = sa.MetaData()
_ID: Final = sa.String(100)
_instant: Final = sa.DateTime().with_variant(sa.TIMESTAMP(timezone=True), "postgresql")


def _table(name: str, *columns: Any) -> sa.Table:
    return sa.Table(name, _metadata, *columns)


version = _table("alembic_version", sa.Column("version_num", _ID))
connection = _table(
    "connection",
    *(
        sa.Column(name, sa.Text)
        for name in ("conn_type", "description", "host", "schema", "login", "password", "extra")
    ),
    sa.Column("conn_id", _ID),
    sa.Column("port", sa.Integer),
    sa.Column("is_encrypted", sa.Boolean),
    sa.Column("is_extra_encrypted", sa.Boolean),
)
variable = _table(
    "variable",
    sa.Column("key", _ID),
    sa.Column("val", sa.Text),
    sa.Column("is_encrypted", sa.Boolean),
)
pool = _table("slot_pool", sa.Column("pool", _ID), sa.Column("slots", sa.Integer), sa.Column("description", sa.Text))
dag = _table("dag", sa.Column("dag_id", _ID), sa.Column("is_paused", sa.Boolean), sa.Column("is_active", sa.Boolean))
dag_run = _table(
    "dag_run",
    sa.Column("id", sa.Integer, primary_key=True),
    *(sa.Column(name, _ID) for name in ("dag_id", "run_id", "run_type", "state")),
    *(sa.Column(name, _instant) for name in ("execution_date", "data_interval_start", "data_interval_end")),
    *(sa.Column(name, _instant) for name in ("queued_at", "start_date", "end_date")),
    sa.Column("conf", sa.LargeBinary),
)
task_instance = _table(
    "task_instance",
    *(sa.Column(name, _ID) for name in ("dag_id", "task_id", "run_id", "state", "pool", "queue", "operator")),
    *(sa.Column(name, sa.Integer) for name in ("map_index", "try_number", "max_tries", "pool_slots", "pid")),
    *(sa.Column(name, _instant) for name in ("start_date", "end_date", "queued_dttm")),
    sa.Column("hostname", sa.Text),
    sa.Column("priority_weight", sa.Integer),
)
note = _table(
    "task_instance_note",
    *(sa.Column(name, _ID) for name in ("dag_id", "task_id", "run_id", "content")),
    sa.Column("map_index", sa.Integer),
)
serialized = _table(
    "serialized_dag",
    sa.Column("dag_id", _ID),
    sa.Column("data", sa.JSON),
    sa.Column("data_compressed", sa.LargeBinary),
    sa.Column("last_updated", _instant),
)


def make_tables(url: str, *, without: Iterable[str] = (), revision: str = REVISION_OF_2_10) -> sa.Engine:
    """Empty ones, but for the revision. `without`: columns that an even older one did not have."""
    engine = sa.create_engine(url)
    with engine.begin() as writer:
        if engine.dialect.name == "sqlite":
            writer.exec_driver_sql("PRAGMA journal_mode=WAL")  # a reader would else keep who writes waiting
        _metadata.create_all(writer)
        for name in without:
            writer.exec_driver_sql(f"ALTER TABLE task_instance DROP COLUMN {name}")
        writer.execute(sa.insert(version).values(version_num=revision))
    return engine


def add_run(engine: sa.Engine, day: int, *, tasks: int = 1, **values: Any) -> None:
    """The run of a day, with so many instances of a mapped task. Instants as drivers store them: in UTC."""
    at, run_id = FIRST + timedelta(days=day), f"scheduled__{day}"
    stored = at if engine.dialect.name == "postgresql" else at.replace(tzinfo=None)
    run = {
        "dag_id": "old",
        "run_id": run_id,
        "run_type": "scheduled",
        "state": "success",
        "execution_date": stored,
        "data_interval_start": stored,
        "data_interval_end": stored + timedelta(days=1),
        "start_date": stored,
        "end_date": stored,
        "conf": b"\x80\x04",
        **values,
    }
    of_task = {"dag_id": run["dag_id"], "task_id": "load", "run_id": run_id, "state": "success", "pool": "default_pool"}
    of_task |= {"queue": "default", "operator": "BashOperator", "hostname": "h" * 300, "start_date": stored}
    numbers = {"try_number": 1, "max_tries": 0, "pool_slots": 1, "priority_weight": 1, "pid": 9}
    with engine.begin() as writer:
        writer.execute(sa.insert(dag_run).values(**run))
        rows = [{**of_task, **numbers, "map_index": index} for index in range(tasks)]
        if rows:
            writer.execute(sa.insert(task_instance), rows)
