"""Sensors that look in a worker and wait in the triggerer (D2, E2)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.instants import utc
from tradewind.sdk import DAG, PokeReturnValue, task
from tradewind.sdk.standard.bash_sensor import BashSensor
from tradewind.sdk.standard.python_sensor import PythonSensor
from tradewind.sdk.standard.time_delta_sensor import WaitSensor
from tradewind.sdk.standard.weekday import DayOfWeekSensor
from tradewind.testing import run_dag

MONDAY = utc("2026-03-02 12:00")


def test_a_function_is_asked_again_after_each_wait() -> None:
    """One try, an attempt for each look: between them it has no worker."""
    looks: list[int] = []
    with DAG("d", schedule=None) as dag:

        @task.sensor(deferrable=True, poke_interval=60, timeout=3600)  # type: ignore[untyped-decorator]
        def wait(ti: Any) -> PokeReturnValue:
            looks.append(ti.try_number)
            return PokeReturnValue(len(looks) == 3, xcom_value="found")

        wait()

    result = run_dag(dag, now=MONDAY).check()

    assert looks == [1, 1, 1]
    assert result["wait"].value == "found"
    assert timedelta(seconds=120) <= result["wait"].duration <= timedelta(seconds=125)


def test_a_command_sees_what_others_did_meanwhile(tmp_path: Path) -> None:
    with DAG("d", schedule=None) as dag:
        BashSensor(task_id="wait", bash_command=f"test -e {tmp_path}/file", deferrable=True, poke_interval=60)

        @task
        def write() -> None:
            (tmp_path / "file").touch()

        WaitSensor(task_id="later", time_to_wait=timedelta(minutes=5), deferrable=True) >> write()

    result = run_dag(dag, now=MONDAY).check()

    assert result["wait"].duration >= timedelta(minutes=5)


@pytest.mark.parametrize(
    ("arguments", "state", "reason"),
    [
        ({}, "failed", "AirflowSensorTimeout"),
        ({"soft_fail": True}, "skipped", "waited"),
        ({"exponential_backoff": True, "max_wait": 100}, "failed", "AirflowSensorTimeout"),
    ],
)
def test_it_gives_up_after_its_timeout(arguments: dict[str, Any], state: str, reason: str) -> None:
    """Over all looks, wherever they were."""
    with DAG("d", schedule=None) as dag:
        PythonSensor(
            task_id="wait", python_callable=lambda: False, deferrable=True, poke_interval=60, timeout=600, **arguments
        )

    result = run_dag(dag, now=MONDAY)

    assert (result["wait"].state, reason in str(result["wait"].reason)) == (state, True)
    assert timedelta(seconds=600) < result["wait"].duration <= timedelta(seconds=800)


@pytest.mark.parametrize(
    ("arguments", "state"),
    [({"silent_fail": True}, "success"), ({"never_fail": True}, "skipped"), ({"soft_fail": True}, "failed")],
)
def test_an_error_in_a_later_look_means_what_it_means_in_the_first(arguments: dict[str, Any], state: str) -> None:
    answers: list[Any] = [False, ValueError("boom"), True]

    def look() -> bool:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return bool(answer)

    with DAG("d", schedule=None) as dag:
        PythonSensor(task_id="wait", python_callable=look, deferrable=True, poke_interval=60, **arguments)

    assert run_dag(dag, now=MONDAY)["wait"].state == state


def test_a_day_of_the_week_is_waited_for_until_it_begins() -> None:
    """Once, however far it is: nobody looks in between. The day of a logical date never comes."""
    with DAG("d", schedule=None) as dag:
        DayOfWeekSensor(task_id="today", week_day="Monday", deferrable=True)
        DayOfWeekSensor(task_id="wednesday", week_day={"Wednesday", "Friday"}, deferrable=True)
        DayOfWeekSensor(task_id="never", week_day="Friday", use_task_logical_date=True, deferrable=True, timeout=600)

    result = run_dag(dag, now=MONDAY, logical_date=MONDAY)

    assert {name: result[name].state for name in ("today", "wednesday", "never")} == {
        "today": "success",
        "wednesday": "success",
        "never": "failed",
    }
    assert result["wednesday"].duration == pytest.approx(timedelta(hours=36), abs=timedelta(seconds=5))
    assert "AirflowSensorTimeout" in str(result["never"].reason)
