"""Variables and connections from every place, at every moment, and none of them in a log (D3, D5)."""

import json
from pathlib import Path

import pytest

from tests.acceptance.deployment import Deployment, deployed
from tests.databases import DatabaseKind
from tradewind.secrets.encryption import new_key
from tradewind.storage.interface.shared_stores import AssetEventChoice

DAG_FILES = {
    "asks_in_tasks.py": """
import base64, logging, os, subprocess, sys
from airflow.sdk import DAG, Asset, Connection, Variable, task

orders = Asset("orders", "s3://orders")

with DAG("asks_in_tasks", schedule=None, is_paused_upon_creation=False):
    @task(outlets=[orders])
    def look(*, outlet_events):
        connection = Connection.get("db")
        assert connection.password == "p@ss/word!", "the database has it"
        assert Variable.get("of_environment") == "environment"
        assert Variable.get("of_backend") == "backend"
        assert Variable.get("nowhere", default=None) is None
        Variable.set("written", "by the task")
        print("printed", connection.password, connection.get_uri())
        logging.getLogger("mine").warning("logged %s", base64.b64encode(f"me:{connection.password}".encode()).decode())
        logging.getLogger("mine").warning("nested %r", {"a": [connection.password.encode()]})
        subprocess.run(["echo", "by another process", connection.password], check=True)
        print("kept:", *(name for name in os.environ if "FERNET" in name or "SQL_ALCHEMY" in name or "KWARGS" in name))
        outlet_events[orders].extra = {"rows": 5}

    @task
    def fail():
        raise ValueError(Connection.get("db").get_uri())

    look() >> fail()
""",
    "asks_while_read.py": """
from airflow.sdk import DAG, Variable, task

key = Variable.get("api_key")

with DAG(f"asks_while_read_{Variable.get('place')}", schedule=None, is_paused_upon_creation=False):
    @task
    def show():
        print("the key is", key)

    show()
""",
}


def words(deployment: Deployment, dag_id: str, task_id: str) -> str:
    """The whole log of a task of run r1, as it lies on disk."""
    folder = deployment.home / "logs" / f"dag_id={dag_id}" / "run_id=r1" / f"task_id={task_id}"
    return "".join(path.read_text() for path in folder.glob("*.log"))


@pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)
def test_secrets_reach_their_tasks_and_nobody_else(
    tmp_path: Path, database_url: str, database_kind: DatabaseKind
) -> None:
    dags = tmp_path / "dags"
    dags.mkdir()
    (tmp_path / "vault.json").write_text('{"of_backend": "backend"}')
    variables = {
        "AIRFLOW__CORE__FERNET_KEY": new_key(),
        "AIRFLOW__SECRETS__BACKEND": "airflow.secrets.local_filesystem.LocalFilesystemBackend",
        "AIRFLOW__SECRETS__BACKEND_KWARGS": json.dumps({"variables_file_path": str(tmp_path / "vault.json")}),
        "AIRFLOW_VAR_OF_ENVIRONMENT": "environment",
    }
    with deployed(tmp_path / "home", database_url, dags_folder=dags, variables=variables) as made:
        made.command("variables", "set", "place", "here")
        made.command("variables", "set", "api_key", "hunter2222")
        made.command("connections", "add", "db", "--conn-uri", "http://me:p%40ss%2Fword%21@host/x")
        for name, text in DAG_FILES.items():
            (dags / name).write_text(text)
        made.until(lambda: len(made.dag_ids()) == 2, "both files to be read")

        asked = made.run("asks_in_tasks", "r1")
        read = made.run("asks_while_read_here", "r1")

        assert asked.states == {"look": "success", "fail": "failed"}
        assert read.states == {"show": "success"}
        assert made.command("variables", "get", "written") == "by the task\n"
        log = words(made, "asks_in_tasks", "look")
        for shown in ("printed *** http://me:***@host/x", "logged bWU6***", "by another process ***", '"kept:"'):
            assert shown in log
        for text in (log, words(made, "asks_in_tasks", "fail"), made.said(), str(asked.tasks["fail"].reason)):
            assert "ss/word" not in text
            assert "ss%2Fword" not in text
        assert "ValueError" in words(made, "asks_in_tasks", "fail")
        assert "the key is ***" in words(made, "asks_while_read_here", "show")
        with made.wiring.database.begin() as tx:
            (event,) = tx.asset_events.choose(AssetEventChoice(name="orders"))
        assert event.event.extra == {"rows": 5}
        assert event.event.source_run_id == "r1"
