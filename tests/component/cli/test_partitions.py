"""Runs are chosen by their partitions at the terminal (A8, B1, C3)."""

import pytest

from tests.component.cli.deployment import NOW, CliDeployment
from tradewind.bootstrap import wired
from tradewind.model.dag import Dag, Task
from tradewind.model.timetable import CronPartition
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.settings import load_settings

DAILY = Dag(
    "daily",
    tasks=(Task("work"),),
    timetable=CronPartition("0 0 * * *", "Europe/Berlin", key_format="%Y-%m-%d"),
)
CLEAR = ("partitions", "clear", "--dag-id", "daily")


@pytest.fixture
def daily(deployment: CliDeployment) -> CliDeployment:
    """With an ended run for each of three days."""
    deployment.publish(DAILY)
    with wired(load_settings()) as wiring:
        for day in (1, 2, 3):
            request = RunRequest("daily", f"r{day}", partition_key=f"2025-12-0{day}")
            wiring.database.transact(
                lambda tx, request=request: trigger_run(tx, request, Structures(), NOW, suffix="x")  # type: ignore[misc]
            )
    deployment.schedule()
    return deployment


def states(deployment: CliDeployment) -> dict[str, str]:
    """Of those that were asked for; the timetable makes others."""
    runs = deployment.rows("dags", "list-runs", "daily")
    return {run["run_id"]: run["state"] for run in runs if run["run_type"] == "manual"}


def test_runs_are_cleared_by_their_partition(daily: CliDeployment) -> None:
    """By a key, and by dates as the clock of the timetable reads them."""
    assert "1 task instances cleared" in daily.run("dags", "clear", "daily", "--partition-key", "2025-12-02", "-y")
    assert states(daily) == {"r1": "success", "r2": "queued", "r3": "success"}

    window = ("--partition-date-start", "2025-12-01", "--partition-date-end", "2025-12-01")
    assert "daily r1 work" in daily.run("dags", "clear", "daily", *window, answer="y\n")
    assert states(daily) == {"r1": "queued", "r2": "queued", "r3": "success"}
    assert "no run is about" in daily.run("dags", "clear", "daily", "--partition-key", "2024-01-01", "-y")


def test_runs_are_made_to_be_about_no_partition(daily: CliDeployment) -> None:
    """Once; and their tasks run again if that is wanted."""
    told = daily.run(*CLEAR, "--date", "2025-12-01~2025-12-02", "--dry-run", "--clear-task-instances").splitlines()
    assert told == [
        "r1: was about partition 2025-12-01 of 2025-11-30T23:00:00+00:00",
        "r2: was about partition 2025-12-02 of 2025-12-01T23:00:00+00:00",
        "2 runs would be about no partition any more",
        "2 task instances would be cleared",
    ]

    assert "2 runs are about no partition" in daily.run(*CLEAR, "-s", "2025-12-01", "-e", "2025-12-02")
    assert "0 runs" in daily.run(*CLEAR, "--start-date", "2025-12-01", "--end-date", "2025-12-02")
    assert "1 task instances are cleared" in daily.run(*CLEAR, "-k", "2025-12-03", "--clear-task-instances")
    assert states(daily) == {"r1": "success", "r2": "success", "r3": "queued"}
    assert "0 runs" in daily.run(*CLEAR, "--run-id", "r3")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (CLEAR, 2, "give one of --run-id"),
        ((*CLEAR, "-r", "r1", "-k", "x"), 2, "give one of --run-id"),
        ((*CLEAR, "--date", "2025-12-01"), 2, "FROM~TO"),
        ((*CLEAR, "--date", "a~b"), 2, "'a' is no date"),
        ((*CLEAR, "--date", "2025-12-02~2025-12-01"), 2, "is after"),
        ((*CLEAR, "--date", "2025-12-01~2025-12-02", "-s", "2025-12-01"), 2, "one or the other"),
        ((*CLEAR, "--run-id", "none"), 1, "none"),
        (("partitions", "clear", "-d", "other", "-k", "x"), 1, "other"),
        (("dags", "clear", "daily"), 2, "give one of --run-id"),
        (("dags", "clear", "daily", "--run-id", "r1", "--partition-key", "x"), 2, "give one of --run-id"),
        (("dags", "clear", "other", "--partition-key", "x"), 1, "other"),
    ],
)
def test_what_names_no_runs_is_refused(daily: CliDeployment, words: tuple[str, ...], code: int, said: str) -> None:
    """B1: bad input."""
    assert said in daily.run(*words, code=code)
