"""A run that is late whenever it runs: what the pages of deadlines show."""

from datetime import datetime, timedelta

from airflow.sdk import DeadlineAlert, DeadlineReference, SyncCallback, dag, task


def call_the_captain() -> None:
    print("the captain was called")


@dag(
    schedule=None,
    start_date=datetime(2026, 1, 1),
    deadline=DeadlineAlert(
        name="before the ebb",
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=timedelta(seconds=0.01),
        callback=SyncCallback(call_the_captain),
    ),
)
def late():
    @task
    def sail() -> None:
        print("sailed")

    sail()


late()
