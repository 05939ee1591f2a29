"""A DAG whose runs are always late, by every way of counting, and two functions that are told of it."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import (
    DAG,
    AsyncCallback,
    BaseDeadlineReference,
    DeadlineAlert,
    DeadlineReference,
    SyncCallback,
    Variable,
    deadline_reference,
)
from airflow.sdk.definitions.deadline import VariableInterval


def write(name, context):
    line = [name, context["dag_run"]["run_id"], Variable.get("whom")]
    with Path(os.environ["ACCEPTANCE_FOLDER"], "told").open("a") as file:
        file.write(json.dumps(line) + "\n")


def tell(name, context):
    write(name, context)


async def tell_later(name, context):
    write(name, context)


def break_down(context):
    raise ValueError("nobody is at home")


@deadline_reference
class Yesterday(BaseDeadlineReference):
    required_kwargs = frozenset({"run_after"})

    def _evaluate_with(self, *, session, run_after, **kwargs):
        return run_after - timedelta(days=1)


LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
BEFORE = timedelta(seconds=-1)


def alert(name, reference, interval=BEFORE, kind=SyncCallback, function=tell):
    kwargs = {} if function is break_down else {"name": name}
    return DeadlineAlert(reference, interval, kind(function, kwargs=kwargs), name=name)


ALERTS = [
    alert("queued", DeadlineReference.DAGRUN_QUEUED_AT),
    alert("queued, later", DeadlineReference.DAGRUN_QUEUED_AT, kind=AsyncCallback, function=tell_later),
    alert("logical date", DeadlineReference.DAGRUN_LOGICAL_DATE, kind=AsyncCallback, function=tell_later),
    alert("fixed", DeadlineReference.FIXED_DATETIME(LONG_AGO)),
    alert("average", DeadlineReference.AVERAGE_RUNTIME(max_runs=5, min_runs=1), timedelta(days=-1)),
    alert("of the author", DeadlineReference.Yesterday),
    alert("in a variable", DeadlineReference.DAGRUN_QUEUED_AT, VariableInterval("patience")),
    alert("broken", DeadlineReference.DAGRUN_QUEUED_AT, function=break_down),
    alert("in time", DeadlineReference.DAGRUN_QUEUED_AT, timedelta(days=1)),
]

with DAG("late", schedule=None, deadline=ALERTS):
    EmptyOperator(task_id="a")
