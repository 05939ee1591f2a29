"""Jobs: the lives of schedulers, workers and other service processes."""

from typing import Annotated, Final

from fastapi import Query as Parameter
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.moment import Moment
from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed, within
from tradewind.api.public.job_schema import JobResponse
from tradewind.api.public.monitor import oldest_sign_of_life
from tradewind.api.services import Given, Services
from tradewind.model.listing import Condition, Listed, Test

operations = Operations("Job")

_READ: Final = Need(Resource.JOB, Action.READ)


class JobCollectionResponse(BaseModel):
    """A page of jobs."""

    jobs: list[JobResponse]
    total_entries: int


@operations.add("GET", "/jobs", operation_id="get_jobs", need=_READ)
def get_jobs(
    services: Given,
    is_alive: bool | None = None,
    start_date_gte: Moment | None = None,
    start_date_gt: Moment | None = None,
    start_date_lte: Moment | None = None,
    start_date_lt: Moment | None = None,
    end_date_gte: Moment | None = None,
    end_date_gt: Moment | None = None,
    end_date_lte: Moment | None = None,
    end_date_lt: Moment | None = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
    job_state: str | None = None,
    job_type: str | None = None,
    hostname: str | None = None,
    executor_class: str | None = None,
) -> JobCollectionResponse:
    """All jobs."""
    conditions = [
        _alive(services, is_alive),
        *within("start_date", gte=start_date_gte, gt=start_date_gt, lte=start_date_lte, lt=start_date_lt),
        *within("end_date", gte=end_date_gte, gt=end_date_gt, lte=end_date_lte, lt=end_date_lt),
        is_("state", job_state),
        is_("job_type", job_type),
        is_("hostname", hostname),
        is_("executor_class", executor_class),
    ]
    page = services.store.read(
        lambda tx: listed(tx, Listed.JOBS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
    )
    return JobCollectionResponse(jobs=[JobResponse.model_validate(row) for row in page.rows], total_entries=page.total)


def _alive(services: Services, is_alive: bool | None) -> Condition | None:
    if is_alive is None:
        return None
    return Condition("heard_at", Test.AT_LEAST if is_alive else Test.BELOW, oldest_sign_of_life(services))
