"""Tasks that begin with a trigger, and go on in a worker."""

from datetime import UTC, datetime

from airflow.sdk import DAG
from sayings import Perhaps, Says

with DAG("going_on", schedule=None, start_date=datetime(2026, 1, 1, tzinfo=UTC)):
    Says(task_id="goes_on", words="ding", end="event")
    Perhaps.partial(task_id="perhaps").expand(words=["here", "there"])
    Says(task_id="wrong", words="{{ no_such_macro() }}")
