"""Processes of a worker that are killed or frozen while tasks run (B7, D1, E1).

After each: the right state and the right reason, no process left, and never two attempts of a task at the same time.
"""

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import psutil
import psycopg
import pytest

from tests.acceptance.deployment import Deployment
from tests.databases import DatabaseKind
from tests.faults.worker_processes import (
    HEARTBEAT_TIMEOUT_S,
    Trial,
    Victim,
    ancestor,
    frozen,
    log_path,
    trial,
    wait_for_end_of,
)
from tradewind.model.states import TaskState

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)


def check_second_try(run: Trial, task_id: str = "hold") -> None:
    """It was tried twice, one after the other, and the second try counts."""
    ended = run.ended()
    assert ended.states == {task_id: "success"}
    assert [began.try_number for began in run.began()] == [1, 2]
    assert (ended.tasks[task_id].try_number, ended.value(task_id)) == (2, 2)


@pytest.mark.parametrize(
    "victims",
    [
        ["child"],
        ["zygote"],
        ["nursery"],
        ["supervisor"],
        ["supervisor", "nursery"],
        ["supervisor", "nursery", "zygote"],
    ],
    ids=" and ".join,
)
def test_a_task_whose_process_is_killed_is_tried_again(
    alert: Deployment, database_kind: DatabaseKind, victims: list[Victim]
) -> None:
    run = trial(alert, "held", f"killed_{'_'.join(victims)}")
    began, program = run.wait_for_begin(), run.program()
    processes = [ancestor(began.pid, who) for who in victims]
    log = log_path(alert, "held", run.run_id, "hold")
    alert.until(lambda: log.exists() and "this was said" in log.read_text(), "what it prints to be in its log")

    for process in processes:
        with suppress(psutil.NoSuchProcess):  # it ends by itself when those above it are gone
            process.kill()

    check_second_try(run)
    for pid in (began.pid, program):
        wait_for_end_of(alert, pid)
    assert "this was said before it struck" in run.log("hold")
    if victims == ["child"]:
        assert "killed by signal SIGKILL" in run.log("hold")


def test_a_killed_supervisor_is_missed_at_once(calm: Deployment, database_kind: DatabaseKind) -> None:
    """D1: whoever hands out tasks starts another one, which knows what its predecessor left; no timeout has to pass."""
    run = trial(calm, "held", "missed")
    began = run.wait_for_begin()

    ancestor(began.pid, "supervisor").kill()

    calm.until(lambda: len(run.began()) == 2, "the second try")
    check_second_try(run)


def test_a_task_does_not_notice_that_its_scheduler_was_killed(alert: Deployment, database_kind: DatabaseKind) -> None:
    """A2: the worker is a process of its own, and the next scheduler finds what it does."""
    run = trial(alert, "held", "killed_scheduler")
    began = run.wait_for_begin()

    alert.stop("scheduler", signal.SIGKILL)
    alert.start("scheduler")
    run.say("go")

    ended = run.ended()
    assert ended.states == {"hold": "success"}
    assert run.began() == [began]
    assert (ended.tasks["hold"].attempt, ended.value("hold")) == (1, 1)


def test_a_task_may_end_while_there_is_no_scheduler(alert: Deployment, database_kind: DatabaseKind) -> None:
    run = trial(alert, "held", "no_scheduler")
    began = run.wait_for_begin()

    alert.stop("scheduler", signal.SIGKILL)
    run.say("go")
    alert.until(lambda: alert.seen(run.key).states == {"hold": "success"}, "the worker to store how the task ended")
    alert.start("scheduler")

    assert run.ended().state == "success"
    assert run.began() == [began]


def test_a_supervisor_that_is_frozen_for_long_has_no_living_tasks_when_they_are_given_up(
    alert: Deployment, database_kind: DatabaseKind
) -> None:
    run = trial(alert, "held", "frozen_supervisor")
    began = run.wait_for_begin()

    with frozen(alert, ancestor(began.pid, "supervisor")):
        alert.until(
            lambda: alert.seen(run.key).tasks["hold"].state is not TaskState.RUNNING,
            "the task to be given up",
            within_s=5 * HEARTBEAT_TIMEOUT_S,
        )
        wait_for_end_of(alert, began.pid)

    check_second_try(run)


def test_a_result_that_comes_after_the_task_was_given_up_changes_nothing(
    alert: Deployment, database_kind: DatabaseKind
) -> None:
    run = trial(alert, "held", "late_result")
    began = run.wait_for_begin()

    with frozen(alert, ancestor(began.pid, "supervisor")):
        run.say("go")
        wait_for_end_of(alert, began.pid)
        alert.until(
            lambda: alert.seen(run.key).tasks["hold"].state is not TaskState.RUNNING,
            "the task to be given up",
            within_s=5 * HEARTBEAT_TIMEOUT_S,
        )

    check_second_try(run)


def test_a_supervisor_that_is_frozen_for_a_moment_loses_nothing(alert: Deployment, database_kind: DatabaseKind) -> None:
    run = trial(alert, "held", "short_freeze")
    began = run.wait_for_begin()

    with frozen(alert, ancestor(began.pid, "supervisor")):
        run.say("go")
        wait_for_end_of(alert, began.pid)

    assert run.ended().value("hold") == 1
    assert run.began() == [began]


