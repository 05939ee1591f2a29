"""Writes `airflow_states.json`: the states to which Airflow itself brings its example DAGs and those of `dags/`.

    python -m tests.acceptance.ask_airflow <folder of the commands of Airflow 3.3.2> [word in the names of DAGs ...]

A real Airflow (API server, scheduler with LocalExecutor, DAG processor and triggerer, on PostgreSQL) is started in a
temporary folder. Each DAG gets one run, all of the same logical date; a DAG that chooses by chance gets many, and then
each task has a list of the states that were seen. With words, what is known of all other DAGs is kept.

Airflow's scheduler and triggerer listen on every address: give it a network of its own, with
`unshare -n sh -c 'ip link set lo up && exec "$@"' sh python -m tests.acceptance.ask_airflow ...`. Some examples build
virtual environments: `PIP_NO_INDEX` and `PIP_FIND_LINKS` let pip find `examples.REQUIREMENTS` there.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.acceptance.examples import (
    BY_CHANCE,
    DAGS_FOLDER,
    FOLDER_VARIABLE,
    LOGICAL_DATE,
    NOT_ASKED,
    POOLS,
    STATES_FILE,
)
from tests.databases import temporary_database
from tradewind.runtime.clock import SystemClock

COMPONENTS: Final = ("api-server", "scheduler", "dag-processor", "triggerer")
READY_S: Final = 300.0
ENDED_S: Final = 2400.0
PAUSE_S: Final = 1.0
TIMES_BY_CHANCE: Final = 8
PAGE: Final = 100
PACKAGES: Final = ("apache-airflow-core", "apache-airflow-providers-standard")
CLOCK: Final = SystemClock()

Json = dict[str, object]


@dataclass(slots=True)
class Api:
    """Airflow's REST API, asked with a token of an administrator."""

    base: str
    token: str = ""

    def sign_in(self) -> None:
        """Raises OSError while the server is not there."""
        self.token = str(self.ask("GET", "/auth/token", prefix="")["access_token"])

    def ask(self, method: str, path: str, body: Json | None = None, prefix: str = "/api/v2") -> Json:
        """Raises HTTPError for a refusal."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}{prefix}{path}", content, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            answer: Json = json.loads(response.read() or b"{}")
        return answer

    def rows(self, path: str, field: str) -> Iterator[Json]:
        """Everything of a list, page by page."""
        offset = 0
        while True:
            page = self.ask("GET", f"{path}{'&' if '?' in path else '?'}limit={PAGE}&offset={offset}")[field]
            assert isinstance(page, list)
            yield from page
            offset += PAGE
            if len(page) < PAGE:
                return


def main(commands: Path, words: Sequence[str]) -> None:
    """Ask Airflow, and write what it answers."""
    with (
        tempfile.TemporaryDirectory(prefix="airflow-") as home,
        temporary_database("postgres") as url,
        _airflow(commands, Path(home), url) as api,
    ):
        for pool, slots in POOLS.items():
            api.ask("POST", "/pools", {"name": pool, "slots": slots})
        dag_ids = [dag_id for dag_id in _dag_ids(api) if dag_id not in NOT_ASKED]
        dag_ids = [dag_id for dag_id in dag_ids if not words or any(word in dag_id for word in words)]
        runs = dict(_trigger(api, dag_ids))
        _wait_for_ends(api, runs)
        answers = {dag_id: _states(api, dag_id, run_ids) for dag_id, run_ids in runs.items()}
    _write(commands, answers)


@contextmanager
def _airflow(commands: Path, home: Path, url: str) -> Iterator[Api]:
    with socket.socket() as chooser:
        chooser.bind(("127.0.0.1", 0))
        port = chooser.getsockname()[1]
    environ = _environ(commands, home, port) | {
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": url.replace("+psycopg:", "+psycopg2:")
    }
    subprocess.run(
        [commands / "airflow", "db", "migrate"], env=environ, check=True, capture_output=True, timeout=READY_S
    )
    api = Api(f"http://127.0.0.1:{port}")
    with ExitStack() as stack:
        for component in COMPONENTS:
            stack.enter_context(_running(commands, component, environ, home))
        deadline = CLOCK.monotonic() + READY_S
        while not _is_ready(api):
            assert CLOCK.monotonic() < deadline, "Airflow did not become ready"
            CLOCK.sleep(PAUSE_S)
        yield api


def _environ(commands: Path, home: Path, port: int) -> dict[str, str]:
    base = f"http://127.0.0.1:{port}"
    options = {
        "CORE__LOAD_EXAMPLES": "True",
        "CORE__DAGS_FOLDER": str(DAGS_FOLDER),
        "CORE__EXECUTOR": "LocalExecutor",
        "CORE__PARALLELISM": "4",
        "CORE__MIN_SERIALIZED_DAG_UPDATE_INTERVAL": "3600",
        "DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",
        "CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
        "CORE__EXECUTION_API_SERVER_URL": f"{base}/execution/",
        "API__HOST": "127.0.0.1",
        "API__PORT": str(port),
        "API__BASE_URL": base,
        "API_AUTH__JWT_SECRET": "only for asking, only for asking, only for asking, only for asking",
        # No run but those that are asked for.
        "SCHEDULER__USE_JOB_SCHEDULE": "False",
        "LOGGING__BASE_LOG_FOLDER": str(home / "logs"),
    }
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environ |= {
        "AIRFLOW_HOME": str(home),
        FOLDER_VARIABLE: str(home),
        "PATH": f"{commands}{os.pathsep}{environ.get('PATH', os.defpath)}",
    }
    return environ | {f"AIRFLOW__{name}": value for name, value in options.items()}


@contextmanager
def _running(commands: Path, component: str, environ: Mapping[str, str], home: Path) -> Iterator[None]:
    with (home / f"{component}.txt").open("wb") as output:
        process = subprocess.Popen([commands / "airflow", component], env=environ, stdout=output, stderr=output)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _is_ready(api: Api) -> bool:
    try:
        api.sign_in()
        health = api.ask("GET", "/monitor/health")
    except OSError:
        return False
    states = [part.get("status") for part in health.values() if isinstance(part, dict)]
    return states.count("healthy") >= len(COMPONENTS)


def _dag_ids(api: Api) -> list[str]:
    """All DAGs, once their number has not changed for a while."""
    known, same_for = -1, 0
    deadline = CLOCK.monotonic() + READY_S
    while same_for < 20 or known <= 0:
        assert CLOCK.monotonic() < deadline, "the DAG processor does not come to an end"
        CLOCK.sleep(PAUSE_S)
        count = int(str(api.ask("GET", "/dags?limit=1&exclude_stale=false")["total_entries"]))
        known, same_for = count, same_for + 1 if count == known else 0
    return sorted(str(dag["dag_id"]) for dag in api.rows("/dags", "dags"))


def _trigger(api: Api, dag_ids: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Make the runs. A DAG that refuses to run without being told more is left out."""
    for dag_id in dag_ids:
        times = TIMES_BY_CHANCE if dag_id in BY_CHANCE else 1
        run_ids = [f"asked_{number}" for number in range(times)]
        api.ask("PATCH", f"/dags/{dag_id}", {"is_paused": False})
        try:
            for number, run_id in enumerate(run_ids):
                date = LOGICAL_DATE if number == 0 else None
                api.ask("POST", f"/dags/{dag_id}/dagRuns", {"dag_run_id": run_id, "logical_date": date})
        except urllib.error.HTTPError as error:
            sys.stderr.write(f"{dag_id} refuses to run: {error.read().decode()[:300]}\n")
        else:
            yield dag_id, run_ids


