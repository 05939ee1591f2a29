"""A shop: what the screenshots show. Tasks do nothing that takes time; history.py gives the past its durations."""

import os
from datetime import datetime, timedelta
from pathlib import Path

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Asset, Label, Param, dag, task, task_group
from airflow.sdk.bases.operator import chain

START = datetime(2026, 1, 1)
PRICES = Asset("prices", uri="s3://shop/prices.parquet", group="catalogue")
STOCK = Asset("stock_levels", uri="s3://shop/stock.parquet", group="catalogue")


@dag(
    schedule="0 6 * * *",
    start_date=START,
    tags=["finance", "daily"],
    default_args={"owner": "finance"},
    description="Orders, customers and refunds become the figures of the day.",
    doc_md="# Sales report\n\nRuns every morning at six. Ask **finance** before you clear a run of a closed month.",
)
def sales_report():
    @task_group
    def extract() -> None:
        for source in ("orders", "customers", "refunds"):

            @task(task_id=source)
            def read(name: str) -> int:
                print(f"reading {name} from the shop's database")
                return len(name) * 1_000

            read(source)

    @task_group
    def transform() -> None:
        @task
        def join() -> None:
            print("21,000 rows joined")

        @task
        def exchange_rates() -> None:
            print("EUR 1.00, USD 1.09, JPY 171.3")

        @task
        def totals() -> dict[str, float]:
            return {"revenue": 183_204.5, "refunds": 2_110.0}

        chain([join(), exchange_rates()], totals())

    @task.branch
    def is_month_end() -> str:
        return "publish"

    @task
    def close_month() -> None:
        print("the month is closed")

    @task
    def publish() -> None:
        print("published to the dashboard")

    choice = is_month_end()
    extract() >> transform() >> choice
    choice >> Label("last day") >> close_month()
    choice >> Label("any day") >> publish()


@dag(schedule="*/15 * * * *", start_date=START, tags=["events"], default_args={"owner": "platform"}, catchup=False)
def ingest_events():
    """Clicks of the web site, a copy of one task for each partition."""

    @task
    def partitions() -> list[str]:
        return [f"partition-{number:02}" for number in range(8)]

    @task(retries=2, retry_delay=timedelta(seconds=30))
    def load(name: str) -> int:
        print(f"{name}: 4,096 events")
        return 4_096

    @task
    def compact(counts: list[int]) -> None:
        print(f"{sum(counts)} events in one file")

    compact(load.expand(name=partitions()))


@dag(
    schedule="@weekly",
    start_date=START,
    tags=["ml"],
    default_args={"owner": "data science"},
    params={
        "model": Param("gradient boosting", enum=["gradient boosting", "linear"], description="What to train."),
        "epochs": Param(20, type="integer", minimum=1, maximum=500, description="How often to look at the data."),
        "since": Param("2026-01-01", type="string", format="date", description="Leave older orders out."),
        "features": Param(["price", "season"], type="array", examples=["price", "season", "weather", "stock"]),
        "notify": Param(True, type="boolean", description="Tell the channel when it is done."),
        "overrides": Param({}, type="object", description="Anything else, as JSON."),
    },
)
def train_model():
    @task
    def sample() -> int:
        print("180,000 orders sampled")
        return 180_000

    @task
    def train(**context: object) -> None:
        print("epoch  1  loss 0.913")
        print("epoch  2  loss 0.684")
        print("epoch  3  loss 0.577")
        # That of its schedule goes on: two cannot make the same gate.
        if context["dag_run"].run_type == "manual":  # type: ignore[attr-defined]
            os.mkfifo(gate := os.environ["DEMO_GATE"])
            Path(gate).read_text()

    @task
    def evaluate() -> None:
        print("AUC 0.87")

    chain(sample(), train(), evaluate())


@dag(schedule="30 * * * *", start_date=START, tags=["catalogue"], default_args={"owner": "catalogue"})
def refresh_prices():
    @task(outlets=[PRICES])
    def fetch_prices() -> None:
        print("12,480 prices fetched")

    @task(outlets=[STOCK])
    def fetch_stock() -> None:
        print("stock levels of 3 warehouses")

    fetch_prices()
    fetch_stock()


@dag(schedule=[PRICES, STOCK], start_date=START, tags=["catalogue"], default_args={"owner": "catalogue"})
def publish_catalogue():
    @task
    def build_pages() -> None:
        print("4,160 pages built")

    @task
    def warm_cache() -> None:
        print("cache is warm")

    build_pages() >> warm_cache()


@dag(schedule=None, start_date=START, tags=["release"], default_args={"owner": "platform"})
def release_shop():
    @task
    def build() -> str:
        print("image shop:4.12 built")
        return "shop:4.12"

    approve = ApprovalOperator(
        task_id="approve",
        subject="Release shop 4.12 to all customers?",
        body="All checks passed. The last release was 3 days ago.",
    )

    @task
    def roll_out() -> None:
        print("rolled out")

    build() >> approve >> roll_out()


@dag(schedule="0 2 * * *", start_date=START, tags=["operations", "daily"], default_args={"owner": "operations"})
def nightly_backup():
    @task
    def dump() -> None:
        print("pg_dump: 41 GB")

    @task
    def upload(**context: object) -> None:
        print("connecting to backup.example:22")
        raise ConnectionError("backup.example:22 refused the connection after 3 tries")

    @task(trigger_rule="all_done")
    def remove_old() -> None:
        print("kept 30 of 31")

    dump() >> upload() >> remove_old()


@dag(schedule="@monthly", start_date=START, tags=["finance"], default_args={"owner": "finance"})
def tax_return():
    @task
    def collect() -> None:
        print("collected")

    collect()


sales_report()
ingest_events()
train_model()
refresh_prices()
publish_catalogue()
release_shop()
nightly_backup()
tax_return()
