"""Assets, for what the browser tests look at around DAGs."""

from datetime import datetime

from airflow.sdk import Asset, dag, task

tea = Asset("tea", uri="kitchen://tea")


@dag(schedule="@yearly", start_date=datetime(2026, 1, 1), tags=["kitchen", "hot"])
def brew():
    @task(outlets=[tea])
    def pour() -> None:
        print("poured")

    pour()


@dag(schedule=[tea], start_date=datetime(2026, 1, 1), tags=["kitchen"])
def drink():
    @task
    def sip() -> None:
        print("sipped")

    sip()


brew()
drink()
