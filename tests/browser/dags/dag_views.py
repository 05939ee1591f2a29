"""What the browser tests of a DAG's views look at. One of them writes a second version of this file."""

from datetime import datetime, timedelta

from airflow.sdk import Label, dag, task, task_group

EVIL = "<img src=x onerror=\"document.title='hacked'\">"
SIZE = 3


@dag(
    schedule="@daily",
    start_date=datetime(2026, 1, 1),
    catchup=False,
    is_paused_upon_creation=True,
    doc_md=f"# Winding\n\nGoes **round** {EVIL} [here](javascript:alert(1))",
    params={"size": SIZE},
)
def winding():
    @task(retries=1, retry_delay=timedelta(seconds=0))
    def stumble(**context: object) -> list[int]:
        if context["ti"].try_number == 1:  # type: ignore[attr-defined]
            raise RuntimeError("once")
        return list(range(context["params"]["size"]))  # type: ignore[index]

    @task_group
    def around():
        @task
        def turn(number: int) -> int:
            return number

        turn.expand(number=begun)

    @task
    def arrive() -> None:
        print("arrived")

    @task
    def aside() -> None:
        print("aside")

    begun = stumble()
    begun >> around() >> Label("at last") >> arrive()
    aside()


winding()
