"""Deadlines of runs: set when a run is made, met or missed when their time has come."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tradewind.decide.deadlines import (
    MOST_ATTEMPTS,
    AskAuthor,
    RunDates,
    due_at,
    is_met,
    moved,
    reference_at,
    runs_wanted,
)
from tradewind.model.dag import Dag
from tradewind.model.deadline import Deadline, DeadlineRule, NewDeadline, rules_of
from tradewind.model.ids import RunKey
from tradewind.model.run import NewRun, Run, RunHead
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import DeadlineMet, DeadlineMissed, DeadlinesSet

_BATCH: Final = 500


def set_deadlines(tx: Transaction, dag: Dag, run_key: RunKey, new: NewRun, now: datetime) -> None:
    """What the DAG says about when this run has to be over. Costs nothing where it says nothing."""
    rules = rules_of(dag)
    if not rules:
        return
    most = max(runs_wanted(rule) for rule in rules)
    durations = tx.deadlines.recent_durations(dag.dag_id, most) if most else []
    dates = RunDates(new.logical_date, now, durations)
    found = [(rule, due_at(rule, dates)) for rule in rules]
    made = [
        NewDeadline(run_key=run_key, dag_id=dag.dag_id, rule=rule, due_at=None if isinstance(due, AskAuthor) else due)
        for rule, due in found
        if due is not None
    ]
    if made:
        tx.deadlines.add(made, new.version_key, now)
        tx.emit(DeadlinesSet(dag.dag_id, new.run_id, len(made)))


def meet_deadlines(tx: Transaction, dag: Dag, run: Run | RunHead, now: datetime) -> None:
    """The run has succeeded: what lies ahead of it does so no more. Costs nothing where the DAG has no deadlines."""
    if not rules_of(dag):
        return
    met = [each for each in tx.deadlines.lock_ahead(run.key) if each.due_at is not None and each.due_at >= now]
    tx.deadlines.delete([each.key for each in met])
    tx.emit(*(DeadlineMet(each.dag_id, run.run_id) for each in met))


def move_deadlines(tx: Transaction, run: Run, now: datetime) -> None:
    """The run, which is as it was before, is queued again."""
    ahead = tx.deadlines.lock_ahead(run.key)
    if not ahead or run.queued_at is None:
        return
    rules = rules_of(Structures().get(tx, run.version_key).dag)
    for each in ahead:
        if each.due_at is not None and each.number < len(rules):
            due = moved(rules[each.number], each.due_at, queued_at=run.queued_at, again_at=now)
            tx.deadlines.move(each.key, due)


def miss_deadlines(tx: Transaction, now: datetime) -> int:
    """Those that are due: gone where the run was over in time, else missed, and for their callback.

    Returns how many.
    """
    due = tx.deadlines.due(now, _BATCH)
    if not due:
        return 0
    runs = {run.key: run for run in tx.runs.read({each.run_key for each in due})}
    met = [each for each in due if each.due_at is not None and is_met(runs[each.run_key], each.due_at)]
    missed = [each for each in due if each not in met]
    tx.deadlines.delete([each.key for each in met])
    tx.deadlines.miss([each.key for each in missed], now)
    tx.emit(*(DeadlineMet(each.dag_id, runs[each.run_key].run_id) for each in met))
    tx.emit(*(DeadlineMissed(each.dag_id, runs[each.run_key].run_id, each.name, each.due_at) for each in missed))
    return len(due)


@dataclass(frozen=True, slots=True)
class AuthorsWork:
    """A deadline that is for the author's code."""

    deadline: Deadline
    run: Run
    rule: DeadlineRule
    reference: datetime | None
    """From when it is counted, where only the interval has to be asked for."""


def is_given_up(deadline: Deadline) -> bool:
    """Whether it has ended enough processes."""
    return deadline.attempts >= MOST_ATTEMPTS


def with_rules(tx: Transaction, deadlines: Collection[Deadline], structures: Structures) -> list[AuthorsWork]:
    """Those whose runs and rules are still there."""
    runs = {run.key: run for run in tx.runs.read({each.run_key for each in deadlines})}
    found = []
    for each in deadlines:
        run = runs.get(each.run_key)
        rules = () if run is None else rules_of(structures.get(tx, run.version_key).dag)
        if run is not None and each.number < len(rules):
            rule = rules[each.number]
            found.append(AuthorsWork(each, run, rule, _reference(tx, each, run, rule)))
    return found


def _reference(tx: Transaction, deadline: Deadline, run: Run, rule: DeadlineRule) -> datetime | None:
    most = runs_wanted(rule)
    durations = tx.deadlines.recent_durations(deadline.dag_id, most) if most else []
    found = reference_at(rule, RunDates(run.logical_date, run.queued_at or deadline.created_at, durations))
    return None if isinstance(found, AskAuthor) else found
