"""A deployment whose worker has no database: all that tasks need goes over HTTP (D1, D3, D4, D5)."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.acceptance.deployment import Deployment, deployed
from tests.acceptance.standalone import free_port
from tests.databases import DatabaseKind, DatabaseUrls
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.manage_connections import add_connection
from tradewind.operations.manage_variables import set_variable
from tradewind.runtime.clock import SystemClock
from tradewind.secrets.encryption import Encryption
from tradewind.storage.interface import Transaction

on_both = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)
on_one = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

DAGS = Path(__file__).with_name("execution_dags")
BIG = 2**80


@dataclass(frozen=True, slots=True)
class Remote:
    """The deployment, and where its web server listens."""

    deployment: Deployment
    port: int

    def serve(self) -> None:
        """Start the web server, and wait until it listens."""
        self.deployment.start("api-server")
        self.deployment.until(self._listens, "the web server to listen")

    def worker(self) -> psutil.Process:
        """The one that its scheduler has started."""
        found = [each for each in psutil.Process().children(recursive=True) if self._is_worker(each)]
        assert len(found) == 1, self.deployment.said()
        return found[0]

    def notes(self, run_id: str) -> list[str]:
        """Which tries began, in their order."""
        file = self.deployment.notes / run_id
        return file.read_text().splitlines() if file.exists() else []

    def until_noted(self, run_id: str, word: str) -> None:
        """Until a try has begun."""
        self.deployment.until(lambda: word in self.notes(run_id), f"{word} in {run_id}")

    def let_go(self, run_id: str) -> None:
        """What waits in this run need not any longer."""
        (self.deployment.notes / f"{run_id}.go").touch()

    def _listens(self) -> bool:
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", self.port)) == 0

    def _is_worker(self, process: psutil.Process) -> bool:
        try:
            words = process.cmdline()
            return "worker of LocalExecutor" in " ".join(words) and (
                process.environ().get("TRADEWIND_HOME") == str(self.deployment.home)
            )
        except psutil.Error:
            return False


@pytest.fixture(scope="module")
def remote(
    database_urls: DatabaseUrls, database_kind: DatabaseKind, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Remote]:
    """One for all tests of a kind of database."""
    url = database_urls(database_kind)
    home, port = tmp_path_factory.mktemp("execution"), free_port()
    variables = {
        "TRADEWIND__API__PORT": str(port),
        "TRADEWIND__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "TRADEWIND__WORKERS__WITHOUT_DATABASE": "True",
        "TRADEWIND__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.1",
        "TRADEWIND__SCHEDULER__TASK_INSTANCE_HEARTBEAT_SEC": "0.5",
        "TRADEWIND_VAR_SHADE": "dark",
    }
    with deployed(home / "home", url, dags_folder=DAGS, variables=variables) as deployment:
        made = Remote(deployment, port)
        made.serve()
        deployment.wait_for_files(DAGS)
        deployment.wiring.database.transact(_fill)
        yield made


def _fill(tx: Transaction) -> None:
    """With what tasks will ask for."""
    cipher, now = Encryption(), SystemClock().now()
    set_variable(tx, "colour", "blue", cipher=cipher, now=now)
    connection = ConnectionResult(conn_id="warehouse", conn_type="http", host="far", password="pass")
    add_connection(tx, connection, cipher=cipher, now=now)


@on_both
def test_tasks_run_with_all_that_they_need(remote: Remote, database_kind: DatabaseKind) -> None:
    """XComs, mapping, variables, connections, a retry, a question, another run, a log; and no secret is to be seen."""
    deployment = remote.deployment
    run_id = f"all_{os.urandom(3).hex()}"

    ended = deployment.run("remote", run_id)

    assert ended.state == "success", (ended.reasons, deployment.said())
    assert ended.value("add") == 2 * (3 + BIG)
    assert ended.value("look_up") == ["blue", "dark", "far", "pass", "yes"]
    assert remote.notes(run_id) == ["fails_once 1", "fails_once 2"]
    assert ended.value("fails_once") == 2
    assert ended.value("sees_no_secret") == []
    answer: Any = ended.value("ask")
    assert (answer["chosen_options"], answer["responded_by_user"]) == (["b"], None)
    log = deployment.home / "logs" / "dag_id=remote" / f"run_id={run_id}" / "task_id=list_numbers" / "attempt=1.log"
    assert any(json.loads(line)["event"] == "this was said far away" for line in log.read_text().splitlines())
    environ = remote.worker().environ()
    assert [name for name in environ if name.endswith(("SQL_ALCHEMY_CONN", "JWT_SECRET", "FERNET_KEY"))] == []
    remote.until_noted(f"{run_id}_held", "hold 1")
    remote.let_go(f"{run_id}_held")


@on_both
def test_a_task_outlives_the_server(remote: Remote, database_kind: DatabaseKind) -> None:
    """It goes on, ends while nobody answers, and its result is stored when somebody does. Nothing runs twice."""
    deployment = remote.deployment
    run_id = f"away_{os.urandom(3).hex()}"
    key = deployment.trigger("held", run_id)
    remote.until_noted(run_id, "hold 1")

    deployment.stop("api-server", signal.SIGKILL)
    remote.let_go(run_id)
    deployment.until(lambda: "gives no answer" in deployment.said(), "the worker to miss the server")
    assert deployment.seen(key).states["hold"] == "running"
    remote.serve()

    ended = deployment.ended(key)
    assert ended.state == "success", (ended.reasons, deployment.said())
    assert ended.value("after") == "HELD"
    assert remote.notes(run_id) == ["hold 1", "after 1"]


@on_one
def test_a_killed_worker_is_known_by_its_successor(remote: Remote, database_kind: DatabaseKind) -> None:
    """With the token that it left, the next one fails what it had begun; no timeout has to pass."""
    deployment = remote.deployment
    run_id = f"killed_{os.urandom(3).hex()}"
    key = deployment.trigger("held", run_id)
    remote.until_noted(run_id, "hold 1")

    remote.worker().kill()

    ended = deployment.ended(key)
    assert ended.reasons["hold"] == "its worker was killed"
    assert remote.notes(run_id) == ["hold 1"]
