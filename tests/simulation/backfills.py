"""Backfills in a simulation: who asks for them and what becomes of them, and what must hold.

Batches are of two runs here, so that schedulers die between them and others go on.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from unittest import mock

from tradewind.model.backfill import ReprocessBehavior
from tradewind.model.dag import Dag
from tradewind.model.ids import BackfillKey
from tradewind.model.timetable import DeltaDataInterval, DeltaTrigger, Never, Once
from tradewind.operations import start_backfill
from tradewind.operations.manage_backfills import cancel_backfill, pause_backfill
from tradewind.operations.plan_backfill import BackfillRequest, plan_backfill
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

_A_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class PlannedBackfill:
    """A backfill that somebody asks for, and what they do to it then."""

    at_s: float
    request: BackfillRequest
    pauses_after_s: float | None
    cancels_after_s: float | None


def planned_backfills(seed: int, dags: tuple[Dag, ...], epoch: datetime) -> tuple[PlannedBackfill, ...]:
    """For DAGs with dates; some of these are dates that the timetable itself is about to make runs for."""
    rng = Random(f"backfills {seed}")
    planned = []
    for dag in dags:
        if isinstance(dag.timetable, Never | Once) or dag.start_at is None or rng.random() < 0.5:
            continue
        step = _A_MINUTE
        if isinstance(dag.timetable, DeltaTrigger | DeltaDataInterval):
            step = dag.timetable.delta.rest
        depends = any(task.depends_on_past for task in dag.tasks)
        first = dag.start_at - rng.choice((2, 3, 5)) * step
        # A run that exists is passed over, which tasks that depend on it do not allow.
        last = dag.start_at - step if depends else dag.start_at + rng.choice((-1, 0, 1)) * step
        request = BackfillRequest(
            dag.dag_id,
            first,
            last,
            run_backwards=not depends and rng.random() < 0.5,
            reprocess_behavior=ReprocessBehavior.FAILED if depends else ReprocessBehavior.NONE,
            max_active_runs=rng.choice((1, 2, 3)),
        )
        fate = rng.random()
        planned.append(
            PlannedBackfill(
                rng.choice((0.0, rng.uniform(0, 20))),
                request,
                rng.uniform(0, 10) if fate < 0.3 else None,
                rng.uniform(0, 40) if fate > 0.8 else None,
            )
        )
    return tuple(planned)


def begin(tx: Transaction, request: BackfillRequest, structures: Structures, now: datetime) -> BackfillKey:
    """Ask for it."""
    plan = plan_backfill(tx, request, structures, now)
    return start_backfill.start_backfill(tx, plan, structures, now).key


def pause(tx: Transaction, dag_id: str, now: datetime, *, is_paused: bool) -> None:
    """Whatever backfill the DAG has."""
    key = tx.backfills.open_of_dag(dag_id)
    if key is not None:
        pause_backfill(tx, key, now, is_paused=is_paused)


def cancel(tx: Transaction, dag_id: str, structures: Structures, now: datetime) -> None:
    """Likewise."""
    key = tx.backfills.open_of_dag(dag_id)
    if key is not None:
        cancel_backfill(tx, key, structures, now)


def small_batches() -> AbstractContextManager[object]:
    """Of two runs each."""
    return mock.patch.object(start_backfill, "_MOST_RUNS", 2)


WATCH_COMPLETION = """
    CREATE TEMP TRIGGER watch_backfill AFTER UPDATE OF completed_at ON main.backfill
    WHEN NOT NEW.is_paused AND NEW.completed_at IS NOT NULL AND (
        NEW.looked_at < NEW.total OR EXISTS (
            SELECT 1 FROM main.dag_run
            WHERE backfill_key = NEW.backfill_key AND state IN ('queued', 'running')
        )
    )
    BEGIN INSERT INTO early_end VALUES (NEW.backfill_key, NEW.looked_at, NEW.total); END
"""
"""Only that of a cancelled backfill, which is paused, may come before its runs have ended."""


def running_outside(raw: sqlite3.Connection, dag_id: str) -> int:
    """How many runs of the DAG are running that belong to no backfill."""
    query = "SELECT count(*) FROM dag_run WHERE dag_id = ? AND state = 'running' AND backfill_key IS NULL"
    (count,) = raw.execute(query, (dag_id,)).fetchone()
    return int(count)


def places_left(raw: sqlite3.Connection, run_key: int) -> int | None:
    """How many more runs of the run's backfill may start; None: it belongs to none."""
    query = """
        SELECT b.max_active_runs
            - (SELECT count(*) FROM dag_run WHERE backfill_key = b.backfill_key AND state = 'running')
        FROM dag_run JOIN backfill b ON b.backfill_key = dag_run.backfill_key WHERE dag_run.run_key = ?
    """
    found = raw.execute(query, (run_key,)).fetchone()
    return None if found is None else int(found[0])


def start_violation(raw: sqlite3.Connection, run_key: int) -> str | None:
    """Why a run of a backfill that was just started should not have been."""
    query = """
        SELECT b.backfill_key, b.max_active_runs, b.is_paused AND b.completed_at IS NULL,
            (SELECT count(*) FROM dag_run WHERE backfill_key = b.backfill_key AND state = 'running')
        FROM dag_run JOIN backfill b ON b.backfill_key = dag_run.backfill_key WHERE dag_run.run_key = ?
    """
    found = raw.execute(query, (run_key,)).fetchone()
    if found is None:
        return None
    key, limit, is_held, running = found
    if is_held:
        return f"r{run_key} was started, but its backfill {key} is paused"
    return f"{running} runs of backfill {key} are running; its limit is {limit}" if running > limit else None


def end_violations(raw: sqlite3.Connection, paused_dags: set[str]) -> Iterator[str]:
    """What is wrong with backfills when all is over."""
    for key, looked_at, total in raw.execute("SELECT * FROM temp.early_end"):
        yield f"backfill {key} was complete after {looked_at} of {total} dates, or before its runs had ended"
    query = """
        SELECT backfill_key, dag_id, total, looked_at, passed_over, completed_at, is_paused,
            (SELECT count(*) FROM dag_run WHERE dag_run.backfill_key = backfill.backfill_key),
            (SELECT count(*) FROM dag_run WHERE dag_run.backfill_key = backfill.backfill_key
                AND state IN ('queued', 'running'))
        FROM backfill
    """
    for key, dag_id, total, looked_at, passed_over, completed_at, is_paused, runs, active in raw.execute(query):
        if runs + passed_over != looked_at:
            yield f"backfill {key} has looked at {looked_at} dates, but has {runs} runs and passed over {passed_over}"
        if completed_at is None and dag_id not in paused_dags and not active:
            yield f"backfill {key} has dealt with {looked_at} of {total} dates, and nobody goes on with it"
        if completed_at is not None and not is_paused and looked_at != total:
            yield f"backfill {key} is complete after {looked_at} of {total} dates"


def is_any_open(raw: sqlite3.Connection) -> bool:
    """Whether one is not complete."""
    return raw.execute("SELECT 1 FROM backfill WHERE completed_at IS NULL LIMIT 1").fetchone() is not None


def utc_text(instant: datetime) -> str:
    """As SQLite has it."""
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
