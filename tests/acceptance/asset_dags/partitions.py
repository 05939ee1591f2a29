"""Hours are loaded, a day is made of all of them, and whoever waits for days is told which."""

from airflow.sdk import (
    DAG,
    Asset,
    DayWindow,
    PartitionedAssetTimetable,
    PartitionedAtRuntime,
    RollupMapper,
    StartOfDayMapper,
    task,
)

hours, days = Asset("hours"), Asset("days")

with DAG("load_hours", schedule=PartitionedAtRuntime()):

    @task(outlets=[hours])
    def load(outlet_events):
        outlet_events[hours].add_partitions([f"2026-01-01T{hour:02}:00:00" for hour in range(24)])

    load()

with DAG(
    "make_day",
    schedule=PartitionedAssetTimetable(
        assets=hours,
        partition_mapper_config={hours: RollupMapper(upstream_mapper=StartOfDayMapper(), window=DayWindow())},
    ),
):

    @task(outlets=[days])
    def tell(partition_key, partition_date, triggering_asset_events):
        return [partition_key, partition_date.isoformat(), len(triggering_asset_events[hours])]

    tell()

with DAG("use_day", schedule=PartitionedAssetTimetable(assets=days)):

    @task
    def tell(partition_key, partition_date, triggering_asset_events):
        return [partition_key, partition_date.isoformat(), len(triggering_asset_events[days])]

    tell()
