"""`tradewind migrate-from-airflow`, with a database that a real Airflow made (A8, B1, B6).

Needs a package registry; without one the tests are skipped and say so.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from tests.compat.real_airflow import NoRegistry, RealAirflow, made_once
from tests.component.api.conftest import shared_app
from tests.component.cli.deployment import CliDeployment
from tests.databases import Databases
from tradewind.bootstrap import wired
from tradewind.bootstrap_api import make_services
from tradewind.model.dag import Dag, Task
from tradewind.model.states import RunState
from tradewind.model.timetable import CronTrigger
from tradewind.operations.clear_runs import Clearing, clear_run
from tradewind.operations.structures import Structures
from tradewind.runtime.clock import SystemClock
from tradewind.secrets.encryption import new_key
from tradewind.settings import load_settings
from tradewind.storage.schema import audit_log, connection, metadata, run_change, variable

GOOD, FAILED = "scheduled__2026-01-01T00:00:00+00:00", "scheduled__2026-01-02T00:00:00+00:00"
SECRETS = ("p@ss: wörd", "keepalives", "eu-west", "secret of")


@pytest.fixture(scope="session")
def airflow(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> RealAirflow:
    """Made by the first worker that asks."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    try:
        return made_once(shared / "real-airflow", databases)
    except NoRegistry as error:
        pytest.skip(f"NO REGISTRY: {error}")


@pytest.fixture
def deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CliDeployment:
    """An empty home with a database, and a key of its own."""
    monkeypatch.setenv("TRADEWIND__CORE__FERNET_KEY", new_key())
    return CliDeployment(tmp_path, monkeypatch, capsys)


def migrate(deployment: CliDeployment, airflow: RealAirflow, *words: str, code: int = 0) -> str:
    given = ("--db", airflow.url, "--fernet-key-file", str(airflow.key_file), *words)
    return deployment.run("migrate-from-airflow", *given, code=code)


def rows() -> dict[str, list[tuple[Any, ...]]]:
    """All that is stored, but who did what."""
    with wired(load_settings()) as wiring, wiring.database.engine.connect() as reader:
        tables = [table for table in metadata.sorted_tables if table is not audit_log]
        return {table.name: sorted(map(tuple, reader.execute(sa.select(table))), key=repr) for table in tables}


@contextmanager
def web_client() -> Iterator[TestClient]:
    """Of the web server of the deployment."""
    app = shared_app()
    with wired(load_settings()) as wiring:
        app.state.services = make_services(wiring)
        with TestClient(app) as client:
            yield client


def deployment_log() -> list[Any]:
    """Who did what."""
    with wired(load_settings()) as wiring, wiring.database.engine.connect() as reader:
        return list(reader.execute(sa.select(audit_log)))


def test_a_dry_run_tells_everything_and_writes_nothing(deployment: CliDeployment, airflow: RealAirflow) -> None:
    before, file = rows(), airflow.file.read_bytes()

    told = migrate(deployment, airflow, "--history", "all")

    lines = told.splitlines()
    assert lines[0] == f"Airflow 3.3 (schema revision d2f4e1b3c5a7), {airflow.url}"
    assert "connections: 2 to copy" in lines
    assert "pools: 1 to copy, 1 here already" in lines
    assert "users: 3 to copy" in lines
    assert "  + carl: without a password: tradewind users reset-password gives them one" in lines
    assert "  + sales: not paused" in lines
    assert "history: 3 to copy, 1 left out" in lines
    assert "  - sales: it has not ended in Airflow: copy again when it has" in lines
    assert "  18 task instances, 1 earlier tries, 2 questions to people, 0 XComs" in lines
    assert lines[-1].endswith("--history all --apply")
    assert not [secret for secret in SECRETS if secret in told]
    assert rows() == before
    assert airflow.file.read_bytes() == file


def test_all_is_copied_and_a_second_time_changes_nothing(deployment: CliDeployment, airflow: RealAirflow) -> None:
    told = migrate(deployment, airflow, "--history", "all", "--apply")

    assert "connections: 2 copied" in told
    assert not [secret for secret in SECRETS if secret in told]
    warehouse = {row["conn_id"]: row for row in deployment.rows("connections", "list", "--show-values")}["warehouse"]
    assert (warehouse["password"], warehouse["port"], warehouse["login"]) == ("p@ss: wörd", 5433, "loader")
    assert warehouse["extra"] == '{"sslmode": "require", "keepalives": 1}'
    assert deployment.run("variables", "get", "region") == "eu-west\n"
    (etl,) = [row for row in deployment.rows("pools", "list") if row["pool"] == "etl"]
    assert (etl["slots"], etl["include_deferred"], etl["description"]) == (7, True, "loads")
    users = {row["username"]: (row["roles"], row["is_active"]) for row in deployment.rows("users", "list")}
    assert users == {"anna": ("Admin", True), "bert": ("Viewer", True), "carl": ("Night Shift", False)}
    stored = rows()
    assert not [secret for secret in SECRETS if secret in f"{stored[connection.name]}{stored[variable.name]}"]

    (entry,) = deployment_log()
    assert entry.event == "cli_migrate_from_airflow"
    assert json.loads(entry.extra)["db"] == "***"

    again = migrate(deployment, airflow, "--history", "all", "--apply", "--overwrite")

    assert "connections: 2 here already" in again
    assert "history: 3 here already, 1 left out" in again
    assert rows() == stored


