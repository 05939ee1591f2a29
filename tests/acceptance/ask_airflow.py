"""Writes `airflow_states.json`: the states to which Airflow itself brings its example DAGs and those of `dags/`.

    python -m tests.acceptance.ask_airflow <folder of Airflow's commands> [word in the name of a DAG or file ...]

A real Airflow (API server, scheduler with LocalExecutor, DAG processor and triggerer, on PostgreSQL) is started in a
temporary folder. Each DAG gets one run, all of the same logical date. With words, what is known of all other DAGs is
kept. On a busy machine Airflow fails tasks whose API server does not answer in time: look at what it says.

Airflow's scheduler and triggerer listen on every address: give it a network of its own, with
`unshare -n sh -c 'ip link set lo up && exec "$@"' sh python -m tests.acceptance.ask_airflow ...`. Some examples build
virtual environments: `PIP_NO_INDEX` and `PIP_FIND_LINKS` let pip find `examples.REQUIREMENTS` there.
"""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.acceptance.examples import (
    CONNECTIONS,
    DAGS_FOLDER,
    FOLDER_VARIABLE,
    LOGICAL_DATE,
    MARKED,
    NOT_ASKED,
    POOLS,
    STATES_FILE,
)
from tests.component.standard.wheels import write_wheel
from tests.databases import temporary_database
from tradewind.runtime.clock import SystemClock

COMPONENTS: Final = ("api-server", "scheduler", "dag-processor", "triggerer")
READY_S: Final = 300.0
ENDED_S: Final = 400.0
PAUSE_S: Final = 1.0
RUN_ID: Final = "asked_0"
PAGE: Final = 100
PACKAGES: Final = ("apache-airflow-core", "apache-airflow-providers-standard")
CLOCK: Final = SystemClock()

# Other provider packages have examples too.
FOLDERS: Final = ("airflow/example_dags", "airflow/providers/standard/example_dags", str(DAGS_FOLDER))

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
        write_wheel(Path(home) / "wheels")
        for pool, slots in POOLS.items():
            api.ask("POST", "/pools", {"name": pool, "slots": slots})
        files = _files(api)
        for dag_id in files:
            api.ask("PATCH", f"/dags/{dag_id}", {"is_paused": False})
        dag_ids = [dag_id for dag_id in sorted(files) if dag_id not in NOT_ASKED]
        if words:
            dag_ids = [dag_id for dag_id in dag_ids if any(word in f"{dag_id} {files[dag_id]}" for word in words)]
        # File by file: a machine that is too busy would be part of the answer.
        batches = itertools.groupby(sorted(dag_ids, key=lambda dag_id: files[dag_id]), key=files.get)
        answers = {dag_id: states for _, batch in batches for dag_id, states in _ask(api, list(batch))}
    _write(commands, answers, files)


def _ask(api: Api, dag_ids: Sequence[str]) -> Iterator[tuple[str, Json]]:
    asked = list(_trigger(api, dag_ids))
    for dag_id in _ended(api, asked):
        states = _states(api, dag_id)
        sys.stderr.write(f"{dag_id}: {states['run']}\n")
        yield dag_id, states


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
    return environ | CONNECTIONS | {f"AIRFLOW__{name}": value for name, value in options.items()}


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


def _files(api: Api) -> dict[str, str]:
    """All DAGs and the names of their files, once their number has not changed for a while."""
    known, same_for = -1, 0
    deadline = CLOCK.monotonic() + READY_S
    while same_for < 20 or known <= 0:
        assert CLOCK.monotonic() < deadline, "the DAG processor does not come to an end"
        CLOCK.sleep(PAUSE_S)
        count = int(str(api.ask("GET", "/dags?limit=1&exclude_stale=false")["total_entries"]))
        known, same_for = count, same_for + 1 if count == known else 0
    paths = {str(dag["dag_id"]): Path(str(dag["fileloc"])) for dag in api.rows("/dags", "dags")}
    return {dag_id: path.name for dag_id, path in paths.items() if str(path.parent).endswith(FOLDERS)}


def _trigger(api: Api, dag_ids: Sequence[str]) -> Iterator[str]:
    """Make the runs. A DAG that refuses to run without being told more is left out."""
    for dag_id in dag_ids:
        try:
            api.ask("POST", f"/dags/{dag_id}/dagRuns", {"dag_run_id": RUN_ID, "logical_date": LOGICAL_DATE})
        except urllib.error.HTTPError as error:
            sys.stderr.write(f"{dag_id} refuses to run: {error.read().decode()[:300]}\n")
        else:
            yield dag_id


def _ended(api: Api, dag_ids: Sequence[str]) -> list[str]:
    """Wait for the ends of their runs; those that came to one."""
    still_open = set(dag_ids)
    deadline = CLOCK.monotonic() + ENDED_S
    while still_open and CLOCK.monotonic() < deadline:
        CLOCK.sleep(PAUSE_S)
        with suppress(TimeoutError):  # a busy server
            states = {dag_id: api.ask("GET", _path(dag_id))["state"] for dag_id in still_open}
            still_open -= {dag_id for dag_id, state in states.items() if state in {"success", "failed"}}
            for dag_id in still_open & MARKED.keys():
                _mark(api, f"{_path(dag_id)}/taskInstances/{MARKED[dag_id]}")
    if still_open:
        sys.stderr.write(f"do not come to an end: {', '.join(still_open)}\n")
    return [dag_id for dag_id in dag_ids if dag_id not in still_open]


def _mark(api: Api, path: str) -> None:
    """As a success, once it waits."""
    if api.ask("GET", path)["state"] == "deferred":
        api.ask("PATCH", path, {"new_state": "success"})


def _states(api: Api, dag_id: str) -> Json:
    tasks: dict[str, str] = {}
    for row in api.rows(f"{_path(dag_id)}/taskInstances", "task_instances"):
        index = "" if row["map_index"] == -1 else f"[{row['map_index']}]"
        tasks[f"{row['task_id']}{index}"] = str(row["state"])
    return {"run": api.ask("GET", _path(dag_id))["state"], "tasks": dict(sorted(tasks.items()))}


def _path(dag_id: str) -> str:
    return f"/dags/{dag_id}/dagRuns/{RUN_ID}"


def _write(commands: Path, answers: Mapping[str, Json], files: Mapping[str, str]) -> None:
    code = f"from importlib.metadata import version; print(*map(version, {PACKAGES!r}))"
    asked = subprocess.run([commands / "python", "-c", code], check=True, capture_output=True, text=True, timeout=60)
    known: dict[str, Json] = json.loads(STATES_FILE.read_text(encoding="utf-8"))["dags"] if STATES_FILE.exists() else {}
    content = {
        "made_by": "python -m tests.acceptance.ask_airflow, from a real run of each DAG in Airflow",
        "packages": dict(zip(PACKAGES, asked.stdout.split(), strict=True)),
        "logical_date": LOGICAL_DATE,
        "dags": {
            dag_id: {**states, "file": files[dag_id]}
            for dag_id, states in sorted({**known, **answers}.items())
            if dag_id in files and dag_id not in NOT_ASKED
        },
    }
    STATES_FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    # Whoever stops it by signal does not want to look for its processes.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    main(Path(sys.argv[1]), sys.argv[2:])
