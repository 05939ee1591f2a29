"""Tasks that crash, leave processes behind, talk too much, take too much, or do not listen (D1, E1).

After each: the right state and reason, its log, and nothing left running.
"""

import json
import re

import pytest

from tests.acceptance.deployment import Deployment, Ended
from tests.databases import DatabaseKind
from tests.faults.worker_processes import Trial, is_alive, log_path, trial, wait_for_end_of
from tradewind.model.states import TaskState
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.mark_state import mark_tasks

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)

REASONS = {
    "kills_itself": r"its process was killed by signal SIGKILL",
    "crashes": r"its process was ended by signal SIGSEGV",
    "aborts": r"its process was ended by signal SIGABRT",
    "leaves_without_a_word": r"its process ended with exit code 0 and without a result",
    "leaves_with_a_code": r"its process ended with exit code 3 and without a result",
    "exits": r"the task exited with code 5",
    "raises_the_unknown": r"Unknown: what is this",
    "interrupts_itself": r"KeyboardInterrupt: ",
    "terminates_itself": r"AirflowTaskTerminated: the task was told to stop",
    "returns_the_unstorable": r"TypeError: .*lock",
    "closes_its_pipes": r"closed its connection|without a result",
    "closes_its_pipes_and_stays": r"closed its connection",
    "talks_nonsense_to_its_supervisor": r"makes no sense",
}


@pytest.fixture(scope="module")
def endings(calm: Deployment) -> Ended:
    """A run in which each task ends in a way of its own."""
    return trial(calm, "endings", "endings").ended()


@pytest.mark.parametrize("task_id", sorted(REASONS))
def test_whatever_ends_a_task_is_a_failure_with_a_reason(
    endings: Ended, calm: Deployment, database_kind: DatabaseKind, task_id: str
) -> None:
    task = endings.tasks[task_id]

    assert task.state is TaskState.FAILED
    assert re.search(REASONS[task_id], task.reason or ""), task.reason
    log = log_path(calm, "endings", endings.run.run_id, task_id)
    assert log.exists()
    assert all(json.loads(line)["event"] is not None for line in log.read_text().splitlines())


def test_what_a_task_said_before_it_was_killed_is_in_its_log(
    endings: Ended, calm: Deployment, database_kind: DatabaseKind
) -> None:
    log = log_path(calm, "endings", endings.run.run_id, "kills_itself").read_text()

    assert "last words" in log
    assert "SIGKILL" in log


def test_a_crash_in_c_code_leaves_a_traceback(endings: Ended, calm: Deployment, database_kind: DatabaseKind) -> None:
    log = log_path(calm, "endings", endings.run.run_id, "crashes").read_text()

    assert "Segmentation fault" in log
    assert "troubles.py" in log


LEFT_BY = (
    "forks",
    "daemonizes",
    "starts_a_program_in_a_session_of_its_own",
    "leaves_processes_to_a_killed_task",
)


def test_what_tasks_start_ends_with_them(calm: Deployment, database_kind: DatabaseKind) -> None:
    """E1: also what forked twice, closed everything, and has a session of its own."""
    for name in LEFT_BY:
        (calm.notes / f"left by {name}").unlink(missing_ok=True)

    ended = trial(calm, "leftovers", "leftovers").ended()

    killed = "leaves_processes_to_a_killed_task"
    assert {name: task.reason for name, task in ended.tasks.items() if task.state is TaskState.FAILED}.keys() == {
        killed
    }
    pids = [int((calm.notes / f"left by {name}").read_text()) for name in LEFT_BY if has_left(calm, name)]
    for pid in pids:
        wait_for_end_of(calm, pid)
    values = {name: ended.value(name) for name in ended.states if ended.states[name] == "success"}
    answers = values.pop("lets_others_ask_for_it")
    assert isinstance(answers, list)
    assert ["only the process of the task itself can ask" in str(answer) for answer in answers] == [True] * 9
    assert values.pop("has_others_work_for_it") == ["A", "B", "C"]
    assert set(values.values()) == {"of the task"}


def has_left(deployment: Deployment, name: str) -> bool:
    """Whether what it left came so far as to write its number down."""
    file = deployment.notes / f"left by {name}"
    return file.exists() and bool(file.read_text().strip())


def test_a_copy_that_a_task_forks_may_log_beside_it(calm: Deployment, database_kind: DatabaseKind) -> None:
    run = trial(calm, "leftovers", "copies")

    assert run.ended().states["lets_a_copy_print_and_log"] == "success"
    log = run.log("lets_a_copy_print_and_log")
    assert "line 199" in log
    assert all(json.loads(line)["event"] is not None for line in log.splitlines())


def test_a_task_that_ignores_signals_is_killed_when_it_is_called_off(
    calm: Deployment, database_kind: DatabaseKind
) -> None:
    run = trial(calm, "stubborn", "stubborn")
    file = calm.notes / f"{run.run_id} is stubborn"
    calm.until(lambda: file.exists() and bool(file.read_text().strip()), "the task to ignore everything")
    pid = int(file.read_text())
    assert is_alive(pid)

    mark_failed(run, "ignores_signals")

    wait_for_end_of(calm, pid)
    assert run.ended().states == {"ignores_signals": "failed"}


def mark_failed(run: Trial, task_id: str) -> None:
    """As a person would."""
    deployment = run.deployment
    database, clock = deployment.wiring.database, deployment.wiring.clock
    (task,) = deployment.seen(run.key).tasks.values()
    selection = Selection(task.dag_id, run.run_id, task_ids=(task_id,))
    database.transact(lambda tx: mark_tasks(tx, selection, TaskState.FAILED, deployment.structures, clock.now()))


