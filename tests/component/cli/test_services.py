"""Services as processes of their own: the web server, daemons, health, systemd (A8)."""

import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import httpx
import psutil
import pytest

from tests.acceptance.deployment import PATIENCE_S, until
from tests.acceptance.standalone import free_port
from tests.component.cli.deployment import CliDeployment
from tests.oidc_provider import CLIENT_ID, CLIENT_SECRET, oidc_provider
from tradewind.cli.deployment import load_settings, wired
from tradewind.runtime.clock import SystemClock

COMMAND = [sys.executable, "-m", "tradewind.cli.main"]


@pytest.fixture
def processes() -> Iterator[list["subprocess.Popen[str]"]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def start(processes: list["subprocess.Popen[str]"], *words: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ)
    )
    processes.append(process)
    return process


def status(port: int, path: str = "/api/v2/pools") -> int:
    """Of an answer; 0: there is none."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return 0
    finally:
        connection.close()


def counted(port: int) -> float:
    """How many requests for variables the web server says that it has answered."""
    page = httpx.get(f"http://127.0.0.1:{port}/metrics").text
    words = ("airflow_api_server_requests_total", 'route="/api/v2/variables"')
    found = [line for line in page.splitlines() if all(word in line for word in words)]
    return sum(float(line.rpartition(" ")[2]) for line in found)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_web_server_serves_until_told_to_stop(
    deployment: CliDeployment,
    processes: list["subprocess.Popen[str]"],
    monkeypatch: pytest.MonkeyPatch,
    workers: str,
) -> None:
    """A8: whichever of its processes answers, all that they did is counted."""
    monkeypatch.setenv("TRADEWIND__METRICS__PROMETHEUS_ON", "True")
    port = free_port()
    process = start(processes, "api-server", "--port", str(port), "--workers", workers, "--access-logfile", "-")
    until(lambda: status(port) == 401, "it to answer")
    children = psutil.Process(process.pid).children(recursive=True)
    for _ in range(20):
        assert status(port, "/api/v2/variables") == 401
    for _ in range(5):
        until(lambda: counted(port) == 20, "all requests to be counted")

    process.send_signal(signal.SIGTERM)

    said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert '"GET /api/v2/pools HTTP/1.1" 401' in said
    assert len(children) == (0 if workers == "1" else 2)
    assert not any(child.is_running() for child in children)


def test_who_watches_is_told_of_what_another_process_does_and_lets_the_server_stop(
    deployment: CliDeployment, processes: list["subprocess.Popen[str]"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A8: live changes; a stream that is open does not keep the server from ending."""
    monkeypatch.setenv("TRADEWIND__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS", "True")
    port = free_port()
    process = start(processes, "api-server", "--port", str(port))
    until(lambda: status(port) == 401, "it to answer")
    token = httpx.get(f"http://127.0.0.1:{port}/auth/token").json()["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    address = f"http://127.0.0.1:{port}/ui/events"
    with httpx.stream("GET", address, headers=headers, timeout=PATIENCE_S) as watched:
        lines = watched.iter_lines()
        next(line for line in lines if line == "event: resync")

        deployment.run("pools", "set", "narrow", "3", "made while somebody watches")

        told = next(line for line in lines if line.startswith("data: ") and line != "data: {}")
        assert '"kind":"pool","name":"narrow","state":"changed"' in told
        process.send_signal(signal.SIGTERM)
        asked = SystemClock().monotonic()
        assert all("data: " not in line for line in lines)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert SystemClock().monotonic() - asked < 4  # it would be cut off after five seconds


def test_a_process_of_the_web_server_that_dies_is_replaced(
    deployment: CliDeployment, processes: list["subprocess.Popen[str]"]
) -> None:
    port = free_port()
    process = start(processes, "api-server", "--port", str(port), "--workers", "2")
    until(lambda: status(port) == 401, "it to answer")
    first = psutil.Process(process.pid).children()

    first[0].kill()

    until(lambda: len(_living(process.pid) - {child.pid for child in first}) == 1, "another to be started")
    assert status(port) == 401
    process.kill()
    until(lambda: status(port) == 0, "the others to end with the first")


def _living(pid: int) -> set[int]:
    living = set()
    for child in psutil.Process(pid).children():
        with suppress(psutil.NoSuchProcess):
            living |= {child.pid} if child.status() != psutil.STATUS_ZOMBIE else set()
    return living


def test_the_web_server_lets_people_in_whom_a_provider_knows(
    deployment: CliDeployment, processes: list["subprocess.Popen[str]"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """D6: by configuration alone, with a browser that follows wherever it is sent."""
    port = free_port()
    with oidc_provider(SystemClock().now) as provider:
        options = {"ISSUER": provider.issuer, "CLIENT_ID": CLIENT_ID, "DEFAULT_ROLE": "Viewer"}
        for name, value in {**options, "CLIENT_SECRET_CMD": f"echo '{CLIENT_SECRET}'"}.items():
            monkeypatch.setenv(f"TRADEWIND__OIDC__{name}", value)
        start(processes, "api-server", "--port", str(port))
        until(lambda: status(port) == 401, "it to answer")

        with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True) as browser:
            arrived = browser.get("/auth/oidc/login", params={"next": "/api/v2/pools"})
            assert (arrived.status_code, arrived.url.path) == (200, "/api/v2/pools")
            assert browser.get("/api/v2/auth/logout").url.path == "/auth/login"
            assert browser.get("/api/v2/pools").status_code == 401

    assert deployment.rows("users", "list")[0]["username"] == "anna"


def test_an_address_that_is_taken_is_refused_in_one_line(deployment: CliDeployment) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        said = deployment.run("api-server", "--port", str(port), code=1)

    assert said == f"tradewind: cannot listen at 127.0.0.1:{port}: Address already in use\n"


def test_apps_that_there_are_not_are_refused(deployment: CliDeployment) -> None:
    assert "'ui' is none of all, core" in deployment.run("api-server", "--apps", "ui", code=2)


def test_a_scheduler_goes_on_in_the_background(deployment: CliDeployment) -> None:
    pid_file = deployment.home / "tradewind-scheduler.pid"
    out, errors = deployment.home / "some" / "out", deployment.home / "errors"
    words = ["scheduler", "--daemon", "--stdout", str(out), "--stderr", str(errors)]
    subprocess.run([*COMMAND, *words], check=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
    until(lambda: pid_file.exists() and pid_file.read_text().endswith("\n"), "the daemon to write its PID file")
    daemon = psutil.Process(int(pid_file.read_text()))

    assert f"{pid_file} names its process" in deployment.run("scheduler", "--pid", str(pid_file), code=1)
    assert os.getsid(daemon.pid) != os.getsid(0)
    daemon.terminate()
    until(lambda: not pid_file.exists(), "the daemon to end")
    assert (out.read_text(), errors.read_text()) == ("", "")
    assert not (deployment.home / "tradewind-scheduler.log").exists()


def test_a_worker_stays_in_the_background_and_is_found_alive(
    deployment: CliDeployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A8: who starts it so wants it to be there, also while no scheduler is."""
    monkeypatch.setenv("TRADEWIND__WORKERS__IDLE_TIMEOUT", "0.01")
    monkeypatch.setenv("TRADEWIND__SCHEDULER__TASK_INSTANCE_HEARTBEAT_SEC", "0.1")
    pid_file, log = (deployment.home / f"tradewind-worker-LocalExecutor.{ending}" for ending in ("pid", "log"))
    check = ("jobs", "check", "--job-type", "WorkerJob", "--local")
    assert "no such service is alive" in deployment.run(*check, code=1)

    subprocess.run([*COMMAND, "worker", "--daemon"], check=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
    until(lambda: pid_file.exists() and pid_file.read_text().endswith("\n"), "the daemon to write its PID file")
    daemon = psutil.Process(int(pid_file.read_text()))
    try:
        until(lambda: _lives_of_workers() == {True}, "a sign of life of the worker after its first")

        assert f"1 alive: worker on {socket.gethostname()}, process {daemon.pid}" in deployment.run(*check)
        assert f"{pid_file} names its process" in deployment.run("worker", "--pid", str(pid_file), code=1)
        other = deployment.home / "other.pid"
        words = [*COMMAND, "worker", "--pid", str(other)]
        refused = subprocess.run(words, check=False, timeout=PATIENCE_S, stderr=subprocess.PIPE)
        assert refused.returncode == 1
        assert refused.stderr.decode() == "tradewind: there is a worker of LocalExecutor on this machine already\n"
    finally:
        daemon.terminate()
    until(lambda: not pid_file.exists(), "the daemon to end")
    assert "no such service is alive" in deployment.run(*check, code=1)
    assert log.read_text() == ""


def _lives_of_workers() -> set[bool]:
    """Whether each that lives was heard of again after its start."""
    with wired(load_settings()) as wiring, wiring.database.begin() as tx:
        return {job.heartbeat_at > job.started_at for job in tx.jobs.live("worker")}


def test_a_worker_of_an_executor_that_there_is_not_is_refused_before_it_leaves(deployment: CliDeployment) -> None:
    said = deployment.run("worker", "--daemon", "--executor", "../elsewhere", code=2)

    assert said == "tradewind: [core] executor does not name '../elsewhere', only LocalExecutor\n"


def test_a_triggerer_of_queues_is_refused_where_triggers_have_none(deployment: CliDeployment) -> None:
    """E6: it would never get anything to do, and nobody would learn why. So does Airflow."""
    said = deployment.run("triggerer", "--queues", "gpu", code=2)

    assert "[triggerer] queues_enabled is False" in " ".join(said.replace("│", " ").split())


@pytest.mark.parametrize(
    ("service", "section", "prefix"),
    [
        ("scheduler", "SCHEDULER", "SCHEDULER_"),
        ("dag-processor", "DAG_PROCESSOR", ""),
        ("triggerer", "TRIGGERER", ""),
        ("worker", "WORKERS", ""),
    ],
)
def test_a_service_says_that_it_is_well(
    deployment: CliDeployment,
    processes: list["subprocess.Popen[str]"],
    monkeypatch: pytest.MonkeyPatch,
    service: str,
    section: str,
    prefix: str,
) -> None:
    """To systemd as soon as it is, and to whoever asks."""
    port, notified = free_port(), deployment.home / "notify"
    monkeypatch.setenv(f"AIRFLOW__{section}__ENABLE_HEALTH_CHECK", "True")
    monkeypatch.setenv(f"AIRFLOW__{section}__{prefix}HEALTH_CHECK_SERVER_HOST", "127.0.0.1")
    monkeypatch.setenv(f"AIRFLOW__{section}__{prefix}HEALTH_CHECK_SERVER_PORT", str(port))
    monkeypatch.setenv("NOTIFY_SOCKET", str(notified))
    monkeypatch.setenv("TRADEWIND__WORKERS__START_WITH_SCHEDULER", "False")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(notified))
        listener.settimeout(PATIENCE_S)
        process = start(processes, service)

        assert listener.recv(64) == b"READY=1"
        assert status(port, "/health") == 200
        process.terminate()

        assert listener.recv(64) == b"STOPPING=1"
    assert process.wait(PATIENCE_S) == 0
    assert status(port, "/health") == 0
