"""`airflowctl`, Airflow's command line for a server elsewhere, works against ours, unchanged (A8, B1)."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.client_dags import DAG_IDS, PASSWORD, deployed_for_clients
from tests.acceptance.deployment import PATIENCE_S, until
from tests.acceptance.standalone import Standalone

VARIABLES = {"region": {"value": "north", "description": "where"}, "limit": "3"}
POOLS = [{"name": "narrow", "slots": 3, "description": "few", "include_deferred": False}]
CONNECTIONS = {"bank": {"conn_type": "http", "host": "bank.example", "login": "me", "password": "hush", "port": 80}}


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A deployment, and who has logged in to it."""
    folder = tmp_path_factory.mktemp("airflowctl")
    with deployed_for_clients(folder) as made:
        for name, values in (("variables", VARIABLES), ("pools", POOLS), ("connections", CONNECTIONS)):
            (folder / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
        url = f"http://127.0.0.1:{made.port}"
        (login,) = airflowctl(made, ["auth", "login", "--skip-keyring", "--api-url", url])
        assert "Login successful" in login
        yield made


def airflowctl(made: Standalone, *commands: list[str]) -> list[str]:
    """What the commands write; none may fail."""
    folder = made.home.parent
    environ = {**made.environ, "AIRFLOW_HOME": str(folder / "airflow"), "AIRFLOW_CLI_TOKEN": made.token}
    script = Path(__file__).with_name("run_airflowctl.py")
    done = subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps(commands),
        env=environ,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    assert [words for words, (code, _) in zip(commands, answers, strict=True) if code != 0] == [], answers
    return [output for _, output in answers]


def rows(output: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(output)
    return found


def test_a_password_is_good_for_a_token(started: Standalone) -> None:
    url = f"http://127.0.0.1:{started.port}"

    (token,) = airflowctl(started, ["auth", "token", "--api-url", url, "--username", "admin", "--password", PASSWORD])

    started.token = token.strip()
    assert started.ask("GET", "/api/v2/dags")[0] == 200


def test_dags_and_their_runs(started: Standalone) -> None:
    listed, details, _, _, _, triggered, versions, errors, following, version = airflowctl(
        started,
        ["dags", "list"],
        ["dags", "get-details", "sums"],
        ["dags", "pause", "sums"],
        ["dags", "unpause", "sums"],
        ["dags", "update", "spare", "--is-paused"],
        ["dags", "trigger", "sums", "--dag-run-id", "ctl"],
        ["dags", "list-version", "sums"],
        ["dags", "list-import-errors"],
        ["dags", "next-execution", "daily"],
        ["version", "--remote"],
    )

    # Another test deletes it.
    assert {row["dag_id"] for row in rows(listed)} | {"doomed"} == DAG_IDS
    assert rows(details)[0]["dag_id"] == "sums"
    assert rows(triggered)[0]["dag_run_id"] == "ctl"
    assert rows(versions)[0]["version_number"] == "1"
    assert "a_name_that_nobody_has" in errors
    assert "next_dagrun" in following
    assert "git_version" in version
    path = "/api/v2/dags/sums/dagRuns/ctl"
    until(lambda: started.ask("GET", path)[1]["state"] == "success", "the run to succeed")
    runs, one, xcoms = airflowctl(
        started,
        ["dagrun", "list", "--dag-id", "sums", "--limit", "5"],
        ["dagrun", "get", "sums", "ctl"],
        ["xcom", "list", "sums", "ctl", "add"],
    )
    assert "ctl" in runs
    assert rows(one)[0]["dag_run_id"] == "ctl"
    assert [row["key"] for row in rows(xcoms)] == ["return_value"]


def test_variables_pools_and_connections(started: Standalone) -> None:
    variables, _, pools, exported, _, connections, _ = airflowctl(
        started,
        ["variables", "import", "variables.json"],
        ["variables", "create", "--key", "made", "--value", "1"],
        ["pools", "import", "pools.json"],
        ["pools", "export", "exported.json"],
        ["connections", "create", "--connection-id", "made", "--conn-type", "http", "--host", "h"],
        ["connections", "import", "connections.json"],
        ["connections", "update", "--connection-id", "made", "--conn-type", "http", "--host", "other"],
    )

    assert "Import successful" in variables
    assert "narrow" in pools
    assert "Exported 2 pool(s)" in exported
    assert "bank" in connections
    assert {each["name"] for each in json.loads((started.home.parent / "exported.json").read_text())} == {
        "default_pool",
        "narrow",
    }
    variables, pools, connections, *_ = airflowctl(
        started,
        ["variables", "list"],
        ["pools", "list"],
        ["connections", "list"],
        *(
            [kind, "delete", name]
            for kind, name in (("variables", "made"), ("pools", "narrow"), ("connections", "made"))
        ),
    )
    assert {row["key"]: row["value"] for row in rows(variables)} == {"region": "north", "limit": "3", "made": "1"}
    assert {row["name"]: row["slots"] for row in rows(pools)} == {"default_pool": "128", "narrow": "3"}
    assert {row["connection_id"]: row["host"] for row in rows(connections)} == {"bank": "bank.example", "made": "other"}


def test_the_rest_is_looked_at(started: Standalone) -> None:
    (listed,) = airflowctl(started, ["assets", "list"])
    ids = {row["name"]: row["id"] for row in rows(listed)}

    config, option, lint, jobs, *_ = airflowctl(
        started,
        ["config", "list"],
        ["config", "get", "core", "parallelism"],
        ["config", "lint"],
        ["jobs", "list"],
        ["plugins", "list"],
        ["providers", "list"],
        ["assets", "get", ids["totals"]],
        ["assets", "list-by-alias"],
        ["assets", "create-event", "--asset-id", ids["prices"]],
    )

    assert {"core", "scheduler", "api"} <= {row["name"] for row in rows(config)}
    assert rows(option)[0]["options"] == [{"key": "parallelism", "value": "32"}]
    assert "No issues found" in lint
    assert {"SchedulerJob", "DagProcessorJob"} <= {row["job_type"] for row in rows(jobs)}


def test_updates_of_assets_wait_for_others(started: Standalone) -> None:
    """`patient` has one that waits for good: it waits for an asset that nobody updates, too. (`materialize` fails in
    `airflowctl` itself, after it was done: it has no option for how to print the answer, and asks for it.)"""
    assets, aliases = airflowctl(started, ["assets", "list"], ["assets", "list-by-alias"])
    ids = {row["name"]: row["id"] for row in rows(assets)}
    (alias,) = (row["id"] for row in rows(aliases) if row["name"] == "some_totals")

    one, _, waiting, of_dag = airflowctl(
        started,
        ["assets", "get-by-alias", alias],
        ["assets", "create-event", "--asset-id", ids["prices"]],
        ["assets", "get-queued-events", ids["prices"]],
        ["assets", "get-dag-queued-event", "patient", ids["prices"]],
    )

    assert "some_totals" in one
    assert "patient" in waiting
    assert "patient" in of_dag


def test_a_backfill_is_asked_for(started: Standalone) -> None:
    """Of what airflowctl has for backfills, this is what it can say to a server."""
    dates = ["--from-date", "2024-01-01T00:00:00Z", "--to-date", "2024-01-03T00:00:00Z"]

    (made,) = airflowctl(started, ["backfill", "create", "--dag-id", "daily", "--max-active-runs", "1", *dates])
    (backfill,) = rows(made)
    listed, one = airflowctl(started, ["backfill", "list", "daily"], ["backfill", "get", backfill["id"]])

    assert backfill["max_active_runs"] == "1"
    assert [row["id"] for row in (*rows(listed), *rows(one))] == [backfill["id"]] * 2


def test_single_things_are_made_changed_looked_at_and_deleted(started: Standalone) -> None:
    """What is not here fails in `airflowctl` itself: it calls what Airflow has not, or cannot print the answer."""
    started.ask("POST", "/api/v2/dags/sums/dagRuns", {"dag_run_id": "single", "logical_date": None})
    path = "/api/v2/dags/sums/dagRuns/single"
    until(lambda: started.ask("GET", path)[1]["state"] == "success", "the run to succeed")
    error = started.ask("GET", "/api/v2/importErrors")[1]["import_errors"][0]["import_error_id"]
    of_task = ["sums", "single", "add"]

    said = airflowctl(
        started,
        *(["dags", "get", "sums"], ["dags", "get-import-error", str(error)], ["dags", "get-stats", "sums"]),
        *(["dags", "get-version", "sums", "1"], ["dags", "list-warning"], ["plugins", "list-import-errors"]),
        *(["pools", "create", "--name", "p", "--slots", "2"], ["pools", "update", "--pool", "p", "--slots", "3"]),
        *(["pools", "get", "p"], ["pools", "delete", "p"], ["auth", "list-envs"]),
        *(["variables", "create", "--key", "v", "--value", "1"], ["variables", "update", "--key", "v", "--value", "2"]),
        *(["variables", "get", "v"], ["variables", "delete", "v"]),
        *(["connections", "create", "--connection-id", "x", "--conn-type", "fs"], ["connections", "get", "x"]),
        ["connections", "delete", "x"],
        *(["xcom", "add", *of_task, "k", '{"a": 1}'], ["xcom", "edit", *of_task, "k", "2"]),
        *(["xcom", "get", *of_task, "k"], ["xcom", "delete", *of_task, "k"], ["dags", "delete", "doomed"]),
    )

    assert rows(said[0])[0]["dag_id"] == "sums"
    assert rows(said[8])[0]["slots"] == "3"
    assert rows(said[13])[0]["value"] == "2"
    assert rows(said[16])[0]["conn_type"] == "fs"
    assert rows(said[20])[0]["value"] == "2"
    # Not whether it is gone: its file is still there, and makes it again when it is read the next time.
    assert started.ask("GET", "/api/v2/eventLogs?dag_id=doomed&event=delete_dag")[1]["total_entries"] == 1