def _wait_for_ends(api: Api, runs: Mapping[str, Sequence[str]]) -> None:
    open_runs = {(dag_id, run_id) for dag_id, run_ids in runs.items() for run_id in run_ids}
    deadline = CLOCK.monotonic() + ENDED_S
    while open_runs and CLOCK.monotonic() < deadline:
        CLOCK.sleep(PAUSE_S)
        for run in list(api.rows("/dags/~/dagRuns", "dag_runs")):
            if run["state"] in {"success", "failed"}:
                open_runs.discard((str(run["dag_id"]), str(run["dag_run_id"])))
    for dag_id, run_id in sorted(open_runs):
        sys.stderr.write(f"did not end: {dag_id}, {run_id}\n")


def _states(api: Api, dag_id: str, run_ids: Sequence[str]) -> Json:
    runs: set[str] = set()
    tasks: dict[str, set[str]] = {}
    for run_id in run_ids:
        path = f"/dags/{dag_id}/dagRuns/{run_id}"
        runs.add(str(api.ask("GET", path)["state"]))
        for row in api.rows(f"{path}/taskInstances", "task_instances"):
            index = "" if row["map_index"] == -1 else f"[{row['map_index']}]"
            tasks.setdefault(f"{row['task_id']}{index}", set()).add(str(row["state"]))
    return {"run": _one_or_many(runs), "tasks": {name: _one_or_many(states) for name, states in sorted(tasks.items())}}


def _one_or_many(states: set[str]) -> str | list[str]:
    return states.pop() if len(states) == 1 else sorted(states)


def _write(commands: Path, answers: Mapping[str, Json]) -> None:
    code = f"from importlib.metadata import version; print(*map(version, {PACKAGES!r}))"
    asked = subprocess.run([commands / "python", "-c", code], check=True, capture_output=True, text=True, timeout=60)
    known: Json = json.loads(STATES_FILE.read_text(encoding="utf-8"))["dags"] if STATES_FILE.exists() else {}
    content = {
        "made_by": "python -m tests.acceptance.ask_airflow, from a real run of each DAG in Airflow",
        "packages": dict(zip(PACKAGES, asked.stdout.split(), strict=True)),
        "logical_date": LOGICAL_DATE,
        "dags": dict(sorted((known | dict(answers)).items())),
    }
    STATES_FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
