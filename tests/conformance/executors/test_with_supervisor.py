"""The executors of this machine with the supervisor that they are made for, and real tasks (D5, E1)."""

import os
import signal
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conformance.executors.places import until, work_item
from tests.conformance.executors.supervised import SupervisedMachine, stop_worker
from tradewind.bootstrap import Wiring, made_executors, wired
from tradewind.executors.interface import Executor
from tradewind.model.states import TaskState
from tradewind.settings import load_settings
from tradewind.storage.migrate import upgrade

QUEUED, RUNNING, SUCCESS, FAILED = TaskState.QUEUED, TaskState.RUNNING, TaskState.SUCCESS, TaskState.FAILED


@pytest.fixture
def wiring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Wiring]:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    monkeypatch.setenv("TRADEWIND__CORE__EXECUTOR", getattr(request, "param", "LocalExecutor"))
    monkeypatch.setenv("TRADEWIND__CORE__PARALLELISM", "2")
    # So seldom that nothing here can come about by chance, because a heartbeat happened to be due.
    monkeypatch.setenv("TRADEWIND__SCHEDULER__TASK_INSTANCE_HEARTBEAT_SEC", "200")
    settings = load_settings()
    upgrade(settings.database.sql_alchemy_conn)
    with wired(settings) as wiring:
        yield wiring


@pytest.fixture
def machine(wiring: Wiring) -> Iterator[SupervisedMachine]:
    yield SupervisedMachine(wiring)
    stop_worker(wiring.settings.home, wiring.settings.core.executor)


@pytest.fixture
def executor(wiring: Wiring, machine: SupervisedMachine) -> Iterator[Executor]:
    with made_executors(wiring) as (made,):
        yield made


def test_a_supervisor_is_started_and_runs_as_many_at_once_as_parallelism_allows(
    machine: SupervisedMachine, executor: Executor
) -> None:
    items = machine.admitted(2)

    executor.submit(items)
    machine.until_states(items, [RUNNING, RUNNING], executor.reports)
    machine.let_end(*items)

    machine.until_states(items, [SUCCESS, SUCCESS], executor.reports)
    until(lambda: not executor.holds([item.attempt for item in items]), "nothing is held any more")


def test_a_restarted_scheduler_takes_over_what_runs(
    wiring: Wiring, machine: SupervisedMachine, executor: Executor
) -> None:
    items = machine.admitted(2)
    executor.submit(items)
    machine.until_states(items, [RUNNING, RUNNING], executor.reports)
    executor.close()

    with made_executors(wiring) as (successor,):
        found = successor.adopt([*(item.attempt for item in items), work_item(9).attempt])
        assert found == {item.attempt for item in items}
        machine.let_end(*items)
        machine.until_states(items, [SUCCESS, SUCCESS], successor.reports)
        until(lambda: not successor.holds(found), "their end is known")
    assert [task.attempt for task in machine.tasks().values()] == [1, 1], "nothing ran twice"


def test_work_that_the_engine_does_not_know_is_not_held_for_long(
    machine: SupervisedMachine, executor: Executor
) -> None:
    executor.submit([work_item(1)])

    until(lambda: not executor.holds([work_item(1).attempt]), "the supervisor refused it")


def test_what_waited_at_a_supervisor_that_was_killed_runs_with_the_next_one(
    machine: SupervisedMachine, executor: Executor
) -> None:
    """What ran is failed by the successor; what had not begun is begun there."""
    items = sorted(machine.admitted(3))
    executor.submit(items)
    machine.until_states(items, [RUNNING, RUNNING, QUEUED], executor.reports)

    os.kill(machine.worker_pid(items[0].attempt), signal.SIGKILL)

    machine.until_states(items, [FAILED, FAILED, RUNNING], executor.reports)
    machine.let_end(items[2])
    machine.until_states(items, [FAILED, FAILED, SUCCESS], executor.reports)
    until(lambda: not executor.holds([item.attempt for item in items]), "nothing is held any more")
    assert [task.attempt for task in machine.tasks().values()] == [1, 1, 1]


def test_a_supervisor_that_drains_is_given_no_more_work(machine: SupervisedMachine, executor: Executor) -> None:
    """E1: what it has not begun goes to the next one; more than that waits in the engine, not with it."""
    items = sorted(machine.admitted(3))
    executor.submit(items)
    machine.until_states(items, [RUNNING, RUNNING, QUEUED], executor.reports)
    assert executor.free_slots() == 1

    os.kill(machine.worker_pid(items[0].attempt), signal.SIGTERM)

    until(lambda: executor.free_slots() == 0, "it takes no more work")
    assert machine.states(items) == [RUNNING, RUNNING, QUEUED]
    machine.let_end(*items)
    machine.until_states(items, [SUCCESS, SUCCESS, SUCCESS], executor.reports)
    until(lambda: executor.free_slots() == 4, "the next one takes work")


@pytest.mark.parametrize("wiring", ["SequentialExecutor"], indirect=True)
def test_one_at_a_time_where_that_is_asked_for(machine: SupervisedMachine, executor: Executor) -> None:
    items = sorted(machine.admitted(3))
    machine.let_end(*items)

    executor.submit(items)

    machine.until_states(items, [SUCCESS, SUCCESS, SUCCESS], executor.reports)
    spans = sorted((str(task.started_at), str(task.finished_at)) for task in machine.tasks().values())
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_a_running_attempt_that_is_revoked_is_stopped(machine: SupervisedMachine, executor: Executor) -> None:
    items = machine.admitted(2)
    executor.submit(items)
    machine.until_states(items, [RUNNING, RUNNING], executor.reports)

    executor.revoke([items[0].attempt])

    machine.until_states(items, [FAILED, RUNNING], executor.reports)
    assert executor.holds([item.attempt for item in items]) == {items[1].attempt}
