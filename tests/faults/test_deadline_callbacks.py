"""Who calls the callback of a missed deadline is killed while that runs (D4, B7, E6)."""

from collections.abc import Callable, Iterator

import psutil
import pytest

from tests.acceptance.deployment import Deployment
from tests.databases import DatabaseKind
from tests.faults.worker_processes import Trial, is_alive, trial, wait_for_end_of
from tradewind.model.deadline import Deadline, DeadlineState


def kill_for_good(late: Deployment) -> None:
    """It may not even have begun to listen to signals."""
    triggerer = late.processes.pop("triggerer")
    triggerer.kill()
    triggerer.wait()


@pytest.fixture
def late(alert: Deployment) -> Iterator[Deployment]:
    """With a triggerer."""
    alert.start("triggerer")
    yield alert
    kill_for_good(alert)


def kill_supervisor(_: Deployment, callback: int) -> None:
    parent = psutil.Process(callback).parent()
    assert parent is not None
    assert "worker" in " ".join(parent.cmdline())
    parent.kill()


def kill_triggerer(late: Deployment, callback: int) -> None:
    parent = psutil.Process(callback).parent()
    assert parent is not None
    assert parent.pid == late.processes["triggerer"].pid
    kill_for_good(late)
    late.start("triggerer")


def calls(run: Trial, word: str) -> list[int]:
    """The processes that have written that down."""
    return [int(line.split()[1]) for line in run.notes() if line.startswith(f"{word} ")]


def wait_for_call(run: Trial, count: int) -> int:
    """The process that calls the callback for the so-manieth time."""
    run.deployment.until(lambda: len(calls(run, "began")) >= count, f"call {count} of {run.run_id}")
    return calls(run, "began")[count - 1]


def deadline_of(run: Trial) -> Deadline:
    with run.deployment.wiring.database.begin() as tx:
        (found,) = tx.deadlines.of_run(run.key)
    return found


@pytest.mark.parametrize(
    ("kind", "kill", "times", "database_kind"),
    [
        ("sync", kill_supervisor, 1, "sqlite"),
        ("sync", kill_supervisor, 2, "postgres"),
        ("async", kill_triggerer, 1, "postgres"),
        ("async", kill_triggerer, 2, "sqlite"),
    ],
    indirect=["database_kind"],
)
def test_a_callback_whose_caller_is_killed_is_called_once_more(
    late: Deployment, database_kind: DatabaseKind, kind: str, kill: Callable[[Deployment, int], None], times: int
) -> None:
    """D4: never beside the one before, which ends with its caller; and who was killed over it twice is the last."""
    run = trial(late, f"late_{kind}", f"killed_{database_kind}")
    for count in range(1, times + 1):
        callback = wait_for_call(run, count)
        kill(late, callback)
        wait_for_end_of(late, callback)
    last = wait_for_call(run, 2)
    if times == 1:
        assert is_alive(last)
        run.say("go")

    late.until(lambda: deadline_of(run).state in (DeadlineState.SUCCESS, DeadlineState.FAILED), "its end")

    ended = deadline_of(run)
    assert len(calls(run, "began")) == 2
    assert calls(run, "told") == ([last] if times == 1 else [])
    assert ended.state is (DeadlineState.SUCCESS if times == 1 else DeadlineState.FAILED)
    assert ("more than once" in str(ended.message)) is (times == 2)
