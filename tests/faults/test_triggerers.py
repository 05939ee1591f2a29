"""Triggerers that are killed, frozen and cut off, and triggers that do what no trigger must (E1, E6, E7, E8)."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest

from tests.databases import DatabaseKind
from tests.faults.own_mariadb import OwnMariaDB, own_mariadb
from tests.faults.own_postgres import OwnPostgres, own_postgres
from tests.faults.triggerer_processes import Waiters, waiters
from tests.faults.worker_processes import is_frozen_alone
from tradewind.model.listener_news import Hook

MANY = 1000
FEW = 100
PATIENCE_S = 180.0
"""A thousand tasks take five seconds on a machine that has little else to do. On others time is all that they need."""

sqlite = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


@pytest.fixture
def waiting(database_kind: DatabaseKind, database_url: str, tmp_path: Path) -> Iterator[Waiters]:
    """A thousand tasks that wait for one bell."""
    with waiters(database_url, tmp_path) as made:
        made.wait({f"t{number}": "Patient" for number in range(MANY)})
        yield made


def check_each_went_on_once(waiting: Waiters, count: int = MANY) -> None:
    """A scheduler handed each task to an executor once, with its second attempt."""
    waiting.until(lambda: waiting.states() == {"success": count}, "all to go on", within_s=PATIENCE_S)
    attempts = Counter(waiting.attempts())
    assert set(attempts.values()) == {1}
    assert attempts.keys() == {(f"t{number}", 2) for number in range(count)}
    assert waiting.stored_triggers() == 0


def test_whoever_is_killed_or_frozen_a_thousand_tasks_go_on_once_each(waiting: Waiters) -> None:
    """E6, E7: the runner is killed and frozen, the triggerer is killed, another one is cut off and comes back."""
    waiting.start_scheduler()
    waiting.start("one")
    seen = [waiting.wait_for_runner(MANY)]

    os.kill(seen[-1], signal.SIGKILL)
    seen.append(waiting.wait_for_runner(MANY, but=seen))
    os.kill(seen[-1], signal.SIGSTOP)
    seen.append(waiting.wait_for_runner(MANY, but=seen))
    waiting.kill("one")
    one = waiting.start("one")  # which knows at once by the lock that its predecessor is dead
    seen.append(waiting.wait_for_runner(MANY, but=seen))

    waiting.until(lambda: is_frozen_alone(waiting.url, one), "a triggerer to stand still")
    waiting.start("other")
    seen.append(waiting.wait_for_runner(MANY, but=seen))
    waiting.ring()
    waiting.until(lambda: waiting.states()["deferred"] == 0, "all to go on", within_s=PATIENCE_S)
    one.send_signal(signal.SIGCONT)

    # It has a thousand events of its own to tell by now, all of them late.
    check_each_went_on_once(waiting)
    assert (waiting.stop("one"), waiting.stop("other")) == (0, 0)
    check_each_went_on_once(waiting)


@pytest.mark.parametrize("own_server", [own_postgres, own_mariadb])
def test_a_database_that_is_restarted_loses_no_event(
    own_server: Callable[[], AbstractContextManager[OwnPostgres | OwnMariaDB]], tmp_path: Path
) -> None:
    """E6, E7: what triggers say while it is away is stored when it is back, once."""
    with own_server() as server, waiters(server.url, tmp_path) as waiting:
        waiting.wait({f"t{number}": "Patient" for number in range(FEW)})
        triggerer = waiting.start("one")
        waiting.wait_for_runner(FEW)

        server.stop()
        waiting.ring()
        waiting.until(lambda: "gives no answer" in waiting.said("one"), "the triggerer to miss the database")
        server.start()
        waiting.database.engine.dispose()  # connections of this process were cut, too
        waiting.start_scheduler()

        check_each_went_on_once(waiting, FEW)
        assert triggerer.is_running()


@sqlite
def test_who_stops_in_good_order_leaves_its_triggers_to_others(database_url: str, tmp_path: Path) -> None:
    """E6: nothing fails, nothing is lost, and nobody waits for a lease to run out. Listeners would hear of it (D2)."""
    with waiters(database_url, tmp_path) as waiting:
        waiting.wait({f"t{number}": "Patient" for number in range(FEW)})
        waiting.listen(Hook.STARTING, Hook.STOPPING)
        waiting.start_scheduler()
        waiting.start("one")
        first = waiting.wait_for_runner(FEW)
        waiting.start("other")

        assert waiting.stop("one") == 0
        waiting.wait_for_runner(FEW, but=[first])
        assert sorted(waiting.news("triggerer")) == ["before_stopping", "on_starting", "on_starting"]
        assert waiting.states() == {"deferred": FEW}
        waiting.ring()

        check_each_went_on_once(waiting, FEW)


@sqlite
def test_a_triggerer_takes_as_many_as_it_may_of_its_queues_by_priority(database_url: str, tmp_path: Path) -> None:
    """E6: and runs them in the fastest event loop that there is."""
    with waiters(database_url, tmp_path) as waiting:
        waiting.wait({"low": "Patient", "high": "Patient", "highest": "Tells"}, queue="gpu")
        with_queues = {"TRADEWIND__TRIGGERER__QUEUES_ENABLED": "True"}
        waiting.start("other", with_queues, ["--capacity", "9"])
        waiting.start("one", with_queues, ["--capacity", "1", "--queues", "gpu,cpu"])

        waiting.until(lambda: _names(waiting, "started") == {"high"}, "a place to become free for the next")
        assert waiting.goes_on_with("highest") == ("go_on", {"event": "uvloop"})
        assert waiting.states() == {"scheduled": 1, "deferred": 2}
        waiting.ring()
        waiting.until(lambda: waiting.states() == {"scheduled": 3}, "all to go on")


@sqlite
def test_what_a_person_called_off_is_ended_whoever_dies_meanwhile(database_url: str, tmp_path: Path) -> None:
    """E1: `on_kill` is called again by who takes over, and also for what nobody ran at that time. What nobody waits
    for any more is stopped at once, long before anybody sweeps."""
    seldom = {"TRADEWIND__TRIGGERER__JOB_HEARTBEAT_SEC": "60"}
    with waiters(database_url, tmp_path) as waiting:
        waiting.wait({"running": "Slow", "free": "Slow", "late": "Slow", "patient": "Patient"})
        waiting.start("one", seldom)
        waiting.wait_for_runner(4)
        waiting.call_off("late", kills=False)
        waiting.until(lambda: _names(waiting, "cleaned") == {"late"}, "the late one to be stopped")
        waiting.call_off("running", kills=True)
        waiting.until(lambda: _names(waiting, "killing") == {"running"}, "on_kill to begin")
        waiting.kill("one")
        waiting.call_off("free", kills=True)
        (tmp_path / "second").touch()

        waiting.start("one", seldom)

        waiting.until(lambda: _names(waiting, "killed") == {"running", "free"}, "on_kill to be called again")
        waiting.until(lambda: waiting.stored_triggers() == 1, "only the patient one to be left")
        assert waiting.states() == {"failed": 3, "deferred": 1}


UNRULY = {
    "raises": "Raising",
    "gives_up": "GivesUp",
    "says_nothing": "Silent",
    "says_it_twice": "Twice",
    "says_much": "Large",
    "says_what_cannot_be_told": "Unspeakable",
    "has_threads": "Threads",
    "is_busy": "Busy",
    "hiccups": "Hiccups",
    "exits": "Exits",
    "crashes": "Crashes",
    "exits_in_thread": "ExitsInThread",
    "cannot_be_made": "Unmade",
    "is_not_there": "Missing",
    "is_nowhere": "no_such_module.Bell",
}


@sqlite
def test_triggers_that_do_what_they_must_not_harm_nobody_else(database_url: str, tmp_path: Path) -> None:
    """E7, E8: each gets what it deserves, and the patient ones beside them wait in peace, and go on."""
    patient = [f"patient{number}" for number in range(50)]
    with waiters(database_url, tmp_path) as waiting:
        waiting.wait({**UNRULY, **dict.fromkeys(patient, "Patient")})
        triggerer = waiting.start("one")
        # On a busy machine the processes take long to start, and time without a processor is nobody's fault.
        waiting.until(lambda: all(map(waiting.goes_on_with, UNRULY)), "all unruly ones to end", within_s=240.0)
        assert waiting.states() == {"deferred": len(patient), "scheduled": len(UNRULY)}
        waiting.until(lambda: len(_runners(triggerer)) == 1, "the quarantine to end")
        waiting.ring()
        waiting.until(lambda: waiting.states() == {"scheduled": len(patient) + len(UNRULY)}, "the patient ones")

        ends = {name: waiting.goes_on_with(name) for name in UNRULY}
        logs = {name: waiting.log(name) for name in UNRULY}
        said = waiting.said("one")
        rung_in = {str(waiting.goes_on_with(name)) for name in patient}

    assert len(rung_in) == 1  # all in the same process, and none in quarantine
    assert ends["says_it_twice"] == ("go_on", {"event": "first"})
    assert ends["says_much"] == ("go_on", {"event": "x" * 10_000_000})
    assert ends["has_threads"] == ("go_on", {"event": "from a thread"})
    errors = {name: str(end[1]) for name, end in ends.items() if end is not None and end[0] == "__fail__"}
    assert "the bell is cracked" in errors["raises"]
    assert "CancelledError" in errors["gives_up"]
    assert "ended without an event" in errors["says_nothing"]
    assert "lock" in errors["says_what_cannot_be_told"]
    assert "TypeError: no" in errors["cannot_be_made"]
    assert "Missing" in errors["is_not_there"]
    assert "no_such_module" in errors["is_nowhere"]
    for name in ("exits", "crashes", "exits_in_thread"):
        assert "ended the process that ran it" in errors[name]
        assert "it goes on in quarantine" in logs[name]
    assert "unruly.Busy blocked the event loop for more than 3 s" in errors["is_busy"]
    assert "unruly.py" in errors["is_busy"]
    assert "unruly.Busy kept all other triggers waiting" in logs["is_busy"]
    assert ends["hiccups"] is not None
    assert ends["hiccups"][0] == "go_on"
    assert "unruly.Hiccups kept holding up the others: it goes on in quarantine" in logs["hiccups"]
    assert "time.sleep(0.3)" in logs["hiccups"]
    assert "unruly.Hiccups kept all other triggers waiting" in said


def _runners(triggerer: psutil.Process) -> list[psutil.Process]:
    return [each for each in triggerer.children() if "tradewind: triggerer runner" in " ".join(each.cmdline())]


def _names(waiting: Waiters, what: str) -> set[str]:
    """The tasks for which triggers noted this."""
    return {name for names in waiting.noted(what).values() for name in names}
