"""The processes of tasks: what they cannot see, how they are stopped, whose they are, what they use (D1, D4)."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.acceptance.deployment import Deployment, Ended, deployed
from tests.databases import DatabaseKind, DatabaseUrls
from tradewind.model.ids import RunKey
from tradewind.model.states import TaskState
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.mark_state import mark_tasks
from tradewind.secrets.encryption import new_key

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)

DAGS: Final = Path(__file__).with_name("process_dags")
SECRETS: Final = {
    "AIRFLOW__CORE__FERNET_KEY": new_key(),
    "AIRFLOW__API_AUTH__JWT_SECRET": f"signs-{os.urandom(8).hex()}",
    "TRADEWIND_ADMIN_PASSWORD": f"opens-{os.urandom(8).hex()}",
}


@pytest.fixture(scope="module")
def deployment(
    database_urls: DatabaseUrls, database_kind: DatabaseKind, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """One with two executors, and with secrets in its environment."""
    url = database_urls(database_kind)
    home = tmp_path_factory.mktemp("processes") / database_kind
    variables = {**SECRETS, "TRADEWIND__CORE__EXECUTOR": "LocalExecutor,SequentialExecutor"}
    with deployed(home, url, dags_folder=DAGS, variables=variables) as made:
        made.wait_for_files(DAGS)
        yield made


def noted(deployment: Deployment, name: str) -> list[str]:
    """What a task wrote down."""
    path = deployment.notes / name
    return path.read_text().splitlines() if path.exists() else []


def test_no_secret_of_the_deployment_is_in_the_memory_of_a_task(
    deployment: Deployment, database_kind: DatabaseKind
) -> None:
    """D1: nor of those that it is forked from. The supervisor above them has them all."""
    key = deployment.trigger("held", "looked_into")
    deployment.until(lambda: bool(noted(deployment, "looked_into hold")), "the task to run")
    child = psutil.Process(int(noted(deployment, "looked_into hold")[0]))
    zygote, nursery, supervisor = child.parents()[:3]
    hidden = [*SECRETS.values(), deployment.wiring.settings.database.sql_alchemy_conn]

    found = {process.pid: secrets_in(process, hidden) for process in (child, zygote, nursery, supervisor)}
    (deployment.notes / "looked_into go").touch()

    assert [found[process.pid] for process in (child, zygote, nursery)] == [set(), set(), set()]
    assert deployment.wiring.settings.database.sql_alchemy_conn in found[supervisor.pid]  # we look rightly
    assert deployment.ended(key).state == "success"


def secrets_in(process: psutil.Process, hidden: list[str]) -> set[str]:
    """Those of the texts that are in the environment or anywhere else in the memory of a process."""
    found: set[str] = set()
    with Path(f"/proc/{process.pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines():
            start, end, rights = re.match(r"(\w+)-(\w+) (\S+)", line).groups()  # type: ignore[union-attr]
            if not rights.startswith("rw"):
                continue
            memory.seek(int(start, 16))
            content = memory.read(int(end, 16) - int(start, 16)) or b""
            found |= {text for text in hidden if text.encode() in content}
    return found


def test_what_is_stopped_is_told_before(deployment: Deployment, database_kind: DatabaseKind) -> None:
    """D4: `on_kill`, the programs that it started, and its callbacks, when a person marks it as failed."""
    for name in ("bash.pid", "mourned", "on_kill of python"):
        (deployment.notes / name).unlink(missing_ok=True)
    key = deployment.trigger("stopped", "called_off")
    deployment.until((deployment.notes / "bash.pid").exists, "the command to run")
    deployment.until(lambda: bool(noted(deployment, "called_off python")), "the function to run")
    program = psutil.Process(int(noted(deployment, "bash.pid")[0]))

    mark_failed(deployment, key)

    assert deployment.ended(key).states == {"python": "failed", "bash": "failed"}
    deployment.until(lambda: not program.is_running(), "the program to be ended")
    deployment.until(
        lambda: noted(deployment, "on_kill of python") == noted(deployment, "called_off python"), "on_kill to be called"
    )
    deployment.until(lambda: len(noted(deployment, "mourned")) == 2, "their callbacks to be called")
    assert all("told to stop" in line for line in noted(deployment, "mourned"))


def mark_failed(deployment: Deployment, key: RunKey) -> None:
    """As a person would."""
    run = deployment.seen(key).run
    selection = Selection(run.dag_id, run.run_id, task_ids=("python", "bash"))
    now = deployment.wiring.clock.now()
    deployment.wiring.database.transact(
        lambda tx: mark_tasks(tx, selection, TaskState.FAILED, deployment.structures, now)
    )


def test_each_task_runs_where_it_says(deployment: Deployment, database_kind: DatabaseKind) -> None:
    """D1: several executors at once, one of them for one task at a time; queue and configuration reach the task."""
    ended = deployment.run("of_executors", "where")

    assert ended.state == "success", ended.reasons
    assert [ended.value(f"one_{number}") for number in range(4)] == [[True, "SequentialExecutor", "default", {}]] * 4
    assert ended.most_at_once("one_") == 1
    assert ended.value("special") == [True, None, "gpu", {"max_memory": "1 GB", "x": [1]}]
    assert {name: task.executor for name, task in ended.tasks.items() if name in ("one_0", "many_0")} == {
        "one_0": "SequentialExecutor",
        "many_0": None,
    }


def test_what_a_task_used_is_kept_with_it(deployment: Deployment, database_kind: DatabaseKind) -> None:
    """D4: by itself, and by the programs that it started."""
    ended = deployment.run("busy", "busy")

    (much_s, much_bytes), (little_s, little_bytes), (another_s, _) = (
        used(ended, name) for name in ("uses_much", "uses_little", "lets_another_work")
    )
    assert 0.45 <= much_s < 5
    assert 0.35 <= another_s < 5
    assert little_s < 0.35
    assert much_bytes - little_bytes > 140_000_000
    shown = deployment.command("tasks", "states-for-dag-run", "busy", "busy", "--output", "json")
    assert f'"peak_memory_mb": {round(much_bytes / 1e6, 1)}' in shown


def used(ended: Ended, task_id: str) -> tuple[float, int]:
    """CPU seconds and bytes."""
    task = ended.tasks[task_id]
    assert task.cpu_s is not None
    assert task.peak_memory_bytes is not None
    return task.cpu_s, task.peak_memory_bytes
