"""Backfills, as clients ask for them and as answers show them."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from tradewind.api.moment import Moment
from tradewind.model.backfill import DEFAULT_MAX_ACTIVE_RUNS, ReprocessBehavior


class BackfillPostBody(BaseModel):
    """A backfill to be."""

    model_config = ConfigDict(extra="forbid")
    dag_id: str
    from_date: Moment
    to_date: Moment
    run_backwards: bool = False
    dag_run_conf: dict[str, Any] | None = None
    reprocess_behavior: ReprocessBehavior = ReprocessBehavior.NONE
    max_active_runs: int = DEFAULT_MAX_ACTIVE_RUNS
    run_on_latest_version: bool | None = None


class BackfillResponse(BaseModel):
    """A backfill."""

    id: Annotated[int, Field(ge=0.0)]
    dag_id: str
    from_date: datetime
    to_date: datetime
    dag_run_conf: dict[str, Any] | None
    is_paused: bool
    reprocess_behavior: ReprocessBehavior
    max_active_runs: int
    created_at: datetime
    completed_at: datetime | None
    updated_at: datetime
    dag_display_name: str


class BackfillCollectionResponse(BaseModel):
    """A page of them."""

    backfills: list[BackfillResponse]
    total_entries: int


class DryRunBackfillResponse(BaseModel):
    """A run that would be made, or would start over."""

    logical_date: datetime | None
    partition_key: str | None
    partition_date: datetime | None


class DryRunBackfillCollectionResponse(BaseModel):
    """All of them, in the direction of the backfill."""

    backfills: list[DryRunBackfillResponse]
    total_entries: int


class BackfillProgressResponse(BaseModel):
    """How far along a backfill is."""

    id: int
    total: int
    """Dates in its range."""
    ended: int
    """Of these, how many nothing more is done about."""
    passed_over: int
    """Dates whose run was there already and was left alone."""
    to_come: int
    """Dates whose run is still to be made; of a cancelled backfill, never."""
    queued: int
    running: int
    succeeded: int
    failed: int
    is_complete: bool
    remaining_seconds: float | None
    """About how long it still takes, from how long its runs took; None where nothing is known or it is paused."""
