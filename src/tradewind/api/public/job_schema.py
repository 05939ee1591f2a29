"""The life of a service process, as answers show it."""

from datetime import datetime

from pydantic import BaseModel


class JobResponse(BaseModel):
    """A job."""

    id: int
    dag_id: str | None
    state: str | None
    job_type: str | None
    start_date: datetime | None
    end_date: datetime | None
    latest_heartbeat: datetime | None
    executor_class: str | None
    hostname: str | None
    unixname: str | None
    dag_display_name: str | None = None
