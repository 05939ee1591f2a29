"""A schedule that needs times and assets, and runs that have to be over in time: what pages show of such."""

from datetime import datetime, timedelta

from airflow.sdk import (
    Asset,
    AssetAndTimeSchedule,
    CronDataIntervalTimetable,
    DeadlineAlert,
    DeadlineReference,
    SyncCallback,
    dag,
    task,
)

LEDGER = Asset("ledger", uri="s3://shop/ledger.parquet", group="finance")
ORDERS = Asset("orders", uri="s3://shop/orders.parquet", group="finance")


def tell() -> None:
    print("the figures are late")


def alert(name: str, **interval: float) -> DeadlineAlert:
    return DeadlineAlert(
        name=name,
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=timedelta(**interval),
        callback=SyncCallback(tell),
    )


@dag(
    # Ticks are at midnight, so that one waits whatever time it is; the assets are never updated.
    schedule=AssetAndTimeSchedule(
        timetable=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"), assets=LEDGER & ORDERS
    ),
    start_date=datetime(2026, 1, 1),
    catchup=False,
    tags=["finance"],
    default_args={"owner": "finance"},
    deadline=[alert("while it is fresh", seconds=0.01), alert("for the board", hours=20)],
)
def daily_margins():
    @task.sensor(poke_interval=3_600, mode="reschedule")
    def books_are_closed() -> bool:
        return False

    books_are_closed()


daily_margins()
