"""Tries, time limits, and who is told of what (D4)."""

from collections import Counter
from email.message import Message

import pytest

from tests.acceptance.conftest import Runs
from tests.acceptance.deployment import Deployment
from tests.mail_server import Mailbox

pytestmark = pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)


def test_tasks_are_tried_as_often_as_they_and_their_policies_say(runs: Runs) -> None:
    """D4: retries, AirflowFailException, execution_timeout, retry policies."""
    tries = runs["tries"]

    assert {name: task.try_number for name, task in tries.tasks.items() if task.started_at} == {
        "third_time": 3,
        "after": 1,
        "in_vain": 2,
        "at_once": 1,
        "too_long": 2,
        "by_policy": 3,
        "against_policy": 1,
    }
    assert (tries.value("third_time"), tries.value("by_policy")) == (3, 3)


def test_callbacks_are_called(runs: Runs, deployment: Deployment) -> None:
    """D4: of tasks, and of the run."""
    assert runs["told"].state == "failed"

    wanted = Counter(
        {
            "execute succeeds": 1,
            "success succeeds": 1,
            "execute skips": 1,
            "skipped skips": 1,
            "execute fails": 2,
            "retry fails": 1,
            "failure fails": 1,
            # A callback makes a task of an operator that does nothing, too.
            "execute after": 1,
            "empty after": 1,
        }
    )

    def told() -> list[str]:
        path = deployment.notes / "told by told"
        return path.read_text().splitlines() if path.exists() else []

    deployment.until(lambda: any(line.startswith("run_failure") for line in told()), "the callback of the run")
    assert Counter(line for line in told() if not line.startswith("run_failure")) == wanted


def test_a_run_that_succeeds_is_told_of(runs: Runs, deployment: Deployment) -> None:
    assert runs["told_of_success"].state == "success"

    path = deployment.notes / "told by told_of_success"
    deployment.until(lambda: path.exists() and path.read_text().startswith("run_success"), "the callback of the run")


def test_mail_is_sent_on_failure_and_retry(runs: Runs, deployment: Deployment, mailbox: Mailbox) -> None:
    """D4: to those that the task names, and only when it asks for it."""
    assert runs["mailing"].state == "failed"

    wanted = {"crew@example.com": 2, "captain@example.com, mate@example.com": 1}
    # It is sent when the end of the task is stored.
    deployment.until(lambda: len(mailbox.messages) >= sum(wanted.values()), "the mails to arrive")
    assert Counter(map(_addresses, mailbox.messages)) == wanted
    subjects = sorted(str(message["Subject"]) for message in mailbox.messages)
    assert all("mailing" in subject for subject in subjects), subjects


def _addresses(message: Message) -> str:
    return str(message["To"])


def test_sensors_are_asked_until_what_they_wait_for_is_there(runs: Runs, deployment: Deployment) -> None:
    """D2, E10: poke, reschedule, exponential wait; one that is rescheduled has one try and many attempts."""
    pokes = runs["pokes"]

    for name in ("poke", "reschedule", "more_and_more"):
        notes = deployment.notes / f"pokes of pokes asked_0 {name}"
        assert len(notes.read_text().splitlines()) == 3, name
        assert pokes.tasks[name].try_number == 1
    assert [pokes.tasks[name].attempt for name in ("poke", "reschedule", "more_and_more")] == [1, 3, 3]


def test_a_sensor_that_gave_up_waiting_is_not_tried_again(runs: Runs) -> None:
    """D4: the time is over for all tries."""
    assert runs["gives_up"].tasks["reschedule"].try_number == 1


def test_only_the_latest_run_goes_beyond_latest_only(deployment: Deployment) -> None:
    """D2: runs of the past that a timetable made are skipped behind it; the last one, or that of a person, is not."""
    deployment.until(lambda: len(deployment.runs_of("regular")) >= 3, "the runs of the timetable")
    *earlier, last = [deployment.ended(run.key) for run in deployment.runs_of("regular")]

    for run in earlier:
        assert run.states == {
            "latest": "success",
            "only_now": "skipped",
            "also_only_now": "skipped",
            "anyway": "skipped",
            "beside": "success",
        }
    assert set(last.states.values()) == {"success"}
    assert set(deployment.run("regular").states.values()) == {"success"}
