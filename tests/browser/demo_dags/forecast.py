"""A file that cannot be imported: pages show why."""

from airflow.sdk import dag
from prophet import Prophet

MODEL = Prophet


@dag(schedule="@daily")
def forecast(): ...


forecast()
