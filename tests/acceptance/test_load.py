"""Many clients at once, while tasks run and files change, on SQLite: every request is answered, and soon (D3, D7)."""

import itertools
import logging
import statistics
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from tests.acceptance.deployment import until
from tests.acceptance.standalone import Standalone, free_port, standing
from tradewind.runtime.clock import SystemClock

log = logging.getLogger(__name__)

DAGS: Final = 200
FILES: Final = 20
CLIENTS: Final = 8
MOST_S: Final = 1.0
"""That nineteen of twenty requests may take. The rest may wait for the cores, which other tests use as well."""
LONGEST_S: Final = 3.0
_CLOCK: Final = SystemClock()

FILE: Final = """
from tradewind.sdk import dag, task

def make(dag_id):
    @dag(dag_id=dag_id, schedule=None, is_paused_upon_creation=False)
    def made():
        @task
        def say() -> str:
            print("said by", dag_id)
            return dag_id

        say()

    made()

for number in range({first}, {last}):
    make(f"load_{{number}}")
# {edition}
"""


def write_file(folder: Path, number: int, edition: int = 0) -> None:
    """One of the files, each with some of the DAGs."""
    each = DAGS // FILES
    text = FILE.format(first=number * each, last=(number + 1) * each, edition=edition)
    (folder / f"load_{number}.py").write_text(text, encoding="utf-8")


@dataclass(slots=True)
class Answers:
    """What was answered, to all clients together."""

    failed: list[str] = field(default_factory=list)
    took_s: dict[str, list[float]] = field(default_factory=dict)

    def ask(self, client: httpx.Client, kind: str, method: str, path: str, body: object = None) -> Any:
        """One request, of which it is noted how it went."""
        before = _CLOCK.monotonic()
        answer = client.request(method, f"/api/v2{path}", json=body)
        self.took_s.setdefault(kind, []).append(_CLOCK.monotonic() - before)
        if not answer.is_success:
            self.failed.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        return answer.json()

    @property
    def figures(self) -> str:
        """How many of each kind there were, and how long the middle one and the longest took."""
        return "; ".join(
            f"{kind}: {len(took)}, {statistics.median(took):.3f} s, {max(took):.3f} s"
            for kind, took in sorted(self.took_s.items())
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("load_dags")
    for number in range(FILES):
        write_file(made, number)
    return made


@pytest.fixture(scope="module")
def started(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    with standing(tmp_path_factory.mktemp("load") / "home", free_port(), dags_folder=folder) as made:
        assert made.log_in(made.password) == 201
        until(lambda: made.ask("GET", "/api/v2/dags?limit=1")[1]["total_entries"] == DAGS, "the DAGs to be read")
        yield made


def client_of(started: Standalone) -> httpx.Client:
    headers = {"Authorization": f"Bearer {started.token}"}
    return httpx.Client(base_url=f"http://127.0.0.1:{started.port}", headers=headers, timeout=60)


def trigger_and_look(started: Standalone, answers: Answers, dag_ids: list[str]) -> None:
    """What one client does: it triggers DAGs one after the other, and looks at what becomes of them all."""
    with client_of(started) as client:
        for dag_id in dag_ids:
            path = f"/dags/{dag_id}/dagRuns"
            answers.ask(client, "trigger", "POST", path, {"logical_date": None, "dag_run_id": "loaded"})
            ended = answers.ask(client, "runs", "GET", "/dags/~/dagRuns?state=success&order_by=-end_date&limit=20")
            for run in ended["dag_runs"][:1]:
                path = f"/dags/{run['dag_id']}/dagRuns/loaded/taskInstances/say/logs/1"
                answers.ask(client, "log", "GET", path)
            answers.ask(client, "dags", "GET", "/dags?limit=100")


def edit_files(folder: Path, is_over: threading.Event) -> int:
    """Somebody saves one file after the other; how often."""
    for edition in itertools.count(1):
        write_file(folder, edition % FILES, edition)
        if is_over.wait(0.2):
            return edition
    raise AssertionError


def test_every_request_is_answered_and_every_run_ends(started: Standalone, folder: Path) -> None:
    answers, is_over = Answers(), threading.Event()
    dag_ids = [f"load_{number}" for number in range(DAGS)]
    with ThreadPoolExecutor(CLIENTS + 1) as threads:
        editor = threads.submit(edit_files, folder, is_over)
        parts = [dag_ids[number::CLIENTS] for number in range(CLIENTS)]
        clients = [threads.submit(trigger_and_look, started, answers, part) for part in parts]
        try:
            for each in clients:
                each.result()
            with client_of(started) as client:
                path = "/dags/~/dagRuns?state=success&limit=1"
                until(lambda: answers.ask(client, "runs", "GET", path)["total_entries"] == DAGS, "all runs to succeed")
        finally:
            is_over.set()

    log.info("%s", answers.figures)
    every = sorted(took for kind in answers.took_s.values() for took in kind)
    assert editor.result() > 1
    assert answers.failed == []
    assert len(answers.took_s["trigger"]) == DAGS
    assert every[len(every) * 19 // 20] < MOST_S, answers.figures
    assert every[-1] < LONGEST_S, answers.figures
    logs = {started.ask("GET", f"/api/v2/dags/{dag}/dagRuns/loaded/taskInstances/say/logs/1")[0] for dag in dag_ids[:9]}
    assert logs == {200}
