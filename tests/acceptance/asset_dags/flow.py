"""A DAG that updates an asset, and DAGs that run for it."""

from airflow.sdk import DAG, Asset, AssetAlias, Metadata, task

orders = Asset("orders", uri="s3://shop/orders")
daily = AssetAlias("daily")

with DAG("load", schedule=None):

    @task(outlets=[orders, daily])
    def load():
        yield Metadata(orders, {"rows": 7})
        yield Metadata(Asset("found", uri="s3://shop/found"), extra={"rows": 8}, alias=daily)

    load()

for dag_id, schedule in (("report", orders), ("for_alias", daily)):
    with DAG(dag_id, schedule=schedule):

        @task
        def tell(dag_run=None, triggering_asset_events=None):
            # An event that came through an alias is there under the alias too.
            rows = sorted({event.extra["rows"] for events in triggering_asset_events.values() for event in events})
            return {"rows": rows, "type": dag_run.run_type, "from": dag_run.consumed_asset_events[0].source_task_id}

        tell()
