"""`tradewind tasks logs` (A5, D5)."""

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from tests.component.cli.deployment import CliDeployment
from tests.unit.task_logs.logs import line, put
from tradewind.bootstrap import wired
from tradewind.model.dag import Dag, Retry, Task
from tradewind.model.mapping import FixedLength
from tradewind.model.task import Failed, Started, Succeeded, TaskReport, WorkItem
from tradewind.operations.find_task import find_task
from tradewind.operations.report_tasks import report_tasks
from tradewind.operations.structures import Structures
from tradewind.settings import load_settings
from tradewind.task_logs.places import Try, log_name

FLOW = Dag("flow", tasks=(Task("load", retry=Retry(1, delay_s=0.0)), Task("many", mapping=FixedLength(2))))
LOAD = Try("flow", "mine", "load")


def only_starts(work: WorkItem, now: datetime) -> Sequence[TaskReport]:
    return (Started(work.attempt, now),)


def fails(work: WorkItem, now: datetime) -> Sequence[TaskReport]:
    return (Started(work.attempt, now), Failed(work.attempt, now))


@pytest.fixture
def flow(deployment: CliDeployment) -> CliDeployment:
    """A run whose tasks have not begun."""
    deployment.publish(FLOW)
    deployment.run("dags", "trigger", "flow", "-r", "mine")
    return deployment


@pytest.fixture
def logs(deployment: CliDeployment) -> Path:
    return deployment.home / "logs"


def test_the_log_of_the_newest_try_is_shown(flow: CliDeployment, logs: Path) -> None:
    flow.schedule(fails)
    put(logs, line(0, "the first try"), of=LOAD)
    put(logs, line(1, "the second", rows=5) + "torn", of=LOAD._replace(number=2))

    logged, last_word = flow.run("tasks", "logs", "flow", "load", "mine").splitlines()
    assert logged == "2026-01-01 12:00:01Z INFO test: the second rows=5"
    assert last_word.endswith("ERROR tradewind: The try ended: try 2 of 2 failed: no try is left")
    assert "the first try" in flow.run("tasks", "logs", "flow", "load", "mine", "--try-number", "1")


def test_an_instance_of_a_mapped_task_is_named_by_its_index(flow: CliDeployment, logs: Path) -> None:
    flow.schedule()
    for index in (0, 1):
        put(logs, line(0, f"of {index}"), of=Try("flow", "mine", "many", index))

    assert flow.run("tasks", "logs", "flow", "many", "mine", "--map-index", "1").endswith("of 1\n")
    assert "'many'" in flow.run("tasks", "logs", "flow", "many", "mine", "--map-index", "2", code=1)


def test_programs_get_one_object_a_line(flow: CliDeployment, logs: Path) -> None:
    put(logs, line(0, "a", rows=5) + line(1, "\x1b[31mb"), of=LOAD)

    written = flow.run("tasks", "logs", "flow", "load", "mine", "--output", "json").splitlines()

    assert [(json.loads(each)["event"], json.loads(each).get("rows")) for each in written] == [
        ("a", 5),
        ("\x1b[31mb", None),
    ]


def test_what_is_not_there_is_said_to_be_not_there(flow: CliDeployment) -> None:
    assert "there is no log of try 1 of task 'load'" in flow.run("tasks", "logs", "flow", "load", "mine", code=1)
    assert "'none'" in flow.run("tasks", "logs", "flow", "load", "none", code=1)
    assert "'none'" in flow.run("tasks", "logs", "flow", "none", "mine", code=1)


def test_following_ends_with_the_try(flow: CliDeployment, logs: Path) -> None:
    """D5: live while it runs."""
    flow.schedule(only_starts)
    path = put(logs, line(0, "begins"), of=LOAD)
    command = [sys.executable, "-m", "tradewind.cli.main", "tasks", "logs", "flow", "load", "mine", "--follow"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith("begins\n")

        with path.open("a") as file:
            file.write(line(1, "works"))
        assert process.stdout.readline().endswith("works\n")
        assert process.poll() is None

        with path.open("a") as file:
            file.write(line(2, "ends"))
        end_task()
        assert process.stdout.read().endswith("ends\n")
        assert process.wait(timeout=60) == 0


def end_task() -> None:
    """As a worker would."""
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        task = find_task(tx, "flow", "mine", "load")
        now = wiring.clock.now()
        report_tasks(tx, [Succeeded(task.attempt_key, now)], now, Structures())


def test_following_a_try_that_is_over_shows_it_and_ends(flow: CliDeployment, logs: Path) -> None:
    flow.schedule(fails)
    for number in (1, 2):
        put(logs, line(0, f"try {number}"), of=LOAD._replace(number=number))

    assert "test: try 2\n" in flow.run("tasks", "logs", "flow", "load", "mine", "-f")
    assert "test: try 1\n" in flow.run("tasks", "logs", "flow", "load", "mine", "-f", "--try-number", "1")


def test_a_log_that_is_kept_elsewhere_is_found_with_the_connection(
    flow: CliDeployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "elsewhere", line(0, "kept"), of=LOAD)
    monkeypatch.setenv("TRADEWIND__LOGGING__REMOTE_LOGGING", "True")
    monkeypatch.setenv("TRADEWIND__LOGGING__REMOTE_BASE_LOG_FOLDER", (tmp_path / "elsewhere").as_uri())
    assert flow.run("tasks", "logs", "flow", "load", "mine").endswith("kept\n")

    monkeypatch.setenv("TRADEWIND__LOGGING__REMOTE_LOG_CONN_ID", "store")
    assert "'store', but there is no such connection" in flow.run("tasks", "logs", "flow", "load", "mine", code=2)

    monkeypatch.setenv("AIRFLOW_CONN_STORE", '{"conn_type": "generic", "extra": {"auto_mkdir": true}}')
    assert flow.run("tasks", "logs", "flow", "load", "mine").endswith("kept\n")
    assert not (flow.home / "logs" / log_name(LOAD)).exists()