def test_a_task_that_takes_too_long_is_ended_also_if_it_does_not_listen(
    calm: Deployment, database_kind: DatabaseKind
) -> None:
    ended = trial(calm, "slow", "slow").ended()

    assert set(ended.states.values()) == {"failed"}
    assert "longer than its execution_timeout of 0.5 s" in str(ended.tasks["takes_too_long"].reason)
    assert ended.tasks["takes_too_long_and_ignores_it"].reason == (
        "killed: ran for longer than its execution_timeout of 0.5 s and did not stop"
    )


def test_a_task_that_uses_too_much_memory_is_ended_and_told_how_much(
    calm: Deployment, database_kind: DatabaseKind
) -> None:
    ended = trial(calm, "hungry", "hungry").ended()

    assert set(ended.states.values()) == {"failed"}
    for name in ("eats_memory", "lets_another_eat"):
        assert re.fullmatch(r"killed: used [3-6]\d\d MB of 300 MB", ended.tasks[name].reason or ""), ended.tasks[name]
    assert "MemoryError" in str(ended.tasks["finds_no_memory"].reason)
    peak = ended.tasks["eats_memory"].peak_memory_bytes
    assert peak is not None
    assert peak > 300_000_000


def test_a_gigabyte_of_output_is_cut_off_and_the_task_succeeds(calm: Deployment, database_kind: DatabaseKind) -> None:
    # A database has nothing to do with it, so the whole gigabyte is printed once only.
    size = 1_000_000_000 if database_kind == "sqlite" else 100_000_000
    (calm.notes / "print so much").write_text(str(size))
    run = trial(calm, "talkative", "talkative")

    ended = calm.ended(run.key, within_s=150)

    assert ended.states == {"prints_without_end": "success"}
    log = log_path(calm, "talkative", run.run_id, "prints_without_end")
    assert 1_000_000 < log.stat().st_size < 15_000_000
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert "all work and no play" in lines[0]["event"]
    notes = [line["event"] for line in lines if line["logger"] == "tradewind.task_logs"]
    assert [bool(re.search(r"limit of 10\.\d MB is reached|lines .* are missing here", note)) for note in notes] == [
        True
    ] * 2


def test_a_hundred_megabytes_are_passed_on(calm: Deployment, database_kind: DatabaseKind) -> None:
    ended = calm.ended(trial(calm, "voluminous", "voluminous").key, within_s=150)

    assert ended.states == {"returns_much": "success", "takes_much": "success"}, ended.tasks
    assert ended.value("takes_much") == 100_000_000


def test_a_task_succeeds_although_its_log_cannot_be_written(calm: Deployment, database_kind: DatabaseKind) -> None:
    """Everything that is written to this device finds the disk full."""
    run_id = "full_disk"
    path = log_path(calm, "logging_in_vain", run_id, "logs")
    path.parent.mkdir(parents=True)
    path.symlink_to("/dev/full")

    ended = calm.run("logging_in_vain", run_id)

    assert ended.states == {"logs": "success"}
    assert ended.value("logs") == "done"


@pytest.mark.parametrize(("refusals", "state"), [(2, "success"), (1000, "failed")])
def test_a_task_waits_a_while_where_the_system_lets_nobody_fork(
    calm: Deployment, database_kind: DatabaseKind, refusals: int, state: str
) -> None:
    refuse = calm.notes / "refuse to fork"
    refuse.write_text(str(refusals))
    try:
        ended = trial(calm, "unforkable", f"unforkable_{refusals}").ended()
    finally:
        refuse.unlink()

    assert ended.states == {"ordinary": state}
    if state == "failed":
        assert "no process could be made for it" in str(ended.tasks["ordinary"].reason)


def test_words_that_no_database_can_store_harm_nobody_else(calm: Deployment, database_kind: DatabaseKind) -> None:
    run = trial(calm, "hostile", "hostile")

    ended = run.ended()

    refuses = database_kind == "postgres"
    assert ended.states == {
        "asks_for_an_odd_variable": "failed",
        "has_an_odd_name[0]": "success",
        "logs_odd_texts": "success",
        "pushes_under_a_long_name": "failed" if refuses else "success",
        "pushes_under_an_odd_name": "failed" if refuses else "success",
        "raises_what_no_database_can_store": "failed",
        "returns_odd_texts": "success",
        "shows_odd_fields": "success",
        "skips_for_what_no_database_can_store": "skipped",
        "takes_odd_texts": "success",
    }
    said = r"nothing \x00 and half \ud800 of something"
    assert ended.tasks["raises_what_no_database_can_store"].reason == f"ValueError: {said}"
    assert ended.tasks["skips_for_what_no_database_can_store"].reason == said
    assert ended.value("takes_odd_texts") == [True, True, "nan", True]
    if refuses:
        assert "too long" in str(ended.tasks["pushes_under_a_long_name"].reason)


def test_a_file_whose_import_starts_threads_is_imported_by_each_task_alone(
    calm: Deployment, database_kind: DatabaseKind
) -> None:
    """D1: where forking is unsafe, each attempt has a process that is as good as new."""
    ended = trial(calm, "alone", "alone").ended()

    assert ended.value("has_its_thread") is True
    assert ended.value("has_imported_its_file_itself") is True
    assert ended.states["kills_itself"] == "failed"
    assert "SIGKILL" in str(ended.tasks["kills_itself"].reason)
    left = ended.value("leaves_a_program")
    assert isinstance(left, int)
    wait_for_end_of(calm, left)
