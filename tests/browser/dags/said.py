"""What is run by keyboard."""

from datetime import datetime

from airflow.sdk import dag, task


@dag(schedule=None, start_date=datetime(2026, 1, 1))
def said():
    @task
    def say() -> None:
        print("said by keyboard")

    say()


said()
