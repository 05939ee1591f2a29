"""Sensors: in their process, between processes, for other DAGs."""

import os
from pathlib import Path

from airflow.providers.standard.sensors.external_task import ExternalTaskMarker, ExternalTaskSensor
from airflow.providers.standard.sensors.python import PythonSensor
from airflow.sdk import DAG, PokeReturnValue, task

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))
# Airflow takes a task for lost that comes back from a shorter wait while its executor still tells of its end.
BETWEEN_S = float(os.environ.get("ACCEPTANCE_BETWEEN_S", "5"))


def third_poke(ti) -> bool:
    """Note each poke; what is waited for is there at the third."""
    notes = FOLDER / f"pokes of {ti.dag_id} {ti.run_id} {ti.task_id}".replace("/", "_").replace(":", "_")
    with notes.open("a") as file:
        file.write("poke\n")
    return len(notes.read_text().splitlines()) >= 3


def never() -> bool:
    return False


def broken() -> bool:
    raise RuntimeError("as it should")


with DAG("pokes", schedule=None):
    poke = PythonSensor(task_id="poke", python_callable=third_poke, poke_interval=BETWEEN_S)
    PythonSensor(task_id="reschedule", python_callable=third_poke, poke_interval=BETWEEN_S, mode="reschedule")
    PythonSensor(
        task_id="more_and_more",
        python_callable=third_poke,
        poke_interval=BETWEEN_S,
        mode="reschedule",
        exponential_backoff=True,
        max_wait=2,
    )

    @task.sensor(poke_interval=0.2, timeout=30)
    def says_what() -> PokeReturnValue:
        return PokeReturnValue(is_done=True, xcom_value="what was found")

    @task
    def take(value: str) -> str:
        return value

    take(says_what())

with DAG("gives_up", schedule=None):
    waits = {"python_callable": never, "poke_interval": BETWEEN_S, "timeout": 1}
    PythonSensor(task_id="poke", **waits)
    PythonSensor(task_id="reschedule", mode="reschedule", retries=3, **waits)
    soft = PythonSensor(task_id="soft_poke", soft_fail=True, **waits)
    soft >> PythonSensor(task_id="after_soft", python_callable=lambda: True)
    PythonSensor(task_id="soft_reschedule", soft_fail=True, mode="reschedule", **waits)
    PythonSensor(task_id="broken", python_callable=broken)
    PythonSensor(task_id="softly_broken", python_callable=broken, soft_fail=True)
    PythonSensor(task_id="never_fails", python_callable=broken, never_fail=True)

with DAG("parent", schedule=None):

    @task
    def works() -> None:
        pass

    @task
    def fails() -> None:
        raise RuntimeError("as it should")

    works() >> ExternalTaskMarker(task_id="mark", external_dag_id="child", external_task_id="wait_for_task")
    fails()

with DAG("child", schedule=None):
    ExternalTaskSensor(
        task_id="wait_for_task", external_dag_id="parent", external_task_id="mark", poke_interval=0.5, timeout=120
    )
    ExternalTaskSensor(
        task_id="wait_for_run",
        external_dag_id="parent",
        allowed_states=["failed"],
        poke_interval=BETWEEN_S,
        timeout=120,
        mode="reschedule",
    )
    ExternalTaskSensor(
        task_id="see_it_fail",
        external_dag_id="parent",
        external_task_id="fails",
        failed_states=["failed"],
        poke_interval=0.5,
        timeout=120,
    )
    ExternalTaskSensor(
        task_id="skip_with_it",
        external_dag_id="parent",
        external_task_id="fails",
        skipped_states=["failed"],
        poke_interval=0.5,
        timeout=120,
    )
    ExternalTaskSensor(
        task_id="unknown_task",
        external_dag_id="parent",
        external_task_id="there_is_none",
        check_existence=True,
        poke_interval=0.5,
        timeout=2,
    )
