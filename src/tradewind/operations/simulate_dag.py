"""Which runs of a stored DAG would be made in a span of time. Reads only."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from tradewind.decide.assets import condition_words
from tradewind.decide.explain import Reason
from tradewind.decide.simulate import Course, SimulatedRun, by_time, made_before, simulate, zone_of
from tradewind.decide.timetables import InvalidSchedule, parse_schedule, why_no_run
from tradewind.errors import DagUnusable, InvalidRequest, UnknownDag
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.listing import Condition, Listed, Order, Query, Test
from tradewind.model.states import RunState
from tradewind.model.timetable import (
    AssetAndTime,
    AssetOrTime,
    CronDataInterval,
    CronPartition,
    CronTrigger,
    DataInterval,
    DeltaDataInterval,
    MultipleCronTrigger,
    RunInfo,
    Timetable,
    TimeTimetable,
)
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
    """In which that is meant; by default in that of the DAG's schedule."""
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
    notes = _notes(why_no_next_run(tx, request.dag_id, structures, now))
    if found:
        notes = [_assumed(duration), *_of_assets(dag), *notes]
    else:
        notes.append(why_no_run(dag.timetable))
    return Simulation(found[: request.limit], len(found) > request.limit, notes)


def _as_asked(dag: Dag, request: SimulationRequest) -> Dag:
    """The DAG with what the person wants to see changed."""
    if request.catchup is not None:
        dag = replace(dag, catchup=request.catchup)
    if request.schedule is None:
        return dag
    zone = zone_of(dag) if request.timezone is None else request.timezone
    now = by_time(dag.timetable)
    try:
        wanted = parse_schedule(request.schedule, zone, isinstance(now, CronDataInterval | DeltaDataInterval))
    except InvalidSchedule as error:
        raise InvalidRequest(str(error)) from error
    if isinstance(wanted, CronTrigger | CronDataInterval):
        wanted = _at_other_times(now, wanted)
    if isinstance(dag.timetable, AssetOrTime | AssetAndTime):
        return replace(dag, timetable=replace(dag.timetable, timetable=wanted))
    return replace(dag, timetable=wanted)


def _at_other_times(now: Timetable, wanted: CronTrigger | CronDataInterval) -> TimeTimetable:
    """What else a timetable says is kept: its partitions, intervals, and what becomes of times that clocks skip."""
    match now:
        case CronTrigger() | CronDataInterval() | CronPartition():
            return replace(now, expression=wanted.expression, timezone=wanted.timezone)
        case MultipleCronTrigger(interval=interval, run_immediately=immediately, clock_changes=changes):
            return CronTrigger(wanted.expression, wanted.timezone, interval, immediately, changes)
        case _:
            return wanted


def _course(tx: Transaction, dag: Dag, request: SimulationRequest, duration: timedelta, now: datetime) -> Course:
    newest = tx.runs.last_scheduled(dag.dag_id)
    restriction, plan = restriction_of(dag), plan_of(tx, dag)
    last: DataInterval | RunInfo | None = None
    if newest is not None and newest.run_after <= request.start:
        last = RunInfo(newest.run_after, newest.data_interval)
    if request.start != now:
        # Up to a time to come runs are made when they are due, and those before a time that has passed were.
        last = made_before(dag.timetable, request.start, last=last, restriction=restriction, plan=plan)
        if last is None:
            earliest = request.start if restriction.earliest is None else max(request.start, restriction.earliest)
            restriction = replace(restriction, earliest=earliest)
    return Course(
        start=request.start,
        end=request.end,
        last=last,
        restriction=restriction,
        max_active_runs=request.max_active_runs or dag.max_active_runs,
        duration=duration,
        plan=plan,
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


def _of_assets(dag: Dag) -> Iterator[str]:
    if dag.assets is None:
        return
    if isinstance(dag.timetable, AssetAndTime):
        yield f"each tick is assumed to find what it waits for: {condition_words(dag.assets)}"
    else:
        yield f"updates of {condition_words(dag.assets)} make further runs, which are not told here"


def _notes(reasons: list[Reason]) -> list[str]:
    return [f"{reason.text}: this is what would happen otherwise" for reason in reasons if reason.code in _TOLD]
