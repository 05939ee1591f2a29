"""A schedule that needs a time and an asset: its newest tick waits until somebody updates the asset."""

from datetime import datetime

from airflow.sdk import Asset, AssetAndTimeSchedule, CronDataIntervalTimetable, dag, task

SUPPLIER = Asset("supplier_prices")


@dag(
    schedule=AssetAndTimeSchedule(timetable=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"), assets=SUPPLIER),
    start_date=datetime(2026, 1, 1),
    catchup=False,
)
def gated():
    @task
    def weigh() -> str:
        return "weighed"

    weigh()


gated()
