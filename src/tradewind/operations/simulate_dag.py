"""Which runs of a stored DAG would be made in a span of time. Reads only."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from tradewind.decide.assets import condition_words
from tradewind.decide.explain import Reason
from tradewind.decide.load import MOST_INSTANCES, Load, RunsTake, SlotLimits, TasksTake
from tradewind.decide.simulate import Course, SimulatedRun, made_before, simulate, zone_of
from tradewind.decide.structure import Structure
from tradewind.decide.timetables import InvalidSchedule, parse_schedule, why_no_run
from tradewind.errors import DagUnusable, InvalidRequest, UnknownDag
from tradewind.model.dag import Dag
from tradewind.model.dag_bounds import restriction_of
from tradewind.model.planned_runs import PlannedRuns
from tradewind.model.pool import UNLIMITED_SLOTS, Pool
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
    by_time,
)
from tradewind.model.usual_task import UsualTask
from tradewind.operations.explain import why_no_next_run
from tradewind.operations.plan_runs import plan_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

_LAST_RUNS: Final = 5
"""From which it is reckoned how long tasks usually take."""
_LONGEST: Final = timedelta(days=366)
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
    """Of each run as a whole, in place of how long its tasks take."""
    limit: int = 1000
    schedule: str | None = None
    """A cron expression or preset in place of the DAG's schedule."""
    timezone: str | None = None
    """In which that is meant; by default in that of the DAG's schedule."""
    catchup: bool | None = None
    """In place of what the DAG says."""
    parallelism: int = 32
    """How many tasks may run at once."""
    max_active_tasks: int | None = None
    """In place of what the DAG says."""
    pool_slots: Mapping[str, int] = field(default_factory=dict)
    """In place of those that pools have."""
    task_durations: Mapping[str, timedelta] = field(default_factory=dict)
    """In place of how long tasks took in the last runs."""


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
        InvalidRequest: the time ends before it begins, or something that it shall be tried with cannot be.
    """
    if request.end < request.start:
        raise InvalidRequest("the time ends before it begins: --to must not lie before --from")
    record = tx.dags.find(request.dag_id)
    if record is None or record.version_key is None:
        raise UnknownDag(request.dag_id)
    dag = _as_asked(structures.get(tx, record.version_key).dag, request)
    load, assumed = _load(tx, dag, request)
    try:
        found = simulate(dag, _course(tx, dag, request, now), load)
    except InvalidSchedule as error:
        raise DagUnusable(request.dag_id, str(error)) from error
    notes = _notes(why_no_next_run(tx, request.dag_id, structures, now))
    if found.runs:
        notes = [assumed, *_of_exhaustion(load), *_of_plan(plan_of(tx, dag)), *_of_assets(dag), *notes]
    else:
        notes.append(why_no_run(dag.timetable))
    return Simulation(found.runs, found.is_cut_off, notes)


def read_pool_slots(texts: Iterable[str]) -> dict[str, int]:
    """Of texts like `etl=4`. Raises `InvalidRequest` for any other."""
    found = {}
    for name, number in map(_pair, texts):
        slots = int(number) if number.lstrip("-").isdecimal() else None
        if slots is None or slots < UNLIMITED_SLOTS:
            raise InvalidRequest(f"a pool has slots, or {UNLIMITED_SLOTS} for no limit, as in etl=4: not {number!r}")
        found[name] = slots
    return found


def read_task_durations(texts: Iterable[str]) -> dict[str, timedelta]:
    """Of texts like `load=90`, in seconds. Raises `InvalidRequest` for any other."""
    found = {}
    for task_id, number in map(_pair, texts):
        try:
            found[task_id] = timedelta(seconds=float(number))
        except (ValueError, OverflowError):
            raise InvalidRequest(f"a task takes seconds, as in load=90: not {number!r}") from None
        if not timedelta(0) <= found[task_id] <= _LONGEST:
            raise InvalidRequest(f"a task takes from 0 seconds to a year: not {number!r}")
    return found


def _pair(text: str) -> tuple[str, str]:
    name, sign, number = text.rpartition("=")
    if not sign or not name:
        raise InvalidRequest(f"a name and a number are wanted, as in etl=4: not {text!r}")
    return name, number


def _load(tx: Transaction, dag: Dag, request: SimulationRequest) -> tuple[Load, str]:
    """What runs cost, and a sentence about it."""
    about_tasks = request.max_active_tasks is not None or request.pool_slots or request.task_durations
    if request.duration is not None:
        if about_tasks:
            raise InvalidRequest("with a duration of whole runs, their tasks are not looked at: leave it out")
        return RunsTake(request.duration), f"each run is assumed to take {request.duration}"
    _refuse_unknown_tasks(dag, request)
    usual = tx.run_views.usual_tasks(dag.dag_id, _LAST_RUNS)
    if not usual and not about_tasks:
        words = (
            "runs are assumed to take no time, since none has ended yet; say how long they, or their tasks, shall take"
        )
        return RunsTake(timedelta()), words
    for task_id, duration in request.task_durations.items():
        known = usual.get(task_id, UsualTask(0.0))
        usual[task_id] = replace(known, seconds=duration.total_seconds())
    limits = SlotLimits(_pools(tx, request), request.parallelism)
    words = "tasks are assumed to take as long as in the last runs, to succeed, and to have all slots to themselves"
    return TasksTake(Structure(dag), usual, limits), words


def _refuse_unknown_tasks(dag: Dag, request: SimulationRequest) -> None:
    known = {task.task_id for task in dag.tasks}
    if unknown := sorted(request.task_durations.keys() - known):
        raise InvalidRequest(f"DAG {dag.dag_id!r} has no task {unknown[0]!r}")


def _pools(tx: Transaction, request: SimulationRequest) -> dict[str, Pool]:
    """With other numbers of slots where that was asked for. One that does not exist is tried out as if it did."""
    asked = {name: Pool(name, slots) for name, slots in request.pool_slots.items()}
    return {pool.name: pool for pool in tx.pools.all()} | asked


def _of_exhaustion(load: Load) -> Iterator[str]:
    if load.is_exhausted:
        yield (
            f"{MOST_INSTANCES:,} task instances were simulated, and no more: ask about less time, or say how long whole"
            " runs take"
        )


def _as_asked(dag: Dag, request: SimulationRequest) -> Dag:
    """The DAG with what the person wants to see changed."""
    if request.catchup is not None:
        dag = replace(dag, catchup=request.catchup)
    if request.max_active_tasks is not None:
        dag = replace(dag, max_active_tasks=request.max_active_tasks)
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


def _course(tx: Transaction, dag: Dag, request: SimulationRequest, now: datetime) -> Course:
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
        most=request.limit,
        plan=plan,
        active_runs=tx.runs.count_active([dag.dag_id])[dag.dag_id].active if request.start <= now else 0,
    )


def _of_plan(plan: PlannedRuns | None) -> Iterator[str]:
    if plan is not None and plan.runs and not plan.is_complete:
        until = plan.runs[-1].run_after.isoformat()
        yield f"the timetable is the author's own, and has named its runs up to {until}: nobody knows yet what follows"


def _of_assets(dag: Dag) -> Iterator[str]:
    if dag.assets is None:
        return
    if isinstance(dag.timetable, AssetAndTime):
        yield f"each tick is assumed to find what it waits for: {condition_words(dag.assets)}"
    else:
        yield f"updates of {condition_words(dag.assets)} make further runs, which are not told here"


def _notes(reasons: list[Reason]) -> list[str]:
    return [f"{reason.text}: this is what would happen otherwise" for reason in reasons if reason.code in _TOLD]
