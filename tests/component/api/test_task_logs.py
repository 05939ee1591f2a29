"""Logs of tasks by the REST API: pages, streams, and what cannot be had (B1, E1)."""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import PatientExecutor, World, fails
from tests.unit.task_logs.logs import line, put
from tradewind.api.public import task_logs
from tradewind.model.dag import Retry, Task
from tradewind.task_logs.places import Try

LOAD = Try("sales", "r1", "load")
LOG = "/api/v2/dags/sales/dagRuns/r1/taskInstances/load/logs"
LINES = {"Accept": "application/x-ndjson"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def executor(any_world: World) -> PatientExecutor:
    """Runs the task `load`, which has one retry, until told otherwise."""
    executor = PatientExecutor(any_world.clock)
    any_world.dag(Task("load", retry=Retry(1, delay_s=0)))
    any_world.trigger()
    any_world.scheduler(executor)
    any_world.settle()
    return executor


def end(world: World, executor: PatientExecutor, **how: Any) -> None:
    executor.end(**how)
    world.settle()


def events(content: list[dict[str, Any]]) -> list[str]:
    return [message["event"] for message in content]


def test_a_log_comes_as_messages_with_all_their_fields(
    any_world: World, client: TestClient, folder: Path, executor: PatientExecutor
) -> None:
    path = put(folder, line(0, "one", rows=3) + line(1, "two") + "not JSON\n", of=LOAD)
    end(any_world, executor)

    answer = client.get(f"{LOG}/1").json()

    assert answer["continuation_token"] is None
    assert answer["content"] == [
        {"event": "::group::Log message source details", "sources": [str(path)]},
        {"event": "::endgroup::"},
        {"timestamp": "2026-01-01T12:00:00Z", "level": "info", "event": "one", "logger": "test", "rows": 3},
        {"timestamp": "2026-01-01T12:00:01Z", "level": "info", "event": "two", "logger": "test"},
        {"event": "not JSON"},
    ]


def test_who_asks_again_with_the_token_gets_what_is_new(
    any_world: World, client: TestClient, folder: Path, executor: PatientExecutor
) -> None:
    path = put(folder, line(0, "one"), of=LOAD)
    first = client.get(f"{LOG}/1").json()
    assert first["continuation_token"]

    with path.open("a") as file:
        file.write(line(1, "two"))
    end(any_world, executor)
    second = client.get(f"{LOG}/1", params={"token": first["continuation_token"]}).json()

    assert (events(first["content"])[-1], events(second["content"])) == ("one", ["two"])
    assert second["continuation_token"] is None


def test_a_try_whose_worker_was_lost_says_so_in_its_log_also_when_the_next_one_runs(
    any_world: World, client: TestClient, folder: Path, executor: PatientExecutor
) -> None:
    """E1: who was to write it is dead."""
    put(folder, line(0, "one"), of=LOAD)
    first = client.get(f"{LOG}/1").json()
    end(any_world, executor, ending=fails())

    page = client.get(f"{LOG}/1", params={"token": first["continuation_token"]}).json()
    streamed = client.get(f"{LOG}/1", headers={"Accept": "text/plain"}).text

    (message,) = page["content"]
    assert (message["event"], message["level"]) == ("The try ended: boom", "error")
    assert page["continuation_token"] is None
    assert "one" in streamed
    assert streamed.count("boom") == 1


def test_a_long_log_comes_page_by_page_or_whole(
    any_world: World,
    client: TestClient,
    folder: Path,
    executor: PatientExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, size in (("_MOST_MESSAGES", 4), ("_CHUNK_MESSAGES", 3)):
        monkeypatch.setattr(task_logs, name, size)
    put(folder, "".join(line(number, f"m{number}") for number in range(10)), of=LOAD)
    end(any_world, executor)
    everything = [f"m{number}" for number in range(10)]

    found: list[str] = []
    token: str | None = ""
    while token is not None:
        page = client.get(f"{LOG}/1", params={"token": token}).json()
        found += events(page["content"])
        token = page["continuation_token"]
    whole = client.get(f"{LOG}/1", params={"full_content": "true"}).json()
    streamed = client.get(f"{LOG}/1", headers=LINES)

    assert found[2:] == everything
    assert (events(whole["content"])[2:], whole["continuation_token"]) == (everything, None)
    assert events([json.loads(each) for each in streamed.text.splitlines()])[2:] == everything
    assert streamed.headers["content-type"] == "application/x-ndjson"


def test_a_page_has_no_more_bytes_than_it_may(
    any_world: World, client: TestClient, folder: Path, executor: PatientExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_logs, "_MOST_BYTES", 3_000)
    put(folder, "".join(line(number, "x" * 1_000) for number in range(10)), of=LOAD)
    end(any_world, executor)

    answer = client.get(f"{LOG}/1").json()

    assert len(answer["content"]) == 2 + 3
    assert answer["continuation_token"]


@pytest.mark.parametrize("full_content", ["true", "false"])
def test_a_try_without_a_log_has_an_empty_one(
    any_world: World, client: TestClient, executor: PatientExecutor, full_content: str
) -> None:
    end(any_world, executor)

    answer = client.get(f"{LOG}/1", params={"full_content": full_content})

    assert answer.json() == {"content": [], "continuation_token": None}
    assert client.get(f"{LOG}/1", headers=LINES).text == ""


def test_a_log_as_text(any_world: World, client: TestClient, folder: Path, executor: PatientExecutor) -> None:
    put(folder, line(0, "one") + line(1, "two \x1b]0;title\x07"), of=LOAD)
    end(any_world, executor)

    answer = client.get(f"{LOG}/1", headers={"Accept": "text/plain"})

    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text.splitlines()[-2:] == [
        "2026-01-01 12:00:00Z INFO test: one",
        "2026-01-01 12:00:01Z INFO test: two ",
    ]


def test_who_reads_lines_of_a_running_task_gets_them_as_they_come(
    any_world: World,
    connect: Connect,
    folder: Path,
    executor: PatientExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D6: the log of a running task, live."""
    path = put(folder, line(0, "one"), of=LOAD)
    looked = _events_of_looks(monkeypatch)
    client, answers = connect("viewer"), []
    reader = threading.Thread(target=lambda: answers.append(client.get(f"{LOG}/1", headers=LINES).text))
    reader.start()

    assert looked.acquire(timeout=20)
    with path.open("a") as file:
        file.write(line(1, "two"))
    assert looked.acquire(timeout=20)
    with path.open("a") as file:
        file.write(line(2, "three"))
    end(any_world, executor)
    reader.join(timeout=20)

    assert events([json.loads(each) for each in answers[0].splitlines()])[2:] == ["one", "two", "three"]


def _events_of_looks(monkeypatch: pytest.MonkeyPatch) -> threading.Semaphore:
    """Released each time that somebody has read."""
    looked = threading.Semaphore(0)
    read: Callable[..., Any] = task_logs._Log.read

    def noted(*args: Any, **kwargs: Any) -> Any:
        part = read(*args, **kwargs)
        looked.release()
        return part

    monkeypatch.setattr(task_logs._Log, "read", noted)
    monkeypatch.setattr(task_logs, "_PAUSE_S", 0.01)
    return looked


def test_each_try_has_its_log(any_world: World, client: TestClient, folder: Path, executor: PatientExecutor) -> None:
    put(folder, line(0, "first"), of=LOAD)
    put(folder, line(9, "second"), of=LOAD._replace(number=2))
    end(any_world, executor, ending=fails())
    any_world.pass_time(5)

    first = client.get(f"{LOG}/1").json()

    assert events(first["content"])[-2:] == ["first", "The try ended: boom"]
    assert first["continuation_token"] is None
    assert events(client.get(f"{LOG}/2").json()["content"])[-1] == "second"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{LOG}/2", 404),
        (f"{LOG}/0", 404),
        (f"{LOG}/-1", 422),
        (f"{LOG}/1?map_index=3", 404),
        (f"{LOG}/1?token=nonsense", 400),
        (f"{LOG}/1?token=eyIuLi9zZWNyZXQiOjB9", 200),
        ("/api/v2/dags/sales/dagRuns/r2/taskInstances/load/logs/1", 404),
        ("/api/v2/dags/sales/dagRuns/r1/taskInstances/..%2F..%2Fload/logs/1", 404),
        ("/api/v2/dags/sales/dagRuns/r1/taskInstances/load/externalLogUrl/1", 400),
        ("/api/v2/dags/sales/dagRuns/r1/taskInstances/load/externalLogUrl/7", 404),
        ("/api/v2/dags/sales/dagRuns/r1/taskInstances/load/externalLogUrl/0", 422),
    ],
)
def test_what_there_is_not_is_refused(client: TestClient, executor: PatientExecutor, path: str, status: int) -> None:
    """A token that names another file is as good as none: only those of the try are ever read."""
    answer = client.get(path)

    assert answer.status_code == status, answer.text
    assert status == 200 or answer.json()["detail"]


def test_a_log_that_cannot_be_read_is_no_empty_log(
    any_world: World, client: TestClient, folder: Path, executor: PatientExecutor
) -> None:
    put(folder, "", of=LOAD).unlink()
    (folder / "dag_id=sales/run_id=r1/task_id=load/attempt=1.log").mkdir()

    assert client.get(f"{LOG}/1").status_code == 503
    assert client.get(f"{LOG}/1", headers=LINES).status_code == 503


def test_who_may(connect: Connect, executor: PatientExecutor) -> None:
    assert connect(None).get(f"{LOG}/1").status_code == 401
    assert connect("guest").get(f"{LOG}/1").status_code == 403
    assert connect("viewer").get(f"{LOG}/1").status_code == 200