def test_people_log_in_with_the_password_they_had(deployment: CliDeployment, airflow: RealAirflow) -> None:
    """B6: the hash of Airflow is accepted, and replaced by ours."""
    migrate(deployment, airflow, "--only", "users", "--apply")

    with web_client() as client:
        for name in ("anna", "bert"):
            wrong = client.post("/auth/token", json={"username": name, "password": "a secret"})
            right = client.post("/auth/token", json={"username": name, "password": f"secret of {name}"})
            assert (wrong.status_code, right.status_code) == (401, 201)
        nobody = client.post("/auth/token", json={"username": "carl", "password": ""})
        again = client.post("/auth/token", json={"username": "anna", "password": "secret of anna"})

    assert (nobody.status_code, again.status_code) == (401, 201)
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        hashes = {account.profile.name: (account.password_hash or "")[:10] for account in tx.accounts.all()}
    assert hashes == {"anna": "$argon2id$", "bert": "$argon2id$", "carl": ""}


def test_history_is_shown_and_explained(deployment: CliDeployment, airflow: RealAirflow) -> None:
    """A8: over the REST API, as a user of Airflow who came along."""
    migrate(deployment, airflow, "--history", "all", "--xcoms", "--apply")
    deployment.schedule()  # which leaves all of it alone
    # Where Airflow has it, in the folder of its logs.
    folder = load_settings().log_folder / "dag_id=sales" / f"run_id={GOOD}" / "task_id=extract"
    folder.mkdir(parents=True)
    (folder / "attempt=1.log").write_text('{"event": "said by Airflow", "level": "info"}\n')

    with web_client() as client:
        login = {"username": "anna", "password": "secret of anna"}
        token = client.post("/auth/token", json=login).json()["access_token"]
        client.headers["Authorization"] = f"Bearer {token}"
        runs = {run["dag_run_id"]: run for run in client.get("/api/v2/dags/sales/dagRuns").json()["dag_runs"]}
        good, failed = (f"/api/v2/dags/sales/dagRuns/{run_id}" for run_id in (GOOD, FAILED))
        tasks = client.get(f"{good}/taskInstances").json()["task_instances"]
        tries = client.get(f"{good}/taskInstances/extract/tries").json()["task_instances"]
        asked = [
            client.get(f"{good}/taskInstances/extract/-1/hitlDetails/tries/1").json(),
            client.get(f"{good}/taskInstances/extract/-1/hitlDetails").json(),
        ]
        why_run = client.get(f"{failed}/explain").json()
        why_task = client.get(f"{failed}/taskInstances/clean/explain").json()
        structure = client.get("/api/v2/dags/sales/tasks").json()["tasks"]
        xcom = client.get(f"{good}/taskInstances/extract/xcomEntries/return_value").json()
        log = client.get(f"{good}/taskInstances/extract/logs/1").json()

    assert {run_id: run["state"] for run_id, run in runs.items()} == {
        GOOD: "success",
        FAILED: "failed",
        "by_hand": "success",
    }
    by_hand = runs["by_hand"]
    assert (by_hand["conf"], by_hand["triggered_by"], by_hand["triggering_user_name"]) == (
        {"full": True},
        "rest_api",
        "anna",
    )
    assert (runs[GOOD]["note"], runs[GOOD]["run_type"]) == ("a good day", "scheduled")
    assert runs[GOOD]["end_date"] == "2026-01-01T00:09:00Z"
    shown = {(task["task_id"], task["map_index"]): task for task in tasks}
    assert sorted(shown) == [("clean", -1), ("extract", -1), ("load", 0), ("load", 1), ("load", 2), ("report", -1)]
    extract, load = shown["extract", -1], shown["load", 1]
    assert (extract["try_number"], extract["note"], extract["pool"]) == (2, "the network again", "etl")
    assert (load["rendered_map_index"], load["hostname"], load["duration"]) == ("part 1", "worker-1", 120.0)
    answers = [(each["subject"], each["chosen_options"], each["responded_by_user"]) for each in asked]
    assert answers == [("Load anyway?", ["no"], {"id": "1", "name": "anna"}), ("And now?", ["yes"], None)]
    assert [(each["try_number"], each["state"]) for each in tries] == [(1, "failed"), (2, "success")]
    assert [reason["code"] for reason in why_run["reasons"]] == ["finished"]
    assert "its run had ended in Airflow while it was running" in why_task["summary"]
    assert {task["task_id"]: task["downstream_task_ids"] for task in structure} == {
        "extract": ["load"],
        "load": ["clean", "report"],
        "clean": [],
        "report": [],
    }
    assert xcom["value"] == {"rows": [1, 2]}
    assert "said by Airflow" in str(log["content"])


