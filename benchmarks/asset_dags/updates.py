"""The DAGs of the benchmark `asset_runs`: one that updates an asset, one that waits for it, and one that gathers many
updates in one run. What its tasks need at most, they note in `peaks.txt` in the folder above."""

import os
from pathlib import Path
from typing import Any

from airflow.sdk import DAG, Asset, task

PEAKS = Path(__file__).parent.parent / "peaks.txt"
UPDATED, MANY, ENOUGH = Asset("updated"), Asset("many"), Asset("enough")


def note_peak(name: str, number: int) -> None:
    """The most memory that this process has had."""
    status = Path("/proc/self/status").read_text()
    (kilobytes,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    file = os.open(PEAKS, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{name} {kilobytes} {number}\n".encode())
    os.close(file)


with DAG("producer", schedule=None, catchup=False):

    @task(outlets=[UPDATED])
    def update() -> None:
        """Do nothing but update the asset."""

    update()

with DAG("consumer", schedule=[UPDATED], catchup=False):

    @task
    def begin() -> None:
        """Do nothing."""

    begin()

with DAG("gatherer", schedule=(MANY & ENOUGH), catchup=False):

    @task
    def ignore() -> None:
        """Not look at the updates."""
        note_peak("ignore", 0)

    @task
    def count(triggering_asset_events: Any = None) -> None:
        """Look at each of the updates, one after the other."""
        note_peak("count", sum(1 for _ in triggering_asset_events[MANY]))

    ignore() >> count()
