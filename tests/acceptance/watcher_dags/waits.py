"""More of what tasks can wait for in a triggerer."""

import os
from datetime import UTC, datetime
from pathlib import Path

from airflow.providers.http.sensors.http import HttpSensor
from airflow.providers.standard.sensors.date_time import DateTimeSensor
from airflow.sdk import DAG, BaseOperator

from tradewind.sdk.standard.process_trigger import ProcessExitTrigger

FOLDER = os.environ["ACCEPTANCE_FOLDER"]


class Process(BaseOperator):
    """Waits for the end of a process that somebody else started."""

    def execute(self, context):
        pid = int(Path(f"{FOLDER}/pid").read_text())
        self.defer(trigger=ProcessExitTrigger(pid, poke_interval=0.05), method_name="ended")

    def ended(self, context, event):
        return event["status"]


with DAG("waits", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=UTC)):
    HttpSensor(task_id="http", endpoint="ready", poke_interval=0.05, deferrable=True)
    DateTimeSensor(
        task_id="instant", target_time="{{ dag_run.run_after + macros.timedelta(seconds=1) }}", deferrable=True
    )
    Process(task_id="process")
