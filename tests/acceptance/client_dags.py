"""The DAGs that clients of the REST API are tested with, and a deployment that runs them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.acceptance.deployment import until
from tests.acceptance.standalone import Standalone, free_port, standing

PASSWORD: Final = "opensesame"
FILES: Final = {
    "sums": """
from tradewind.sdk import Asset, AssetAlias, dag, task, task_group

@dag(schedule=None, params={"numbers": [1, 2]}, tags=["clients"], is_paused_upon_creation=False)
def sums():
    @task(outlets=[Asset("totals"), AssetAlias("some_totals")])
    def add(params: dict) -> int:
        print("adding", params["numbers"])
        return sum(params["numbers"])

    @task(retries=1, retry_delay=0)
    def hesitate(ti=None) -> None:
        print("attempt", ti.try_number)
        if ti.try_number == 1:
            raise RuntimeError("not yet")

    @task_group
    def squares(total):
        @task
        def square(number: int) -> int:
            return number * number

        square.expand(number=[1, 2]) << total

    squares(add())
    hesitate()

sums()
""",
    "report": """
from tradewind.sdk import Asset, dag, task

@dag(schedule=[Asset("totals"), Asset("prices")], is_paused_upon_creation=False)
def report():
    @task
    def write() -> None:
        print("written")

    write()

report()
""",
    "patient": """
from tradewind.sdk import Asset, dag, task

@dag(schedule=[Asset("prices"), Asset("what_nobody_updates")], is_paused_upon_creation=False)
def patient():
    @task
    def go_on() -> None:
        print("at last")

    go_on()

patient()
""",
    "daily": """
from datetime import datetime, timezone
from tradewind.sdk import dag, task

@dag(schedule="@daily", start_date=datetime(2024, 1, 1, tzinfo=timezone.utc), catchup=False)
def daily():
    @task
    def look() -> None:
        print("looked")

    look()

daily()
""",
    "spare": """
from tradewind.sdk import dag, task

@dag(schedule=None)
def spare():
    @task
    def rest() -> None:
        print("rested")

    rest()

spare()
""",
    "permit": """
from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Param, dag

@dag(schedule=None, is_paused_upon_creation=False)
def permit():
    ApprovalOperator(
        task_id="ask",
        subject="Build it?",
        body="*Soon*",
        params={"height": Param(3, type="integer")},
        assigned_users=[{"id": "admin", "name": "Ada"}],
    )
    ApprovalOperator(task_id="ask_others", subject="Paint it?", assigned_users=[{"id": "ann", "name": "Ann"}])

permit()
""",
    "doomed": "from tradewind.sdk import DAG\n\ndoomed = DAG('doomed', schedule=None)\n",
    "broken": "from tradewind.sdk import dag, a_name_that_nobody_has\n",
}
DAG_IDS: Final = {"sums", "report", "patient", "daily", "spare", "permit", "doomed"}


@contextmanager
def deployed_for_clients(folder: Path) -> Iterator[Standalone]:
    """All of it, with every file read, and an administrator of a known password."""
    dags_folder = folder / "dags"
    dags_folder.mkdir()
    for name, text in FILES.items():
        (dags_folder / f"{name}.py").write_text(text, encoding="utf-8")
    variables = {
        "TRADEWIND_ADMIN_PASSWORD": PASSWORD,
        "TRADEWIND__API__EXPOSE_CONFIG": "True",
        "TRADEWIND__CORE__TEST_CONNECTION": "Enabled",
    }
    with standing(folder / "home", free_port(), dags_folder=dags_folder, variables=variables) as made:
        assert made.log_in(PASSWORD) == 201
        until(lambda: made.ask("GET", "/api/v2/dags")[1]["total_entries"] == len(DAG_IDS), "the DAGs to be read")
        until(lambda: made.ask("GET", "/api/v2/importErrors")[1]["total_entries"] == 1, "the broken file to be read")
        yield made
