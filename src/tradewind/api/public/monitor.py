"""Whether all parts of the deployment are well. For everybody: who watches over it need not be known here."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from pydantic import BaseModel

from tradewind.api.operation import Operations
from tradewind.api.services import Given, Services
from tradewind.errors import DatabaseError
from tradewind.runtime.clock import Clock
from tradewind.settings import Settings
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.job_store import Heartbeats

operations = Operations("Monitor")

_SCHEDULER: Final = "scheduler"
_TRIGGERER: Final = "triggerer"
_DAG_PROCESSOR: Final = "dag_processor"


class Health(StrEnum):
    """How a part of the deployment is."""

    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"


class BaseInfoResponse(BaseModel):
    """How one part is."""

    status: str | None


class SchedulerInfoResponse(BaseInfoResponse):
    """How the scheduler is; of several, the one that was heard of last."""

    latest_scheduler_heartbeat: str | None


class TriggererInfoResponse(BaseInfoResponse):
    """How the triggerer is."""

    latest_triggerer_heartbeat: str | None


class DagProcessorInfoResponse(BaseInfoResponse):
    """How the DAG processor is."""

    latest_dag_processor_heartbeat: str | None


class HealthInfoResponse(BaseModel):
    """How all parts are. The status is null for a part that never was there."""

    metadatabase: BaseInfoResponse
    scheduler: SchedulerInfoResponse
    triggerer: TriggererInfoResponse
    dag_processor: DagProcessorInfoResponse | None = None


@operations.add("GET", "/monitor/health", operation_id="get_health", need=None)
async def get_health(services: Given) -> HealthInfoResponse:
    """How all parts are."""
    try:
        found = await services.heartbeats()
        database = Health.HEALTHY
    except DatabaseError:
        found, database = {}, Health.UNHEALTHY
    # Without a scheduler nothing runs; the others are not always needed.
    oldest = _oldest_signs_of_life(services.settings, services.clock)
    scheduler = health_of(found.get(_SCHEDULER), oldest[_SCHEDULER]) or Health.UNHEALTHY
    return HealthInfoResponse(
        metadatabase=BaseInfoResponse(status=database),
        scheduler=SchedulerInfoResponse(status=scheduler, latest_scheduler_heartbeat=_at(found.get(_SCHEDULER))),
        triggerer=TriggererInfoResponse(
            status=health_of(found.get(_TRIGGERER), oldest[_TRIGGERER]),
            latest_triggerer_heartbeat=_at(found.get(_TRIGGERER)),
        ),
        dag_processor=DagProcessorInfoResponse(
            status=health_of(found.get(_DAG_PROCESSOR), oldest[_DAG_PROCESSOR]),
            latest_dag_processor_heartbeat=_at(found.get(_DAG_PROCESSOR)),
        ),
    )


def oldest_sign_of_life(services: Services) -> datetime:
    """Who was not heard of since then is not counted among the living."""
    return _oldest_signs_of_life(services.settings, services.clock)[_SCHEDULER]


def health_of_all(settings: Settings, clock: Clock, tx: Transaction) -> dict[str, str]:
    """How each kind of service is that ever was there."""
    oldest = _oldest_signs_of_life(settings, clock)
    return {
        kind: health_of(heard, oldest.get(kind, oldest[_SCHEDULER])) or Health.UNHEALTHY
        for kind, heard in tx.jobs.heartbeats().items()
    }


def _oldest_signs_of_life(settings: Settings, clock: Clock) -> dict[str, datetime]:
    """By kind of service. Who was not heard of since then is not counted among the living."""
    thresholds = {
        _SCHEDULER: settings.scheduler.scheduler_health_check_threshold,
        _TRIGGERER: settings.triggerer.triggerer_health_check_threshold,
        _DAG_PROCESSOR: settings.dag_processor.health_check_threshold,
    }
    return {kind: clock.now() - timedelta(seconds=seconds) for kind, seconds in thresholds.items()}


def health_of(heard: Heartbeats | None, oldest: datetime) -> Health | None:
    """None for a kind of service that never was there."""
    if heard is None:
        return None
    is_alive = heard.of_running_at is not None and heard.of_running_at >= oldest
    return Health.HEALTHY if is_alive else Health.UNHEALTHY


def _at(heard: Heartbeats | None) -> str | None:
    return None if heard is None else heard.at.isoformat()
