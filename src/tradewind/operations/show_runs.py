"""What pages show of the inside of runs, and of many runs by day or hour."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import Final

from tradewind.errors import InvalidRequest, UnknownDag, UnknownRun
from tradewind.model.ids import RunKey
from tradewind.model.invalid_schedule import UnknownTimeZone
from tradewind.model.local_time import time_zone
from tradewind.model.run import Run
from tradewind.model.states import RunState
from tradewind.operations.foresee_runs import next_instants
from tradewind.operations.structures import Structures
from tradewind.operations.task_groups import tasks_of_group
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.run_view_store import AttemptInTime, RunsOfQuarter, TaskSummary

LONGEST_CALENDAR: Final = timedelta(days=400)
MOST_COMING: Final = 5_000
"""Which takes about half a second: runs of every hour for more than half a year."""


class Span(StrEnum):
    """What runs are counted by."""

    DAY = "day"
    HOUR = "hour"

    def name_of(self, local: datetime) -> str:
        """The day or hour of a reading of the clock: `2026-01-31`, `2026-01-31T05`."""
        return local.strftime("%Y-%m-%d" if self is Span.DAY else "%Y-%m-%dT%H")


@dataclass(frozen=True, slots=True)
class RunInTime:
    """A run, and when what happened to its tasks."""

    run: Run
    attempts: Sequence[AttemptInTime]


def show_attempts(tx: Transaction, dag_id: str, run_id: str) -> RunInTime:
    """All attempts of a run. Raises `UnknownRun`."""
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    return RunInTime(run, tx.run_views.attempts(run.key))


def find_task_doc(tx: Transaction, dag_id: str, run_id: str, task_id: str, structures: Structures) -> str | None:
    """What the author wrote about a task, in the version of a run. Raises `UnknownRun`."""
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    structure = structures.get(tx, run.version_key)
    number = structure.index.get(task_id)
    details = None if number is None else structure.tasks[number].details
    text = details.get("doc_md") if isinstance(details, Mapping) else None
    return text if isinstance(text, str) else None


def summarize_tasks(
    tx: Transaction, dag_id: str, run_ids: Collection[str], most: int, task_ids: Collection[str] | None = None
) -> dict[str, list[TaskSummary]]:
    """By run: its tasks, or these of them. Of these runs, or of the newest, which come last.

    Raises `UnknownDag`, `UnknownRun`.
    """
    keys = _keys_of(tx, dag_id, run_ids) if run_ids else _newest(tx, dag_id, most)
    found: dict[str, list[TaskSummary]] = {run_id: [] for run_id in keys.values()}
    for each in tx.run_views.summaries(keys.keys(), task_ids) if keys else ():
        found[keys[each.run_key]].append(each)
    return found


def members_now(tx: Transaction, dag_id: str, group_id: str, structures: Structures) -> list[str]:
    """The tasks of a group, at whatever depth, as the DAG has them now.

    Raises `UnknownDag`, `DagUnusable`, `UnknownGroup`.
    """
    record = tx.dags.find(dag_id)
    if record is None or record.version_key is None:
        raise UnknownDag(dag_id)
    return tasks_of_group(structures.get(tx, record.version_key).dag, group_id)


def _keys_of(tx: Transaction, dag_id: str, run_ids: Collection[str]) -> dict[RunKey, str]:
    keys = {}
    for run_id in run_ids:
        run = tx.runs.find(dag_id, run_id)
        if run is None:
            raise UnknownRun(dag_id, run_id)
        keys[run.key] = run_id
    return keys


def _newest(tx: Transaction, dag_id: str, most: int) -> dict[RunKey, str]:
    if tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)
    return {run.run_key: run.run_id for run in tx.overview.runs_until(dag_id, most)}


@dataclass(frozen=True, slots=True)
class Calendar:
    """Days of a zone, both of them included, and what they are divided into."""

    first: date
    last: date
    zone: str
    span: Span

    def bounds(self) -> tuple[datetime, datetime, tzinfo]:
        """From which instant to which, and the zone.

        Raises:
            InvalidRequest: there is no such zone, or there are too many days.
        """
        if not timedelta(0) <= self.last - self.first < LONGEST_CALENDAR:
            raise InvalidRequest(f"a calendar has from 1 to {LONGEST_CALENDAR.days} days")
        place = _zone(self.zone)
        try:
            return _midnight(self.first, place), _midnight(self.last + timedelta(days=1), place), place
        except OverflowError:
            raise InvalidRequest("no calendar goes to the end of time") from None


@dataclass(frozen=True, slots=True)
class Coming:
    """Runs that the schedule will ask for."""

    spans: Mapping[str, int]
    until: datetime | None
    """Those after this were not looked for: there are too many. None: there are no others."""


def show_calendar(tx: Transaction, dag_id: str, calendar: Calendar) -> Mapping[str, Mapping[RunState, int]]:
    """By day or hour of the zone, in order: how many runs have which state.

    Raises:
        UnknownDag: there is none of that id.
        InvalidRequest: there is no such zone, or there are too many days.
    """
    start, end, zone = calendar.bounds()
    if tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)
    return _by_span(sorted(tx.run_views.quarters(dag_id, start, end)), zone, calendar.span)


def show_coming(tx: Transaction, dag_id: str, calendar: Calendar, structures: Structures, now: datetime) -> Coming:
    """By day or hour of the zone: how many runs are to come.

    Raises:
        UnknownDag: there is none of that id.
        InvalidRequest: there is no such zone, or there are too many days.
    """
    start, end, zone = calendar.bounds()
    spans: dict[str, int] = {}
    number, at = 0, now
    for at in next_instants(tx, dag_id, structures, now, most=MOST_COMING):
        if at >= end:
            return Coming(spans, None)
        number += 1
        if at >= start:
            name = calendar.span.name_of(at.astimezone(zone))
            spans[name] = spans.get(name, 0) + 1
    return Coming(spans, at if number == MOST_COMING else None)


def _zone(name: str) -> tzinfo:
    try:
        return time_zone(name)
    except UnknownTimeZone as error:
        raise InvalidRequest(str(error)) from None


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)


def _by_span(quarters: Sequence[RunsOfQuarter], zone: tzinfo, span: Span) -> dict[str, dict[RunState, int]]:
    counts: dict[str, dict[RunState, int]] = {}
    for each in quarters:
        states = counts.setdefault(span.name_of(each.at.astimezone(zone)), {})
        states[each.state] = states.get(each.state, 0) + each.number
    return counts
