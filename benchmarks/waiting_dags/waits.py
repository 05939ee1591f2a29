"""The DAGs of the benchmark `waiting`: `waits_<n>` go on in a worker, `begins_<n>` begin and end with their triggers.

`sizes.txt` beside this file says which there are; `at.txt` is the instant at which the triggers of the latter fire.
"""

import os
import time
from pathlib import Path
from typing import Any

from airflow.providers.standard.sensors.date_time import DateTimeSensorAsync
from airflow.sdk import DAG, BaseOperator

HERE = Path(__file__).parent
AT = (HERE / "at.txt").read_text()
HEARD = HERE.parent / "heard.txt"


class Waits(BaseOperator):
    """Notes when it goes on. That it waits is in the database before it had a worker."""

    def execute(self, context: Any) -> None:
        """To warm the worker up."""

    def go_on(self, context: Any, event: Any) -> None:
        """Its trigger has fired."""
        line = f"{event.timestamp()} {time.time()}\n".encode()
        file = os.open(HEARD, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line)
        os.close(file)


for line in (HERE / "sizes.txt").read_text().splitlines():
    kind, size = line.split()
    with DAG(f"{kind}_{size}", schedule=None, catchup=False, max_active_tasks=10_000) as dag:
        for number in range(int(size)):
            if kind == "waits":
                Waits(task_id=f"t{number:05d}")
            else:
                DateTimeSensorAsync(
                    task_id=f"t{number:05d}", target_time=AT, start_from_trigger=True, end_from_trigger=True
                )
    globals()[dag.dag_id] = dag
