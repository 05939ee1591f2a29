"""Ships, for what the browser tests do with grid and graph. One of them writes a second version of this file."""

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import Asset, chain, dag, setup, task, task_group, teardown

tide = Asset("tide", uri="sea://tide")
cargo = Asset("cargo", uri="quay://cargo")


@dag(schedule=[tide], tags=["harbour"])
def harbour():
    @setup
    def moor() -> None:
        print("moored")

    @task_group
    def unload() -> None:
        @task
        def open_hold() -> None:
            print("open")

        @task(outlets=[cargo])
        def lift() -> None:
            print("lifted")

        open_hold() >> lift()

    @task
    def weigh() -> None:
        raise RuntimeError("the scales are broken")

    @teardown
    def cast_off() -> None:
        print("gone")

    tell = TriggerDagRunOperator(task_id="tell", trigger_dag_id="ledger")
    chain(moor(), unload(), weigh(), tell, cast_off())


@dag(schedule=[cargo], tags=["harbour"])
def ledger():
    @task
    def book() -> None:
        print("booked")

    book()


harbour()
ledger()
