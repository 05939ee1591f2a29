"""Tasks that need everything that a worker asks of the engine."""

import os
import time
from datetime import timedelta
from pathlib import Path

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import DAG, BaseHook, Variable, get_current_context, task

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))


def note(word: str) -> None:
    """Write down that a try began."""
    context = get_current_context()
    with (FOLDER / context["run_id"]).open("a") as file:
        file.write(f"{word} {context['ti'].try_number}\n")


with DAG("remote", schedule=None, default_args={"retry_delay": timedelta(0)}):

    @task
    def list_numbers() -> list[int]:
        print("this was said far away")  # noqa: T201
        return [1, 2, 2**80]

    @task
    def double(number: int) -> int:
        return 2 * number

    @task
    def add(numbers) -> int:
        return sum(numbers)

    @task
    def look_up() -> list:
        connection = BaseHook.get_connection("warehouse")
        Variable.set("seen", "yes")
        return [
            Variable.get("colour"),
            Variable.get("shade"),
            connection.host,
            connection.password,
            Variable.get("seen"),
        ]

    @task(retries=2)
    def fails_once(ti=None) -> int:
        note("fails_once")
        if ti.try_number == 1:
            raise RuntimeError("not yet")
        return ti.try_number

    @task
    def sees_no_secret() -> list[str]:
        return sorted(name for name in os.environ if "SQL_ALCHEMY" in name or "SECRET" in name)

    add(double.expand(number=list_numbers()))
    look_up(), fails_once(), sees_no_secret()
    HITLOperator(task_id="ask", subject="?", options=["a", "b"], defaults="b", response_timeout=timedelta(seconds=0.1))
    TriggerDagRunOperator(
        task_id="trigger", trigger_dag_id="held", trigger_run_id="{{ run_id }}_held", wait_for_completion=False
    )

with DAG("held", schedule=None):

    @task
    def hold(ti=None) -> str:
        note("hold")
        while not (FOLDER / f"{ti.run_id}.go").exists():
            time.sleep(0.01)
        return "held"

    @task
    def after(word: str) -> str:
        note("after")
        return word.upper()

    after(hold())
