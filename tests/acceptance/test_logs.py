"""Logs of real tasks in a real deployment: live, masked, limited, kept whatever happens, copied elsewhere (D5, E1)."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
import s3fs  # type: ignore[import-untyped]
from moto.server import ThreadedMotoServer

from tests.acceptance.deployment import COMMAND, Deployment, deployed
from tradewind.task_logs.lines import Message
from tradewind.task_logs.places import Try, log_name
from tradewind.task_logs.reader import LogReader
from tradewind.task_logs.remote import RemoteLogs

SECRET = "hunter2/Hunter2"

DAG_FILE = """
import base64, logging, os, signal, subprocess, sys, urllib.parse, warnings
from datetime import timedelta
from pathlib import Path
import structlog
from airflow.sdk import DAG, Variable, task
from airflow.sdk.bases.sensor import PokeReturnValue

log = logging.getLogger("my.dag")
NOTES = Path(os.environ["NOTES"])

with DAG("talkative", schedule=None):

    @task
    def says_all():
        print("printed")
        print("\\033[31mred\\033[0m", file=sys.stderr)
        log.warning("logged %s", "well", extra={"rows": 5})
        structlog.get_logger("my.structured").info("counted", rows=7, parts=[{"a": 1}])
        warnings.warn("warned of", stacklevel=1)
        sys.stdout.flush()
        subprocess.run(["sh", "-c", "echo of another program; echo broken >&2"], check=True)

    @task
    def has_a_secret():
        secret = Variable.get("api_password")
        print(secret, urllib.parse.quote(secret, safe=""), base64.b64encode(secret.encode()).decode())
        log.info("it is %s", secret, extra={"nested": [{"deep": secret}], "token": "anything"})
        subprocess.run(["echo", "told", secret], check=True)
        raise ValueError("refused: " + secret)

    @task(retries=1, retry_delay=timedelta(0))
    def fails_once(ti=None):
        print("try", ti.try_number)
        if ti.try_number == 1:
            raise RuntimeError("not yet")

    @task
    def crashes():
        print("before the crash")
        os.abort()

    @task
    def is_killed():
        log.info("before the kill")
        os.kill(os.getpid(), signal.SIGKILL)

    @task
    def prints_much():
        print("the beginning")
        for number in range(100_000):
            print(f"line {number}")
        print("the end")

    @task.sensor(mode="reschedule", poke_interval=0.01, timeout=60)
    def looks_twice():
        path = NOTES / "looked"
        print("looked again" if path.exists() else "looked")
        if path.exists():
            return PokeReturnValue(True)
        path.touch()
        return False

    for each in (says_all, has_a_secret, fails_once, crashes, is_killed, prints_much, looks_twice):
        each()

with DAG("slow", schedule=None):

    @task
    def waits():
        print("it begins")
        os.open(NOTES / "gate", os.O_RDONLY)  # until somebody writes there
        print("it ends")

    waits()
"""


@pytest.fixture(scope="module")
def bucket() -> Iterator[tuple[str, str]]:
    """The address of a server of the S3 protocol, and an empty bucket there."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    name = f"logs-{uuid4()}"
    s3fs.S3FileSystem(key="test", secret="test", endpoint_url=address, skip_instance_cache=True).mkdir(name)
    yield address, name
    server.stop()


