"""A file that takes as long to import as the test wants."""

import os
import time
from datetime import timedelta
from pathlib import Path

from airflow.sdk import DAG, task

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))

# The DAG processor reads the file as well, and is not to be held up.
if "TRADEWIND_WORKER" in os.environ and (FOLDER / "hold imports").exists():
    with (FOLDER / "importing").open("a") as file:
        file.write(f"{os.getpid()}\n")
    while (FOLDER / "hold imports").exists():
        time.sleep(0.01)

with DAG("held_in_import", schedule=None, default_args={"retries": 2, "retry_delay": timedelta(0)}):

    @task
    def after_import(ti=None) -> int:
        return ti.try_number

    after_import()