def test_a_task_that_is_frozen_is_ended_after_its_time(alert: Deployment, database_kind: DatabaseKind) -> None:
    run = trial(alert, "held_briefly", "frozen_task")
    began = run.wait_for_begin()

    with frozen(alert, psutil.Process(began.pid)):
        ended = run.ended()

    assert ended.states == {"hold_briefly": "failed"}
    assert ended.tasks["hold_briefly"].reason == (
        "killed: ran for longer than its execution_timeout of 1 s and did not stop"
    )
    wait_for_end_of(alert, began.pid)


@pytest.mark.parametrize("who", ["zygote", "nursery", "supervisor"])
def test_a_process_may_be_killed_while_a_dag_file_is_imported(
    alert: Deployment, database_kind: DatabaseKind, who: Victim
) -> None:
    """The task runs as far as the engine knows, and has no process yet."""
    hold, importing = alert.notes / "hold imports", alert.notes / "importing"
    # A zygote that has imported the file already would import it no more.
    os.utime(alert.home / "dags" / "held_import.py")
    importing.unlink(missing_ok=True)
    hold.touch()
    run = trial(alert, "held_in_import", f"import_{who}")
    alert.until(lambda: importing.exists() and importing.read_text().endswith("\n"), "the import to begin")
    zygote = psutil.Process(int(importing.read_text().split()[0]))
    generations: dict[Victim, int] = {"zygote": 0, "nursery": 1, "supervisor": 2}

    [zygote, *zygote.parents()][generations[who]].kill()
    hold.unlink()

    assert run.ended().states == {"after_import": "success"}
    wait_for_end_of(alert, zygote.pid)


@pytest.mark.parametrize("who", ["child", "zygote", "nursery", "supervisor"])
def test_what_is_killed_after_the_end_of_a_task_does_not_change_it(
    alert: Deployment, database_kind: DatabaseKind, who: Victim
) -> None:
    """The end is stored, and the process is busy with callbacks."""
    run = trial(alert, "held_in_callback", f"callback_{who}")
    began = run.wait_for_begin()
    run.wait_for_note("callback 1")
    ended = run.ended()

    ancestor(began.pid, who).kill()

    wait_for_end_of(alert, began.pid)
    assert ended.states == alert.seen(run.key).states == {"hold_in_callback": "success"}
    assert run.began() == [began]


def test_a_result_that_could_not_be_stored_before_its_supervisor_was_killed_is_lost_and_tried_again(
    alert: Deployment, database_kind: DatabaseKind
) -> None:
    """The narrow point between what the task says and what is stored: nobody can know, so it is tried again."""
    run = trial(alert, "held", "unsettled")
    began = run.wait_for_begin()
    supervisor = ancestor(began.pid, "supervisor")

    with nobody_can_write(alert):
        run.say("go")
        wait_for_end_of(alert, began.pid)
        supervisor.kill()

    check_second_try(run)


def test_a_task_that_nobody_could_hear_of_for_long_ends_and_is_tried_again(
    alert: Deployment, database_kind: DatabaseKind
) -> None:
    """Without an answer of the database nobody knows whether the task was given up, so it must not go on."""
    run = trial(alert, "held", "unheard")
    began = run.wait_for_begin()

    with nobody_can_write(alert):
        wait_for_end_of(alert, began.pid)

    check_second_try(run)


@contextmanager
def nobody_can_write(deployment: Deployment) -> Iterator[None]:
    """The database lets nobody change a task within the block."""
    url = deployment.wiring.settings.database.sql_alchemy_conn
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=30)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")
        return
    with psycopg.connect(url.replace("postgresql+psycopg", "postgresql")) as server, server.cursor() as cursor:
        cursor.execute("LOCK TABLE task_instance IN EXCLUSIVE MODE")
        yield
        server.rollback()


def test_a_chain_comes_to_its_end_whatever_is_killed_on_the_way(alert: Deployment, database_kind: DatabaseKind) -> None:
    """B7: a kill after every second task, each time of somebody else; all succeed, and none runs twice at once."""
    run = trial(alert, "chain", "killed_often")
    victims: list[Victim | None] = ["supervisor", None, "nursery", "supervisor", "zygote", None]

    for number, who in enumerate(victims, start=1):
        began = run.wait_for_begin(2 * number)
        if who is None:
            alert.stop("scheduler", signal.SIGKILL)
            alert.start("scheduler")
        else:
            kill_above(began.pid, who)

    ended = run.ended()
    assert set(ended.states.values()) == {"success"}, ended.states
    assert len(ended.states) == 15
    assert {began.task_id for began in run.began()} == set(ended.states)


def kill_above(pid: int, who: Victim) -> None:
    """Kill the process above that one; if that one is gone already, whoever is there now will do."""
    try:
        ancestor(pid, who).kill()
    except (psutil.NoSuchProcess, AssertionError):
        for process in psutil.Process(os.getpid()).children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # it may end while it is looked at
                if "nursery" in " ".join(process.cmdline()):
                    process.kill()
                    return
