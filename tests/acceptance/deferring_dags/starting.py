"""Tasks that begin with a trigger: from plain values, from templates, mapped, and mapped over what others returned."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from airflow.providers.standard.sensors.date_time import DateTimeSensorAsync
from airflow.sdk import DAG, Asset
from bells import note
from sayings import Says

FOLDER = os.environ["ACCEPTANCE_FOLDER"]
START = datetime(2026, 1, 1, tzinfo=UTC)

note(f"{FOLDER}/starting.imported", Path("/proc/self/cmdline").read_text().split("\0")[0] + "\n")


def called(context):
    """A callback."""
    note(f"{FOLDER}/starting.called", f"{context['ti'].task_id} {context.get('exception')}\n")


BOTH = {"start_from_trigger": True, "end_from_trigger": True}

with DAG("starting", schedule=None, start_date=START, user_defined_macros={"loud": str.upper}):
    DateTimeSensorAsync(task_id="plain", target_time="2026-01-01T00:00:00+00:00", **BOTH)
    DateTimeSensorAsync(task_id="templated", target_time="{{ dag_run.run_after }}", **BOTH)
    DateTimeSensorAsync.partial(task_id="mapped", **BOTH).expand(
        target_time=["2026-01-01T00:00:00+00:00", "{{ dag_run.run_after }}"]
    )
    Says(task_id="skips", words="no", end="skipped", on_skipped_callback=called) >> Says(task_id="unsaid", words="?")
    Says(
        task_id="fails",
        words="never",
        end="failed",
        retries=1,
        retry_delay=timedelta(seconds=0.1),
        on_retry_callback=called,
        on_failure_callback=called,
    )
    first = Says(
        task_id="first",
        words=["{{ loud(var.value.color) }}", "{{ ti.task_id }}"],
        outlets=[Asset("said")],
        on_success_callback=called,
    )
    second = Says.partial(task_id="second", map_index_template="{{ task.words }}").expand(words=first.output)
    Says(task_id="third", words="{{ ti.xcom_pull('second') | list }}").set_upstream(second)