def test_a_dag_appears_paused_as_it_was_and_goes_on_where_it_was(
    deployment: CliDeployment, airflow: RealAirflow
) -> None:
    """B1: what was decided in Airflow about a DAG holds when its file is read here for the first time. A run of Airflow
    that is cleared goes on with what the file says."""
    migrate(deployment, airflow, "--history", "all", "--apply")
    assert deployment.rows("dags", "list") == []

    deployment.publish(Dag("sales", (Task("extract"),)), Dag("forgotten", (Task("a"),)), is_paused=True)

    assert {row["dag_id"]: row["is_paused"] for row in deployment.rows("dags", "list")} == {
        "sales": False,
        "forgotten": True,
    }
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        last = tx.runs.last_scheduled("sales")
        assert last is not None
        assert (last.run_id, last.state) == (FAILED, RunState.FAILED)
        changes = tx.connection.execute(sa.select(sa.func.count()).select_from(run_change)).scalar()
        assert changes == 0
        clear_run(tx, "sales", FAILED, Clearing(), Structures(), wiring.clock.now())
        cleared, sales = tx.runs.find("sales", FAILED), tx.dags.find("sales")
    assert cleared is not None
    assert sales is not None
    assert (cleared.state, cleared.version_key) == (RunState.QUEUED, sales.version_key)


@pytest.mark.parametrize("comes_first", ["the file", "the history"])
def test_the_schedule_goes_on_after_the_last_run_of_airflow(
    deployment: CliDeployment, airflow: RealAirflow, comes_first: str
) -> None:
    """B1: nothing that Airflow has run is run again, although the DAG catches up."""
    daily = CronTrigger("0 0 * * *")
    dag = Dag("sales", (Task("extract"),), timetable=daily, start_at=datetime(2025, 1, 1, tzinfo=UTC), catchup=True)

    if comes_first == "the file":
        deployment.publish(dag)
    migrate(deployment, airflow, "--history", "all", "--apply")
    if comes_first == "the history":
        deployment.publish(dag)

    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        record = tx.dags.find("sales")
    assert record is not None
    assert record.next_run is not None
    assert record.next_run.run_after == datetime(2026, 1, 3, tzinfo=UTC)


def test_only_as_many_days_of_history_as_wanted(deployment: CliDeployment, airflow: RealAirflow) -> None:
    days = (SystemClock().now() - datetime(2026, 1, 2, tzinfo=UTC)) // timedelta(days=1)

    told = migrate(deployment, airflow, "--only", "history", "--history", str(days))

    assert "history: 1 to copy, 1 left out" in told
    assert "connections" not in told


def test_what_is_here_and_differs_stays_unless_said_otherwise(deployment: CliDeployment, airflow: RealAirflow) -> None:
    deployment.run("connections", "add", "bare", "--conn-type", "http", "--conn-host", "elsewhere")
    deployment.run("variables", "set", "region", "us-east")
    deployment.run("pools", "set", "etl", "3", "loads", "--include-deferred")
    deployment.publish(Dag("sales", (Task("a"),)), is_paused=True)

    kept = migrate(deployment, airflow, "--apply")
    host = deployment.rows("connections", "get", "bare")[0]["host"]
    told = migrate(deployment, airflow, "--apply", "--overwrite")

    assert "  ~ bare: host" in kept
    assert "  ~ region: value, description" in kept
    assert "  ~ etl: slots" in kept
    assert "  ~ sales: not paused" in kept
    assert host == "elsewhere"
    assert "  > bare: host" in told
    assert deployment.rows("connections", "get", "bare")[0]["host"] == "example.org"
    assert deployment.run("variables", "get", "region") == "eu-west\n"
    assert deployment.rows("dags", "list")[0]["is_paused"] is False


def test_a_wrong_key_is_refused_and_no_key_leaves_secrets_out(deployment: CliDeployment, airflow: RealAirflow) -> None:
    """The key of the deployment itself is tried where none is given."""
    told = deployment.run("migrate-from-airflow", "--db", airflow.url, "--fernet-key", new_key(), "--apply", code=2)
    assert told == (
        "tradewind: the key opens none of the 3 encrypted connections and variables: it is not the one of [core]"
        " fernet_key of this Airflow\n"
    )
    assert deployment.rows("connections", "list") == []

    without = deployment.run("migrate-from-airflow", "--db", airflow.url, "--only", "connections,variables")

    assert "connections: 1 to copy, 1 cannot be copied" in without
    assert (
        "  ! warehouse: the password of connection 'warehouse' is encrypted with another key: give Airflow's" in without
    )
    deployment.run("migrate-from-airflow", "--db", airflow.url, "--only", "connections", "--apply", code=1)
    assert [row["conn_id"] for row in deployment.rows("connections", "list")] == ["bare"]


def test_postgres_says_the_same_as_sqlite(airflow: RealAirflow) -> None:
    """B6: read by the same code, from a database that the same Airflow made."""
    on_postgres = airflow.postgres_facts
    if on_postgres is None:
        pytest.skip("no postgres server")

    assert on_postgres == airflow.facts()
    assert "(4, 24, 1, 1)" in on_postgres
