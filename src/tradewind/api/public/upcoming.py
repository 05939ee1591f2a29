"""What a DAG will do next, and what it would do if something was different."""

from datetime import datetime, timedelta
from typing import Annotated, Final

from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.moment import Moment
from tradewind.api.operation import Operations
from tradewind.api.paging import MOST_AT_ONCE
from tradewind.api.public.dag_schemas import HeldBackBy, TasksHeldBy, UpcomingRun, UpcomingRunsResponse
from tradewind.api.services import Given
from tradewind.decide.load import Wait
from tradewind.decide.simulate import SimulatedRun
from tradewind.decide.timetables import Partition
from tradewind.errors import InvalidRequest
from tradewind.model.timetable import RunInfo
from tradewind.operations.foresee_runs import foresee_runs
from tradewind.operations.simulate_dag import SimulationRequest, read_pool_slots, read_task_durations, simulate_dag

operations = Operations("DAG")

_READ: Final = Need(Resource.DAG, Action.READ)
_FAR: Final = timedelta(days=366)
_LONGEST_S: Final = _FAR.total_seconds()


@operations.add("GET", "/dags/{dag_id}/upcoming", operation_id="get_upcoming_runs", need=_READ)
def get_upcoming_runs(
    dag_id: str,
    services: Given,
    limit: Annotated[int, Parameter(ge=1, le=MOST_AT_ONCE)] = 10,
    since: Annotated[Moment | None, Parameter(description="Simulate from then on; by default from now.")] = None,
    until: Annotated[Moment | None, Parameter(description="Simulate up to then; by default for a year.")] = None,
    duration: Annotated[
        float | None, Parameter(ge=0, le=_LONGEST_S, description="Simulate, with runs of so many seconds.")
    ] = None,
    max_active_runs: Annotated[int | None, Parameter(ge=1, description="Simulate, with this limit.")] = None,
    schedule: Annotated[str | None, Parameter(description="Simulate, with this cron expression.")] = None,
    timezone: Annotated[str | None, Parameter(description="In which that is meant.")] = None,
    catchup: Annotated[bool | None, Parameter(description="Simulate, with this.")] = None,
    parallelism: Annotated[int | None, Parameter(ge=1, description="Simulate, with this limit.")] = None,
    max_active_tasks: Annotated[int | None, Parameter(ge=1, description="Simulate, with this limit.")] = None,
    pool: Annotated[list[str] | None, Parameter(description="Simulate, with so many slots: `etl=4`.")] = None,
    task_duration: Annotated[
        list[str] | None, Parameter(description="Simulate, with so many seconds: `load=90`.")
    ] = None,
) -> UpcomingRunsResponse:
    """The next runs that the timetable will ask for, as things are now, and what would hold them back.

    With anything but a limit, it is simulated when runs would be made and end: with the DAG's own schedule and limits
    where nothing else is said, and tasks that take as long as in the last runs.
    """
    now = services.clock.now()
    limits = (max_active_runs, parallelism, max_active_tasks, pool)
    if all(each is None for each in (since, until, duration, task_duration, schedule, timezone, catchup, *limits)):
        foreseen = services.store.read(lambda tx: foresee_runs(tx, dag_id, services.structures, now, count=limit))
        return UpcomingRunsResponse(
            dag_id=dag_id,
            runs=[
                _upcoming(*each)
                for each in zip(foreseen.runs, foreseen.partitions, foreseen.clock_changes, strict=True)
            ],
            held_back_by=[HeldBackBy(code=reason.code, text=reason.text) for reason in foreseen.held_back_by],
        )
    start = since or now
    request = SimulationRequest(
        dag_id,
        start,
        until or _a_year_after(start),
        max_active_runs,
        None if duration is None else timedelta(seconds=duration),
        limit,
        schedule,
        timezone,
        catchup,
        services.settings.core.parallelism if parallelism is None else parallelism,
        max_active_tasks,
        read_pool_slots(pool or ()),
        read_task_durations(task_duration or ()),
    )
    found = services.store.read(lambda tx: simulate_dag(tx, request, services.structures, now))
    return UpcomingRunsResponse(
        dag_id=dag_id, runs=[_simulated(run) for run in found.runs], held_back_by=[], notes=found.notes
    )


def _a_year_after(start: datetime) -> datetime:
    try:
        return start + _FAR
    except OverflowError:
        raise InvalidRequest(f"no calendar knows what comes a year after {start.isoformat()}: say until when") from None


def _upcoming(info: RunInfo, partition: Partition | None, clock_change: timedelta | None) -> UpcomingRun:
    interval = info.data_interval
    return UpcomingRun(
        logical_date=info.logical_date,
        data_interval_start=None if interval is None else interval.start,
        data_interval_end=None if interval is None else interval.end,
        run_after=info.run_after,
        partition_key=None if partition is None else partition.key,
        partition_date=None if partition is None else partition.date,
        clock_change_s=None if clock_change is None else clock_change.total_seconds(),
    )


def _simulated(run: SimulatedRun) -> UpcomingRun:
    added = {
        "starts_at": run.starts_at,
        "ends_at": run.ends_at,
        "held_by": run.held_by,
        "tasks_held_by": [_wait(each) for each in run.waits],
    }
    return _upcoming(run.info, run.partition, run.clock_change).model_copy(update=added)


def _wait(wait: Wait) -> TasksHeldBy:
    return TasksHeldBy(limit=wait.limit, task_s=None if wait.task_time is None else wait.task_time.total_seconds())
