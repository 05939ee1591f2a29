"""Runs of Airflow that are over. They are written as they ended: no scheduler is told of them, nor has to be."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from tradewind.model.dag_file import NewVersion
from tradewind.model.dag_json import encode_dag, structure_hash
from tradewind.model.dag_summary import summary_of
from tradewind.model.ids import RunKey, VersionKey
from tradewind.operations.from_airflow.mapping import ended_run, ended_task, ended_try, remembered_dag, why_not
from tradewind.operations.from_airflow.outcome import Choice, Fate, Outcome
from tradewind.operations.from_airflow.pauses import expect_dags
from tradewind.storage.interface import ReadingStore, Transaction
from tradewind.storage.interface.airflow_source import AirflowHistory, AirflowRun

_RUNS_AT_ONCE: Final = 100
"""In one transaction, with all their tasks."""
_TAKEN: Final = "another run here has its logical date"


@dataclass(slots=True)
class HistoryTally:
    """What becomes of how many runs."""

    runs: Counter[tuple[str, Fate, str | None]] = field(default_factory=Counter)
    """By DAG, fate, and reason."""
    tasks: int = 0
    tries: int = 0

    def outcomes(self) -> list[Outcome]:
        """By DAG."""
        ordered = sorted(self.runs.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] or ""))
        return [Outcome(dag_id, fate, why, count) for (dag_id, fate, why), count in ordered]


def copy_history(
    store: ReadingStore,
    found: AirflowHistory,
    since: datetime | None,
    choice: Choice,
    advance: Callable[[int], None] = lambda _: None,
) -> HistoryTally:
    """Runs that were due since then, some at a time: what was copied stays where a later part fails. `advance` is told
    how many runs were looked at."""
    tally = HistoryTally()
    for runs in found.runs(since, _RUNS_AT_ONCE):
        work = partial(_copy_some, found=found, runs=runs, choice=choice)
        part = store.transact(work) if choice.writes else store.read(work)
        tally.runs.update(part.runs)
        tally.tasks += part.tasks
        tally.tries += part.tries
        advance(len(runs))
    return tally


def _copy_some(tx: Transaction, found: AirflowHistory, runs: Sequence[AirflowRun], choice: Choice) -> HistoryTally:
    tally = HistoryTally()
    chosen = _chosen(tx, runs, tally)
    if not chosen:
        return tally
    if choice.writes:
        _write(tx, found, chosen, choice, tally)
    else:
        tally.tasks, tally.tries = found.count_tasks([run.number for run in chosen])
    return tally


def _chosen(tx: Transaction, runs: Sequence[AirflowRun], tally: HistoryTally) -> list[AirflowRun]:
    """Those to copy. Of a run that is here already, nothing is compared: it is over."""
    ids = tx.history.taken_ids([(run.dag_id, run.run_id) for run in runs])
    dates = tx.history.taken_dates([(run.dag_id, run.logical_date) for run in runs if run.logical_date is not None])
    chosen = []
    for run in runs:
        if (run.dag_id, run.run_id) in ids:
            fate, why = Fate.SAME, None
        elif (refusal := why_not(run)) is not None:
            fate, why = refusal
        elif run.logical_date is not None and (run.dag_id, run.logical_date) in dates:
            fate, why = Fate.IMPOSSIBLE, _TAKEN
        else:
            fate, why = Fate.COPY, None
            chosen.append(run)
        tally.runs[run.dag_id, fate, why] += 1
    return chosen


def _write(
    tx: Transaction, found: AirflowHistory, chosen: Sequence[AirflowRun], choice: Choice, tally: HistoryTally
) -> None:
    versions = _versions(tx, found, {run.dag_id for run in chosen}, choice)
    keys = tx.history.add_runs([ended_run(run) for run in chosen], versions, choice.now)
    runs: dict[int, tuple[RunKey, str]] = {run.number: (keys[run.dag_id, run.run_id], run.dag_id) for run in chosen}
    for tasks in found.tasks(runs):
        tx.history.add_tasks([ended_task(task, *runs[task.run_number]) for task in tasks])
        tally.tasks += len(tasks)
    for tries in found.tries(runs):
        tx.history.add_tries([ended_try(each, runs[each.run_number][0]) for each in tries])
        tally.tries += len(tries)


def _versions(
    tx: Transaction, found: AirflowHistory, dag_ids: Collection[str], choice: Choice
) -> dict[str, VersionKey]:
    """The version of each DAG that its runs get: the current one, or one made of what the runs tell."""
    known = {record.dag_id for record in tx.dags.lock(dag_ids)}
    expect_dags(tx, dict.fromkeys(set(dag_ids) - known, True), choice)
    records = tx.dags.lock(dag_ids)
    versions = {record.dag_id: record.version_key for record in records if record.version_key is not None}
    new = []
    for dag_id in sorted(set(dag_ids) - set(versions)):
        dag = remembered_dag(dag_id, found.task_names(dag_id))
        data = encode_dag(dag)
        new.append(NewVersion(dag_id, structure_hash(data), data, summary=summary_of(dag)))
    return versions | tx.versions.add(new, choice.now)
