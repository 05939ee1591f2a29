"""Runs that a timetable makes, of which only the latest matters."""

import pendulum
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.latest_only import LatestOnlyOperator
from airflow.sdk import DAG

with DAG("regular", schedule="@yearly", start_date=pendulum.datetime(2024, 1, 1, tz="UTC"), catchup=True):
    latest = LatestOnlyOperator(task_id="latest")
    latest >> EmptyOperator(task_id="only_now") >> EmptyOperator(task_id="also_only_now")
    latest >> EmptyOperator(task_id="anyway", trigger_rule="all_done")
    EmptyOperator(task_id="beside")
