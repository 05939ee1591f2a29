"""Which runs of a stored DAG would be made in a span of time. Reads only."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from tradewind.decide.explain import Reason
from tradewind.decide.simulate import Course, SimulatedRun, simulate
from tradewind.decide.timetables import InvalidSchedule, parse_schedule, why_no_run
from tradewind.errors import DagUnusable, InvalidRequest, UnknownDag
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.listing import Condition, Listed, Order, Query, Test
from tradewind.model.states import RunState
from tradewind.model.timetable import CronDataInterval, CronPartition, CronTrigger, DeltaDataInterval
from tradewind.operations.explain import why_no_next_run
from tradewind.operations.plan_runs import plan_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

_LAST_RUNS: Final = 10
"""From which the usual duration is reckoned."""
_TOLD: Final = frozenset({"dag_paused", "dag_unusable"})


@dataclass(frozen=True, slots=True)
class SimulationRequest:
    """What a person wants to know."""

    dag_id: str
    start: datetime
    end: datetime
    max_active_runs: int | None = None
    """In place of what the DAG says."""
    duration: timedelta | None = None
    """In place of how long the last runs took."""
    limit: int = 1000
    schedule: str | None = None
    """A cron expression or preset in place of the DAG's schedule."""
    timezone: str | None = None
    """In which that is meant; by default in that of the DAG."""
    catchup: bool | None = None
    """In place of what the DAG says."""


@dataclass(frozen=True, slots=True)
class Simulation:
    """What would happen."""

    runs: list[SimulatedRun]
    is_cut_off: bool
    notes: list[str]
    """What was assumed, and what would keep all of it from happening."""


def simulate_dag(tx: Transaction, request: SimulationRequest, structures: Structures, now: datetime) -> Simulation:
    """As if the DAG was not paused.

    Raises:
        UnknownDag: there is none of that id.
        DagUnusable: its stored form cannot be read, or its timetable cannot be asked.
        InvalidRequest: the time ends before it begins, or the schedule in place of the DAG's is none.
    """
    if request.end < request.start:
        raise InvalidRequest("the time ends before it begins: --to must not lie before --from")
    record = tx.dags.find(request.dag_id)
    if record is None or record.version_key is None:
        raise UnknownDag(request.dag_id)
    dag = _as_asked(structures.get(tx, record.version_key).dag, request)
    duration = request.duration if request.duration is not None else _usual_duration(tx, request.dag_id)
    try:
        found = list(islice(simulate(dag, _course(tx, dag, request, duration, now)), request.limit + 1))
    except InvalidSchedule as error:
        raise DagUnusable(request.dag_id, str(error)) from error
    notes = [_assumed(duration), *_notes(why_no_next_run(tx, request.dag_id, structures, now))]
    if not found:
        notes = [*notes[1:], why_no_run(dag.timetable)]
    return Simulation(found[: request.limit], len(found) > request.limit, notes)


def _as_asked(dag: Dag, request: SimulationRequest) -> Dag:
    """The DAG with what the person wants to see changed."""
    if request.catchup is not None:
        dag = replace(dag, catchup=request.catchup)
    if request.schedule is None:
        return dag
    zone = dag.timezone if request.timezone is None else request.timezone
    is_interval = isinstance(dag.timetable, CronDataInterval | DeltaDataInterval)
    try:
        wanted = parse_schedule(request.schedule, zone, is_interval)
    except InvalidSchedule as error:
        raise InvalidRequest(str(error)) from error
    if isinstance(dag.timetable, CronPartition) and isinstance(wanted, CronTrigger):
        # At other times, but still a partition each.
        wanted = replace(
            dag.timetable, expression=wanted.expression, timezone=request.timezone or dag.timetable.timezone
        )
    return replace(dag, timetable=wanted)


def _course(tx: Transaction, dag: Dag, request: SimulationRequest, duration: timedelta, now: datetime) -> Course:
    newest = tx.runs.last_scheduled(dag.dag_id)
    restriction = restriction_of(dag)
    last = None if newest is None or newest.run_after > request.start else newest.data_interval
    if newest is not None and last is None:
        # A time that has passed is played again. What lies before it has had its runs.
        earliest = request.start if restriction.earliest is None else max(request.start, restriction.earliest)
        restriction = replace(restriction, earliest=earliest)
    return Course(
        start=request.start,
        end=request.end,
        last=last,
        restriction=restriction,
        max_active_runs=request.max_active_runs or dag.max_active_runs,
        duration=duration,
        plan=plan_of(tx, dag),
        active_runs=tx.runs.count_active([dag.dag_id])[dag.dag_id].active if request.start <= now else 0,
    )


def _usual_duration(tx: Transaction, dag_id: str) -> timedelta:
    conditions = Condition("dag_id", Test.IS, dag_id), Condition("state", Test.IS, RunState.SUCCESS.value)
    query = Query(conditions, (Order("run_after", is_descending=True),), _LAST_RUNS, is_counted=False)
    rows: Any = tx.listings.page(Listed.DAG_RUNS, query).rows
    took = [row["end_date"] - row["start_date"] for row in rows if row["start_date"] and row["end_date"]]
    return sum(took, timedelta()) / len(took) if took else timedelta()


def _assumed(duration: timedelta) -> str:
    if duration:
        return f"each run is assumed to take {duration}"
    return "runs are assumed to take no time, since none has ended yet: see --duration"


def _notes(reasons: list[Reason]) -> list[str]:
    return [f"{reason.text}: this is what would happen otherwise" for reason in reasons if reason.code in _TOLD]
