"""Memory runs out, and the kernel kills (B10, D1, D5).

The worker is put into a control group of its own that may use little memory, as the container of a worker would be.
After each kill: the right state and reason, the log, no process left, no second attempt beside the first, and whoever
had nothing to do with it goes on.
"""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.acceptance.deployment import Deployment
from tests.databases import DatabaseKind, DatabaseUrls
from tests.faults.control_groups import memory_group
from tests.faults.worker_processes import CALM, Began, Trial, ancestor, trial, troubled, wait_for_end_of

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)

LIMIT_BYTES = 400_000_000


@pytest.fixture
def starving(database_urls: DatabaseUrls, database_kind: DatabaseKind, tmp_path: Path) -> Iterator[Deployment]:
    """A deployment whose scheduler, and so the worker that it starts, may use little memory."""
    url = database_urls(database_kind)
    with memory_group(LIMIT_BYTES) as group, troubled(tmp_path / "home", url, CALM) as made:
        group.take(psutil.Process(made.processes["scheduler"].pid))
        yield made


def began(run: Trial, task_id: str) -> list[Began]:
    """The tries of one task."""
    return [each for each in run.began() if each.task_id == task_id]


def test_the_kernel_kills_a_task_and_the_worker_goes_on(starving: Deployment, database_kind: DatabaseKind) -> None:
    run = trial(starving, "starving", "starving")
    run.wait_for_begin(3)
    program = run.program()
    (eater,), (beside,) = began(run, "eats_all_memory"), began(run, "works_beside_them")
    above = [ancestor(eater.pid, who) for who in ("zygote", "nursery", "supervisor")]
    assert offered(eater.pid) > offered(above[-1].pid)

    run.say("eat")

    starving.until(lambda: len(began(run, "eats_all_memory")) == 2, "the second try")
    for pid in (eater.pid, program):
        wait_for_end_of(starving, pid)
    assert [process.is_running() for process in above] == [True] * 3

    (killed,) = began(run, "is_killed_by_hand")
    os.kill(killed.pid, signal.SIGKILL)
    run.say("start")
    starving.until(
        lambda: starving.seen(run.key).states["starts_a_program_that_eats"] == "failed", "the program to be killed"
    )
    run.say("end")
    ended = run.ended()

    assert ended.states == {
        "eats_all_memory": "success",
        "starts_a_program_that_eats": "failed",
        "is_killed_by_hand": "success",
        "works_beside_them": "success",
    }
    assert [each.try_number for each in began(run, "eats_all_memory")] == [1, 2]
    assert began(run, "works_beside_them") == [beside]
    log = run.log("eats_all_memory")
    assert "this was said before memory ran out" in log
    assert re.search(r"killed by the kernel when it used [1-4]\d\d MB, because memory ran out \(signal SIGKILL\)", log)
    # What one process was killed for is not said of another one.
    assert "killed by signal SIGKILL when it used" in run.log("is_killed_by_hand")
    assert "SIGKILL" in str(ended.tasks["starts_a_program_that_eats"].reason)
    assert "memory ran out, and the kernel killed a process of this worker" in run.log("starts_a_program_that_eats")


def offered(pid: int) -> int:
    """How much rather than others the kernel kills it."""
    return int(Path(f"/proc/{pid}/oom_score_adj").read_text())
