"""Tasks that wait in a triggerer, with real processes that come and go (A3, E1, E6, E7)."""

import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from tests.acceptance.deployment import Deployment, deployed
from tests.databases import DatabaseKind, DatabaseUrls
from tradewind.bootstrap import make_log_reader
from tradewind.model.ids import RunKey
from tradewind.model.states import TaskState
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.clear_tasks import clear_tasks
from tradewind.operations.delete import delete_run
from tradewind.operations.manage_connections import add_connection
from tradewind.operations.manage_variables import set_variable
from tradewind.runtime.clock import SystemClock
from tradewind.secrets.encryption import Encryption
from tradewind.storage.interface.shared_stores import AssetEventChoice
from tradewind.task_logs.places import Try

DAGS: Final = Path(__file__).with_name("deferring_dags")
KEY: Final = "cGFzc3dvcmRwYXNzd29yZHBhc3N3b3JkcGFzc3dvcmQ="

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)


@pytest.fixture(scope="module")
def waiting(
    database_urls: DatabaseUrls, database_kind: DatabaseKind, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """A deployment with a triggerer, and the DAGs of `deferring_dags/`."""
    url = database_urls(database_kind)
    home = tmp_path_factory.mktemp("waiting") / database_kind
    variables = {
        "AIRFLOW_VAR_COLOR": "red",
        "TRADEWIND__CORE__FERNET_KEY": KEY,
        "TRADEWIND__STATE_STORE__CLEAR_ON_SUCCESS": "True",
        "TRADEWIND__TRIGGERER__JOB_HEARTBEAT_SEC": "0.5",
        "TRADEWIND__TRIGGERER__QUARANTINE_AFTER_SECONDS": "1",
        "TRADEWIND__TRIGGERER__RUNNER_HEALTH_CHECK_THRESHOLD": "3",
    }
    with deployed(home, url, dags_folder=DAGS, variables=variables) as made:
        made.start("triggerer")
        made.until(
            lambda: (
                {"bell", "asking", "deferrals", "standard_set", "other", "starting", "going_on"} <= set(made.dag_ids())
            ),
            "the DAGs to be read",
        )
        yield made


def rings(deployment: Deployment, run_id: str) -> tuple[RunKey, Path]:
    """A run whose task waits for a bell in the triggerer, and that bell."""
    key = deployment.trigger("bell", run_id)
    bell = deployment.notes / f"{run_id}.bell"
    deployment.until(lambda: len(starts(bell)) == 1, "the trigger to run")
    return key, bell


def starts(bell: Path) -> list[int]:
    """The processes in which its trigger was started."""
    noted = bell.with_name(f"{bell.name}.started")
    return [int(line) for line in noted.read_text().splitlines()] if noted.exists() else []


def noted(bell: Path, what: str) -> bool:
    """Whether its trigger was `cleaned` or `killed`."""
    return bell.with_name(f"{bell.name}.{what}").exists()


def log_of(deployment: Deployment, run_id: str, task_id: str, dag_id: str = "bell") -> str:
    """All that was logged in the first try."""
    reader = make_log_reader(deployment.wiring)
    return "\n".join(str(message["event"]) for message in reader.all(Try(dag_id, run_id, task_id)))


def stored_triggers(deployment: Deployment) -> int:
    """How many there are, those of deleted tasks included."""
    with deployment.wiring.database.begin() as tx:
        return len(tx.triggers.sealed()) + len(tx.triggers.orphans.sealed())


def test_tasks_go_on_and_fail_as_their_triggers_do(waiting: Deployment) -> None:
    """E1, E4, D4: several deferrals in one try, events, errors, silence, timeouts, an end without a worker."""
    ended = waiting.run("deferrals", "all")

    assert ended.states == {
        "many_times": "success",
        "ends": "success",
        "breaks": "failed",
        "says_nothing": "failed",
        "unknown": "failed",
        "too_long": "failed",
        "is_held": "failed",
        "then": "success",
    }
    assert ended.value("many_times") == [[1, "red"], [2, "red"], [3, "red"]]
    assert (ended.tasks["many_times"].try_number, ended.tasks["many_times"].attempt) == (1, 4)
    for name in ("ends", "then"):
        assert (ended.value(name), ended.tasks[name].attempt) == ("ended", 1)
    assert str(ended.reasons["is_held"]).startswith("TypeError: a value of type _thread.lock cannot be stored")
    # What a task remembers for its later tries goes when it succeeds, also where its trigger says so.
    now, keys = SystemClock().now(), {name: ended.tasks[name].key for name in ("ends", "breaks")}
    with waiting.wiring.database.begin() as tx:
        remembered = {name: tx.task_states.find(key, "seen", now) for name, key in keys.items()}
    assert remembered == {"ends": None, "breaks": 1}
    assert ended.reasons["breaks"] == ended.reasons["says_nothing"] == "TaskDeferralError: Trigger failure"
    assert ended.reasons["unknown"] == ended.reasons["too_long"] == "TaskDeferralTimeout: Trigger timeout"
    assert "the bell is cracked" in log_of(waiting, "all", "breaks", "deferrals")
    assert "ended without an event" in log_of(waiting, "all", "says_nothing", "deferrals")
    failures = {path.suffix: path.read_text() for path in waiting.notes.glob("failures.*")}
    assert failures == {".breaks": "TaskDeferralError", ".unknown": "TaskDeferralTimeout"}
    waiting.until(lambda: stored_triggers(waiting) == 0, "no trigger to be left")


def test_whoever_dies_while_a_task_waits_it_goes_on_once(waiting: Deployment) -> None:
    """E6, E7: the runner is killed, the triggerer is killed, and then stopped in good order."""
    key, bell = rings(waiting, "killed")
    # What it logs can be read while it waits.
    said = "waiting for the bell of waits"
    waiting.until(lambda: log_of(waiting, "killed", "waits").count(said) == 1, "its log to be there")
    os.kill(starts(bell)[0], signal.SIGKILL)
    waiting.until(lambda: len(starts(bell)) == 2, "the trigger to run in a new runner")

    waiting.stop("triggerer", signal.SIGKILL)
    waiting.start("triggerer")
    waiting.until(lambda: len(starts(bell)) == 3, "the trigger to run in a new triggerer")

    assert waiting.stop("triggerer") == 0
    assert noted(bell, "cleaned")
    assert waiting.seen(key).states == {"waits": "deferred"}
    waiting.start("triggerer")
    waiting.until(lambda: len(starts(bell)) == 4, "the trigger to be taken over")
    bell.write_text("ding")
    ended = waiting.ended(key)

    value: Any = ended.value("waits")
    assert ended.states == {"waits": "success"}
    assert (value["event"], value["kept"]) == ({"rang": "ding", "words": "to whom"}, 1)
    assert ended.tasks["waits"].attempt == 2
    assert not noted(bell, "killed")
    # What was said just before a kill may be lost with whoever was to write it down.
    assert log_of(waiting, "killed", "waits").count("waiting for the bell of waits") >= 2


def test_who_stops_a_waiting_task_stops_its_trigger(waiting: Deployment) -> None:
    """E1: marked, cleared or deleted, `on_kill` and `cleanup` are called, and nothing comes of what rings later."""
    marked, bell_of_marked = rings(waiting, "marked")
    waiting.mark_success(marked, "waits")
    cleared, bell_of_cleared = rings(waiting, "cleared")
    database, now = waiting.wiring.database, SystemClock().now()
    database.transact(lambda tx: clear_tasks(tx, Selection("bell", "cleared"), waiting.structures, now))

    _, bell_of_deleted = rings(waiting, "deleted")
    database.transact(lambda tx: delete_run(tx, "bell", "deleted", waiting.structures, now))

    for bell in (bell_of_marked, bell_of_cleared, bell_of_deleted):
        waiting.until(lambda bell=bell: noted(bell, "killed") and noted(bell, "cleaned"), "on_kill and cleanup")  # type: ignore[misc]
    waiting.until(lambda: len(starts(bell_of_cleared)) == 2, "the cleared task to wait again")
    bell_of_cleared.write_text("dong")

    again = waiting.ended(cleared)
    assert (again.states, again.tasks["waits"].try_number) == ({"waits": "success"}, 2)
    assert waiting.ended(marked).states == {"waits": "success"}
    assert waiting.seen(marked).tasks["waits"].state is TaskState.SUCCESS
    waiting.until(lambda: stored_triggers(waiting) == 0, "no trigger to be left")


def test_a_trigger_that_blocks_all_others_fails_and_they_go_on(waiting: Deployment) -> None:
    """E8: it is named, with the line where it stands."""
    key, bell = rings(waiting, "beside")

    ended = waiting.run("blocking", "blocks")

    assert ended.reasons == {"blocks": "TaskDeferralError: Trigger failure"}
    told = log_of(waiting, "blocks", "blocks", "blocking")
    assert "Blocking blocked the event loop for more than 1 s: it goes on in quarantine" in told
    assert "Blocking blocked the event loop for more than 3 s" in told
    assert "time.sleep(1000)" in told
    waiting.until(lambda: len(starts(bell)) == 2, "the other trigger to run again")
    bell.write_text("ding")
    assert waiting.ended(key).states == {"waits": "success"}


def test_the_triggerer_is_alive_and_hides_what_triggers_are_given(waiting: Deployment) -> None:
    """E5, its log while it waits, and `jobs check`, which people's monitoring asks."""
    key, bell = rings(waiting, "hidden")

    waiting.until(lambda: "waiting for the bell of waits" in log_of(waiting, "hidden", "waits"), "the log to be live")
    assert "1 alive: triggerer" in waiting.command("jobs", "check", "--job-type", "TriggererJob")
    with waiting.wiring.database.begin() as tx:
        (sealed,) = tx.triggers.sealed()
    assert sealed.is_encrypted
    assert "bell" not in sealed.kwargs

    bell.write_text("ding")
    assert waiting.ended(key).states == {"waits": "success"}


def test_a_trigger_asks_through_its_triggerer_and_sees_no_secret(waiting: Deployment) -> None:
    """A3, E5: variables, connections, XComs, states of tasks and runs; neither the database nor its key are told."""
    now, cipher = SystemClock().now(), Encryption([KEY])
    tower = ConnectionResult(conn_id="tower", conn_type="http", password="hunter2")
    with waiting.wiring.database.begin() as tx:
        set_variable(tx, "stored", "in the database", cipher=cipher, now=now)
        add_connection(tx, tower, cipher=cipher, now=now)

    ended = waiting.run("asking", "all")

    value: Any = ended.value("asks")
    assert ended.states == {"first": "success", "asks": "success"}, ended.reasons
    assert value["event"] == {
        "variable": "in the database",
        "password": "hunter2",
        "xcom": "from a task",
        "state": "success",
        "run": "running",
        "secrets": [],
    }


def test_the_standard_set_waits_without_a_worker(waiting: Deployment) -> None:
    """A4, E2: for instants, durations, files, tasks of other DAGs, and runs that a task asked for."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    ended = waiting.ended(waiting.trigger("standard_set", "all", logical_date=at))

    attempts = {name: task.attempt for name, task in ended.tasks.items()}
    assert set(ended.states.values()) == {"success"}, ended.reasons
    assert attempts == {
        **dict.fromkeys(("date_time", "file", "asks", "looks"), 2),
        # The last counts from the date of the run, so its time has come.
        **dict.fromkeys(("after", "from_start_to_end", "time_delta"), 1),
    }


def test_tasks_begin_and_end_with_their_triggers_and_no_worker_hears_of_them(waiting: Deployment) -> None:
    """E3, E4: from plain values and templates, mapped over what is written and what was returned."""
    ended = waiting.run("starting", "all")

    assert {task: state for task, state in ended.states.items() if state != "success"} == {
        "skips": "skipped",
        "unsaid": "skipped",
        "fails": "failed",
    }
    assert {(task.worker, task.pid, task.hostname) for task in ended.tasks.values()} == {(None, None, None)}
    assert {task.attempt for name, task in ended.tasks.items() if name not in ("fails", "unsaid")} == {1}
    assert (ended.tasks["fails"].attempt, ended.reasons["fails"]) == (2, "its trigger said so")
    # All processes that ever imported the file: none of them is a worker.
    imported = set((waiting.notes / "starting.imported").read_text().splitlines())
    assert imported <= {"tradewind: triggerer runner", "tradewind: reading starting.py"}

    assert ended.value("first") == ["RED", "first"]
    assert [ended.values["second", index, "return_value"] for index in (0, 1)] == ["RED", "first"]
    assert ended.value("third") == "['RED', 'first']"
    assert [ended.tasks[f"second[{index}]"].rendered_map_index for index in (0, 1)] == ["RED", "first"]
    assert "it says ['RED', 'first']" in log_of(waiting, "all", "first", "starting")
    with waiting.wiring.database.begin() as tx:
        events = tx.asset_events.choose(AssetEventChoice(name="said"))
    assert [each.event.source_task_id for each in events] == ["first"]
    called = waiting.notes / "starting.called"
    waiting.until(lambda: called.exists() and len(called.read_text().splitlines()) == 4, "all callbacks")
    assert sorted(called.read_text().splitlines()) == [
        "fails its trigger said so",
        "fails its trigger said so",
        "first None",
        "skips None",
    ]


def test_tasks_that_begin_with_a_trigger_go_on_in_a_worker(waiting: Deployment) -> None:
    """E3: with its event, or with its error; one that turns out to wait for nothing begins there."""
    ended = waiting.run("going_on", "all")

    attempts = {name: task.attempt for name, task in ended.tasks.items()}
    assert ended.states == {"goes_on": "success", "perhaps[0]": "success", "perhaps[1]": "success", "wrong": "failed"}
    assert attempts == {"goes_on": 2, "perhaps[0]": 2, "perhaps[1]": 1, "wrong": 2}
    assert ended.value("goes_on") == ["ding", "it"]
    assert ended.values["perhaps", 0, "return_value"] == "a worker said here"
    assert ended.reasons["wrong"] == "UndefinedError: 'no_such_macro' is undefined"
    assert "The trigger failed" in log_of(waiting, "all", "wrong", "going_on")