@pytest.fixture(scope="module")
def deployment(bucket: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """One whose logs are copied to the bucket, and deleted here."""
    home = tmp_path_factory.mktemp("logs")
    dags, notes = home / "dags", home / "places"
    dags.mkdir()
    notes.mkdir()
    (dags / "talkative.py").write_text(DAG_FILE)
    address, name = bucket
    variables = {
        "NOTES": str(notes),
        "TRADEWIND__LOGGING__TASK_LOG_LIMIT_MB": "1",
        "TRADEWIND__LOGGING__REMOTE_LOGGING": "True",
        "TRADEWIND__LOGGING__REMOTE_BASE_LOG_FOLDER": f"s3://{name}/logs",
        "TRADEWIND__LOGGING__REMOTE_LOG_CONN_ID": "log_storage",
        "TRADEWIND__LOGGING__DELETE_LOCAL_LOGS": "True",
        "AIRFLOW_CONN_LOG_STORAGE": json.dumps(
            {"conn_type": "aws", "login": "test", "password": "test", "extra": {"endpoint_url": address}}
        ),
    }
    url = f"sqlite:///{home / 'tradewind.db'}"
    with deployed(home / "home", url, dags_folder=dags, variables=variables) as made:
        made.command("variables", "set", "api_password", SECRET)
        made.wait_for_files(dags)
        yield made


@pytest.fixture(scope="module")
def talkative(deployment: Deployment) -> Deployment:
    """It has run, and its logs are where they shall be."""
    deployment.run("talkative", "all")
    tries = [Try("talkative", "all", task_id, number=number) for task_id, number in STORED]
    folder = deployment.home / "logs"
    deployment.until(
        lambda: not any((folder / log_name(each)).exists() for each in tries), "the logs to be copied and deleted"
    )
    return deployment


STORED = (
    ("says_all", 1),
    ("has_a_secret", 1),
    ("fails_once", 1),
    ("fails_once", 2),
    ("crashes", 1),
    ("is_killed", 1),
    ("prints_much", 1),
    ("looks_twice", 1),
)


def messages(deployment: Deployment, task_id: str, *, number: int = 1) -> list[Message]:
    """Read from the bucket, for nothing is left here."""
    connection = json.loads(deployment.environ["AIRFLOW_CONN_LOG_STORAGE"])
    options = {"key": connection["login"], "secret": connection["password"], **connection["extra"]}
    remote = RemoteLogs(deployment.environ["TRADEWIND__LOGGING__REMOTE_BASE_LOG_FOLDER"], options)
    return list(LogReader(deployment.home / "logs", remote).all(Try("talkative", "all", task_id, number=number)))


def by_logger(found: list[Message], logger: str) -> list[Message]:
    return [message for message in found if message["logger"] == logger]


def test_everything_that_a_task_says_is_in_its_log(talkative: Deployment) -> None:
    found = messages(talkative, "says_all")

    assert [message["event"] for message in by_logger(found, "task.stdout")] == ["printed", "of another program"]
    assert [message["event"] for message in by_logger(found, "task.stderr")] == ["\x1b[31mred\x1b[0m", "broken"]
    (logged,) = by_logger(found, "my.dag")
    assert (logged["event"], logged["level"], logged["rows"]) == ("logged well", "warning", 5)
    (structured,) = by_logger(found, "my.structured")
    assert (structured["event"], structured["rows"], structured["parts"]) == ("counted", 7, [{"a": 1}])
    (warned,) = by_logger(found, "py.warnings")
    assert (warned["event"], warned["category"]) == ("warned of", "UserWarning")


def test_no_form_of_a_secret_is_in_the_log(talkative: Deployment) -> None:
    """E1: neither from the task, nor from a program that it starts, nor in its exception."""
    text = json.dumps(messages(talkative, "has_a_secret"))

    assert "it is ***" in text
    assert "told ***" in text
    assert "refused: ***" in text
    for form in ("unter2", "hunter2%2FHunter2", "aHVudGVyMi9I"):
        assert form not in text


def test_each_try_has_a_log_of_its_own(talkative: Deployment) -> None:
    first, second = messages(talkative, "fails_once"), messages(talkative, "fails_once", number=2)

    assert "try 1" in [message["event"] for message in first]
    (failed,) = [message for message in first if "error_detail" in message]
    assert (failed["error_detail"][0]["exc_type"], failed["error_detail"][0]["exc_value"]) == (
        "RuntimeError",
        "not yet",
    )
    assert failed["error_detail"][0]["frames"][-1]["name"] == "fails_once"
    assert "try 2" in [message["event"] for message in second]
    assert not any("error_detail" in message for message in second)


def test_a_crash_is_in_the_log(talkative: Deployment) -> None:
    """D3: of C code, too."""
    events = [message["event"] for message in messages(talkative, "crashes")]

    assert "before the crash" in events
    assert any("Fatal Python error: Aborted" in event for event in events)


def test_the_log_of_a_killed_task_is_kept(talkative: Deployment) -> None:
    assert "before the kill" in [message["event"] for message in messages(talkative, "is_killed")]


def test_a_task_that_prints_much_keeps_beginning_and_end(talkative: Deployment) -> None:
    """B7: and fills no disk."""
    events = [message["event"] for message in messages(talkative, "prints_much")]

    assert "the beginning" in events
    assert "the end" in events
    assert any(event.startswith("The limit of 1.0 MB is reached") for event in events)
    assert sum(map(len, events)) < 1_000_000


def test_attempts_of_one_try_are_in_one_log(talkative: Deployment) -> None:
    events = [message["event"] for message in messages(talkative, "looks_twice")]

    assert events.index("looked") < events.index("looked again")


def test_a_log_is_followed_while_the_task_runs(deployment: Deployment) -> None:
    """D5: live."""
    gate = Path(deployment.environ["NOTES"], "gate")
    subprocess.run(["mkfifo", gate], check=True)
    run_key = deployment.trigger("slow", "live")
    words = [*COMMAND, "tasks", "logs", "slow", "waits", "live", "--follow"]
    with subprocess.Popen(words, env=dict(deployment.environ), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = iter(process.stdout)
        assert any("it begins" in line for line in lines)

        os.close(os.open(gate, os.O_WRONLY))  # the task only opens it, and may be gone before anything is written
        assert any("it ends" in line for line in lines)
        assert process.wait(timeout=60) == 0

    assert deployment.ended(run_key).state == "success"
