"""The sensors and operators of the standard set that can wait in a triggerer."""

import os
from datetime import UTC, datetime, timedelta

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.providers.standard.sensors.date_time import DateTimeSensorAsync
from airflow.providers.standard.sensors.external_task import ExternalTaskSensor
from airflow.providers.standard.sensors.filesystem import FileSensor
from airflow.providers.standard.sensors.time_delta import TimeDeltaSensorAsync
from airflow.sdk import DAG, task

FOLDER = os.environ["ACCEPTANCE_FOLDER"]
START = datetime(2026, 1, 1, tzinfo=UTC)

with DAG("other", schedule=None, start_date=START):

    @task
    def works():
        return "worked"

    works()

with DAG("standard_set", schedule=None, start_date=START):
    (
        DateTimeSensorAsync(task_id="date_time", target_time="{{ dag_run.run_after + macros.timedelta(seconds=1) }}")
        >> task.bash(task_id="after")(lambda: f"sleep 0.1; touch {FOLDER}/standard_set.file")()
    )
    DateTimeSensorAsync(
        task_id="from_start_to_end",
        target_time="{{ dag_run.run_after + macros.timedelta(seconds=1) }}",
        start_from_trigger=True,
        end_from_trigger=True,
    )
    TimeDeltaSensorAsync(task_id="time_delta", delta=timedelta(seconds=0.5))
    FileSensor(task_id="file", filepath=f"{FOLDER}/standard_set.file", poke_interval=0.1, deferrable=True)
    asks = TriggerDagRunOperator(
        task_id="asks",
        trigger_dag_id="other",
        trigger_run_id="asked_by_{{ run_id }}",
        logical_date="{{ logical_date }}",
        wait_for_completion=True,
        poke_interval=0.1,
        deferrable=True,
    )
    looks = ExternalTaskSensor(
        task_id="looks", external_dag_id="other", external_task_id="works", poke_interval=0.1, deferrable=True
    )
