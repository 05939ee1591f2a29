"""`tradewind standalone`: one command, and all of it stands; one signal, and nothing is left (A8, D7)."""

import os
import signal
import stat
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.acceptance.deployment import PATIENCE_S, until
from tests.acceptance.standalone import COMMAND, Standalone, free_port, standing
from tests.udp_receiver import UdpReceiver, udp_receiver

COMPONENTS = ("api-server", "scheduler", "dag-processor", "triggerer", "worker")
HELLO = """
from airflow.stats import Stats
from tradewind.sdk import dag, task

@dag(schedule=None, params={"who": "nobody"}, is_paused_upon_creation=False)
def hello():
    @task
    def greet(params: dict) -> str:
        print("hello", params["who"])
        Stats.incr("greetings", tags={"who": params["who"]})
        return params["who"]

    greet()

hello()
"""
SLEEPER = """
import os
import pathlib
import signal

from tradewind.sdk import dag, task

@dag(schedule=None, is_paused_upon_creation=False)
def sleeper():
    @task
    def sleep() -> None:
        pathlib.Path(os.environ["SLEEPER_FILE"]).write_text(str(os.getpid()))
        signal.pause()

    sleep()

sleeper()
"""


@pytest.fixture(scope="module")
def dags_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dags")
    (folder / "hello.py").write_text(HELLO, encoding="utf-8")
    (folder / "sleeper.py").write_text(SLEEPER, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def receiver() -> Iterator[UdpReceiver]:
    """Of the metrics of the one that is started for all tests."""
    with udp_receiver() as made:
        yield made


@pytest.fixture(scope="module")
def started(dags_folder: Path, receiver: UdpReceiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """One for the tests that leave it as it was. All that can be measured is."""
    variables = {
        "AIRFLOW__METRICS__STATSD_ON": "True",
        "AIRFLOW__METRICS__STATSD_HOST": "127.0.0.1",
        "AIRFLOW__METRICS__STATSD_PORT": str(receiver.port),
        "AIRFLOW__METRICS__PROMETHEUS_ON": "True",
    }
    home = tmp_path_factory.mktemp("standalone") / "home"
    with standing(home, free_port(), dags_folder=dags_folder, variables=variables) as made:
        assert made.is_healthy(), "it said that it is ready"
        assert made.log_in(made.password) == 201
        alive = made.ask("GET", "/api/v2/jobs?is_alive=true")[1]["jobs"]
        assert {job["job_type"] for job in alive} == {"SchedulerJob", "DagProcessorJob", "TriggererJob", "WorkerJob"}
        until(lambda: made.ask("GET", "/api/v2/dags")[1]["total_entries"] == 2, "the DAGs to be read")
        yield made


def begin_sleeping(made: Standalone, file: Path) -> None:
    until(lambda: "sleeper" in made.command("dags", "list"), "the DAG to be read")
    made.command("dags", "trigger", "sleeper")
    until(file.exists, "the task to begin")


def test_the_password_is_told_once_and_kept_for_its_owner_only(started: Standalone) -> None:
    kept = started.home / "admin_password"

    assert kept.read_text(encoding="utf-8").strip() == started.password
    assert [stat.S_IMODE(path.stat().st_mode) for path in (kept, started.home / "tradewind.cfg")] == [0o600, 0o600]
    assert started.ask("POST", "/auth/token", {"username": "admin", "password": "guessed"})[0] == 401


def test_a_dag_is_run_by_rest(started: Standalone) -> None:
    status, run = started.ask("POST", "/api/v2/dags/hello/dagRuns", {"logical_date": None, "conf": {"who": "you"}})
    path = f"/api/v2/dags/hello/dagRuns/{run['dag_run_id']}"

    assert status == 200
    until(lambda: started.ask("GET", path)[1]["state"] == "success", "the run to succeed")
    assert started.ask("GET", f"{path}/taskInstances/greet/xcomEntries/return_value")[1]["value"] == "you"


def test_what_happens_is_measured(started: Standalone, receiver: UdpReceiver) -> None:
    """B8: metrics of scheduler, DAG processor and worker, of the task's own code, and of the whole deployment."""
    _, run = started.ask("POST", "/api/v2/dags/hello/dagRuns", {"logical_date": None, "conf": {"who": "metrics"}})
    path = f"/api/v2/dags/hello/dagRuns/{run['dag_run_id']}"
    until(lambda: started.ask("GET", path)[1]["state"] == "success", "the run to succeed")

    names = {
        "airflow.greetings",
        "airflow.ti.start.hello.greet",
        "airflow.ti.finish.hello.greet.success",
        "airflow.dag.hello.greet.duration",
        "airflow.dagrun.duration.success.hello",
        "airflow.task_instance_created",
        "airflow.pool.open_slots.default_pool",
        "airflow.executor.open_slots.LocalExecutor",
        "airflow.scheduler_heartbeat",
        "airflow.dag_processor_heartbeat",
        "airflow.triggerer_heartbeat",
        "airflow.worker_heartbeat",
        "airflow.dag_processing.last_duration.dags-folder.hello",
    }
    receiver.until(lambda lines: names <= {line.partition(":")[0] for line in lines})
    page = urllib.request.urlopen(f"http://127.0.0.1:{started.port}/metrics", timeout=PATIENCE_S).read().decode()
    families = {family.name: family for family in text_string_to_metric_families(page)}
    jobs = {sample.labels["job"] for sample in families["airflow_job_heartbeat_age"].samples}
    assert jobs == {"scheduler", "dag_processor", "triggerer", "worker"}
    assert families["airflow_dagbag_size"].samples[0].value == 2
    assert families["airflow_api_server_requests"].samples


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_component_that_dies_comes_back(started: Standalone, component: str) -> None:
    before = started.pids(component)

    os.kill(before[-1], signal.SIGKILL)

    until(lambda: len(started.pids(component)) > len(before), f"{component} to be started again")
    started.until("was killed by SIGKILL; starts again in")
    until(started.is_healthy, "all components to be heard of")


def test_a_home_is_used_by_one_at_a_time(started: Standalone) -> None:
    second = subprocess.run(
        [*COMMAND, "standalone", "--port", str(free_port())],
        env=dict(started.environ),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert second.returncode == 1
    assert second.stderr == f"tradewind: {started.home} is in use by another tradewind standalone\n"


def test_a_port_that_is_taken_is_told_in_one_line(started: Standalone, tmp_path: Path) -> None:
    second = subprocess.run(
        [*COMMAND, "standalone", "--home", str(tmp_path / "other"), "--port", str(started.port)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert second.returncode == 1
    assert second.stderr == f"tradewind: cannot listen at 127.0.0.1:{started.port}: Address already in use\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_after_it_was_told_to_stop(tmp_path: Path, dags_folder: Path, number: signal.Signals) -> None:
    """Not even the task that would sleep for ever."""
    file = tmp_path / "sleeping"
    with standing(
        tmp_path / "home", free_port(), dags_folder=dags_folder, variables={"SLEEPER_FILE": str(file)}
    ) as made:
        begin_sleeping(made, file)

        assert made.stop(number) == 0

        assert made.look() == []
        assert made.said.endswith("stopped; nothing is left running\n")


def test_nothing_is_left_when_it_is_killed(tmp_path: Path, dags_folder: Path) -> None:
    """Its processes notice by themselves; the next one waits for them, and knows the password that it is given."""
    file, home, port = tmp_path / "sleeping", tmp_path / "home", free_port()
    with standing(home, port, dags_folder=dags_folder, variables={"SLEEPER_FILE": str(file)}) as made:
        begin_sleeping(made, file)

        made.stop(signal.SIGKILL)

        until(lambda: made.look() == [], "every process to end")

    with standing(home, port, dags_folder=dags_folder, variables={"TRADEWIND_ADMIN_PASSWORD": "opensesame"}) as made:
        assert made.log_in("opensesame") == 201
        assert not (home / "admin_password").exists()
