"""Makes metadata databases of Airflow, with its own code and models. For the Python of an environment that has them.

    python fill_airflow.py URL ...

The key is that of its configuration (`AIRFLOW__CORE__FERNET_KEY`).
"""

# mypy: ignore-errors

import os
import sys
from datetime import UTC, datetime, timedelta

from airflow import settings
from airflow.models.connection import Connection
from airflow.models.dag import DagModel
from airflow.models.dagbundle import DagBundleModel
from airflow.models.dagrun import DagRun
from airflow.models.hitl import HITLDetail
from airflow.models.pool import Pool
from airflow.models.serialized_dag import SerializedDagModel
from airflow.models.taskinstance import TaskInstance
from airflow.models.variable import Variable
from airflow.models.xcom import XComModel
from airflow.providers.fab.auth_manager.models import Role, User
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
from airflow.serialization.definitions.dag import SerializedDAG
from airflow.serialization.serialized_objects import DagSerialization, LazyDeserializedDAG
from airflow.timetables.base import DataInterval
from airflow.utils.db import initdb
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from sqlalchemy import select
from sqlalchemy.orm import Session
from werkzeug.security import generate_password_hash

FIRST = datetime(2026, 1, 1, tzinfo=UTC)
BUNDLE = "dags-folder"


def use(url: str) -> None:
    """From now on this is the database."""
    os.environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] = url
    settings.configure_vars()
    settings.dispose_orm(do_log=False)
    settings.configure_orm()


def fill() -> None:
    """Everything."""
    initdb()
    with create_session() as session:
        add_shared(session)
        add_users(session)
        session.add(DagBundleModel(name=BUNDLE))
        session.flush()
        sales = add_dag(session, sales_dag(), is_paused=False)
        add_dag(session, DAG("forgotten", schedule=None), is_paused=True)
        session.flush()
        add_history(session, sales)


def add_shared(session: Session) -> None:
    """Connections, variables and pools, with what is secret and what is odd."""
    warehouse = Connection(
        conn_id="warehouse",
        conn_type="postgres",
        description="where all ends up",
        host="db.example.org",
        login="loader",
        password="p@ss: wörd",
        schema="sales",
        port=5433,
        extra={"sslmode": "require", "keepalives": 1},
    )
    session.add_all([warehouse, Connection(conn_id="bare", conn_type="http", host="example.org")])
    Variable.set("region", "eu-west", description="where we are", session=session)
    Variable.set("limits", {"rows": 1000}, serialize_json=True, session=session)
    Pool.create_or_update_pool("etl", slots=7, description="loads", include_deferred=True, session=session)


def add_users(session: Session) -> None:
    """Of the FAB auth manager: with both kinds of password hashes, with a role of their own, and one who is gone."""
    roles = {name: Role(name=name) for name in ("Admin", "Viewer", "Night Shift", "Public")}
    session.add_all(roles.values())
    users = (
        ("anna", "scrypt:32768:8:1", "Admin", True),
        ("bert", "pbkdf2:sha256:2000", "Viewer", True),
        ("carl", None, "Night Shift", False),
    )
    for name, method, role, is_active in users:
        user = User(username=name, first_name=name.title(), last_name="Ames", email=f"{name}@example.org")
        user.active = is_active
        user.password = None if method is None else generate_password_hash(f"secret of {name}", method)
        user.roles = [roles[role]]
        session.add(user)


def sales_dag() -> DAG:
    """With a retried, a mapped, a skipped and an upstream-failed task."""
    with DAG("sales", schedule="@daily", start_date=FIRST, catchup=True, tags=["money"]) as dag:
        extract = BashOperator(task_id="extract", bash_command="true", retries=2, pool="etl")
        load = BashOperator.partial(task_id="load", map_index_template="{{ task.bash_command }}").expand(
            bash_command=["one", "two", "three"]
        )
        extract >> load >> [EmptyOperator(task_id="report"), EmptyOperator(task_id="clean")]
    return dag


