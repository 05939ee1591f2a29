"""The lives of service processes, by the names that Airflow has for them."""

from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing
from tradewind.storage.schema import job
from tradewind.storage.types import Instant

_NAMES: Final = {
    "scheduler": "SchedulerJob",
    "dag_processor": "DagProcessorJob",
    "triggerer": "TriggererJob",
    "worker": "WorkerJob",
}
_LONG_AGO: Final = sa.literal(datetime(1970, 1, 1, tzinfo=UTC), Instant())
_is_running: Final = job.c.stopped_at.is_(None)


def _nothing() -> sa.ColumnElement[Any]:
    return sa.cast(sa.null(), sa.String(1))


JOBS = Listing(
    job,
    {
        "id": job.c.job_key,
        "dag_id": _nothing(),
        "state": sa.case((_is_running, "running"), (job.c.is_dead, "failed"), else_="success"),
        "job_type": sa.case(_NAMES, value=job.c.kind, else_=job.c.kind),
        "start_date": job.c.started_at,
        "end_date": job.c.stopped_at,
        "latest_heartbeat": job.c.heartbeat_at,
        "executor_class": _nothing(),
        "hostname": job.c.hostname,
        "unixname": _nothing(),
    },
    key=("id",),
    order=(Order("id"),),
    # Whoever was heard of so lately is alive; of those that have stopped nothing was heard, ever.
    hidden={"heard_at": sa.case((_is_running, job.c.heartbeat_at), else_=_LONG_AGO)},
)
