"""`tradewind scheduler` as a process of its own, with an executor whose attempts end at once (A2, A5)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from tests.component.cli.deployment import CliDeployment
from tradewind.bootstrap import wired
from tradewind.model.dag import Dag, Task
from tradewind.settings import load_settings

PATIENCE_S = 60.0
OWN = "tests.component.cli.instant_executor.OwnExecutor"
COMMAND = [sys.executable, "-m", "tradewind.cli.main", "scheduler"]
CHAIN = Dag("chain", tasks=(Task("a"), Task("b", upstream=("a",), executor="own")))


@pytest.fixture(autouse=True)
def own_executor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", f"{OWN},own:{OWN}")


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def start(processes: list[subprocess.Popen[str]], *words: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ)
    )
    processes.append(process)
    return process


def until(is_true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < deadline, f"in vain waited until {what}"


def live_schedulers() -> int:
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        return len(tx.jobs.live("scheduler"))


def test_it_runs_dags_until_told_to_stop(deployment: CliDeployment, processes: list[subprocess.Popen[str]]) -> None:
    deployment.publish(CHAIN)
    process = start(processes, "--verbose")
    until(lambda: live_schedulers() == 1, "it runs")

    deployment.run("dags", "trigger", "chain", "-r", "mine")

    until(lambda: deployment.run("dags", "state", "chain", "mine") == "success\n", "the run succeeded")
    process.send_signal(signal.SIGTERM)
    told, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert "chain, run mine: running\n" in told
    assert "chain, run mine: success\n" in told
    assert live_schedulers() == 0, "it has given its lease back"


def test_a_key_pressed_in_the_terminal_ends_it_too(
    deployment: CliDeployment, processes: list[subprocess.Popen[str]]
) -> None:
    process = start(processes)
    until(lambda: live_schedulers() == 1, "it runs")

    process.send_signal(signal.SIGINT)

    told, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, told) == (0, "")


def test_it_ends_after_so_many_passes(deployment: CliDeployment, processes: list[subprocess.Popen[str]]) -> None:
    deployment.publish(CHAIN)
    deployment.run("dags", "trigger", "chain", "-r", "mine")

    process = start(processes, "--num-runs", "1", "--only-idle")

    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert deployment.run("dags", "state", "chain", "mine") == "success\n", "only the idle pass counted"


def test_an_executor_that_there_is_not_is_refused(deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")

    assert "comes with the extra celery" in deployment.run("scheduler", "-n", "1", code=2)


def test_a_database_without_a_schema_is_refused(deployment: CliDeployment) -> None:
    deployment.run("db", "downgrade", "--to-revision", "base", "--yes")

    assert "run: tradewind db migrate" in deployment.run("scheduler", "-n", "1", code=1)