def add_dag(session: Session, dag: DAG, *, is_paused: bool) -> SerializedDAG:
    """As the DAG processor stores one."""
    dag.relative_fileloc = f"{dag.dag_id}.py"
    lazy = LazyDeserializedDAG.from_dag(dag)
    SerializedDAG.bulk_write_to_db(BUNDLE, None, [lazy], session=session)
    SerializedDagModel.write_dag(lazy, bundle_name=BUNDLE, session=session)
    session.get_one(DagModel, dag.dag_id).is_paused = is_paused
    return DagSerialization.from_dict(lazy.data)


def add_history(session: Session, dag: SerializedDAG) -> None:
    """A run that went well, one that failed, one made by hand, and one that is not over."""
    good = add_run(session, dag, 0, DagRunState.SUCCESS)
    end_tasks(session, good, {})
    tell_of_tries(session, good)
    of_extract = {"dag_id": "sales", "task_id": "extract", "run_id": good.run_id}
    XComModel.set("return_value", {"rows": [1, 2]}, **of_extract, serialize=False, session=session)
    failed = add_run(session, dag, 1, DagRunState.FAILED)
    ends = {
        "load": TaskInstanceState.FAILED,
        "report": TaskInstanceState.UPSTREAM_FAILED,
        "clean": TaskInstanceState.RUNNING,
    }
    end_tasks(session, failed, ends)
    by_hand = add_run(session, dag, 2, DagRunState.SUCCESS, by_hand=True)
    end_tasks(session, by_hand, {"report": TaskInstanceState.SKIPPED})
    add_run(session, dag, 3, DagRunState.RUNNING)


def add_run(session: Session, dag: SerializedDAG, day: int, state: DagRunState, *, by_hand: bool = False) -> DagRun:
    """The run of a day."""
    at = FIRST + timedelta(days=day)
    run = dag.create_dagrun(
        run_id="by_hand" if by_hand else f"scheduled__{at.isoformat()}",
        logical_date=at,
        data_interval=DataInterval(at, at),
        run_after=at,
        conf={"full": True} if by_hand else {},
        run_type=DagRunType.MANUAL if by_hand else DagRunType.SCHEDULED,
        triggered_by=DagRunTriggeredByType.REST_API if by_hand else DagRunTriggeredByType.TIMETABLE,
        triggering_user_name="anna" if by_hand else None,
        state=state,
        start_date=at,
        session=session,
    )
    if state is not DagRunState.RUNNING:
        run.end_date = at + timedelta(minutes=9)
    return run


def end_tasks(session: Session, run: DagRun, ends: dict[str, TaskInstanceState]) -> None:
    """Each as given, else well."""
    for task in session.scalars(select(TaskInstance).where(TaskInstance.run_id == run.run_id)):
        task.state = ends.get(task.task_id, TaskInstanceState.SUCCESS)
        task.try_number = 1
        task.start_date = run.start_date + timedelta(minutes=1)
        task.end_date = run.start_date + timedelta(minutes=3)
        task.hostname, task.pid = "worker-1", 4711
        if task.map_index >= 0:
            task._rendered_map_index = f"part {task.map_index}"


def tell_of_tries(session: Session, run: DagRun) -> None:
    """The first task failed once before; people have written about it and about the run."""
    (task,) = session.scalars(
        select(TaskInstance).where(TaskInstance.run_id == run.run_id, TaskInstance.task_id == "extract")
    )
    task.state = TaskInstanceState.FAILED
    asked = {"options": ["yes", "no"], "multiple": False, "responded_at": run.start_date}
    by = {"id": "1", "name": "anna"}
    session.add(HITLDetail(ti_id=task.id, subject="Load anyway?", chosen_options=["no"], responded_by=by, **asked))
    session.flush()
    session.refresh(task)
    task.prepare_db_for_next_try(session)
    task.try_number, task.state = 2, TaskInstanceState.SUCCESS
    session.flush()
    session.expire_all()
    (detail,) = session.scalars(select(HITLDetail).where(HITLDetail.ti_id == task.id))  # it goes along to the next try
    detail.subject, detail.chosen_options, detail.responded_by = "And now?", ["yes"], None
    task.note = "the network again"
    run.note = "a good day"


if __name__ == "__main__":
    for each in sys.argv[1:]:
        use(each)
        fill()
