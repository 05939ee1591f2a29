"""Runs of Airflow that are over. They are written as they ended: no scheduler is told of them, nor has to be."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Final

from tradewind.errors import DagUnusable
from tradewind.model.dag_file import NewVersion
from tradewind.model.dag_json import encode_dag, structure_hash
from tradewind.model.dag_summary import summary_of
from tradewind.model.ids import RunKey, VersionKey
from tradewind.operations.from_airflow.mapping import (
    ended_inquiry,
    ended_run,
    ended_task,
    ended_try,
    ended_xcom,
    remembered_dag,
    why_not,
)
from tradewind.operations.from_airflow.outcome import Choice, Fate, Outcome
from tradewind.operations.from_airflow.pauses import expect_dags
from tradewind.operations.publish_dag import next_run_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import ReadingStore, Transaction
from tradewind.storage.interface.airflow_source import AirflowHistory, AirflowRun

_RUNS_AT_ONCE: Final = 100
"""In one transaction, with all their tasks."""
_TAKEN: Final = "another run here has its logical date"


@dataclass(frozen=True, slots=True)
class HistoryWish:
    """Which runs, and how much of them."""

    since: datetime | None = None
    """Only those that were due since then."""
    with_xcoms: bool = False


@dataclass(slots=True)
class HistoryTally:
    """What becomes of how many runs."""

    runs: Counter[tuple[str, Fate, str | None]] = field(default_factory=Counter)
    """By DAG, fate, and reason."""
    tasks: int = 0
    tries: int = 0
    inquiries: int = 0
    xcoms: int = 0

    def add(self, part: "HistoryTally") -> None:
        """Some more."""
        self.runs.update(part.runs)
        self.tasks += part.tasks
        self.tries += part.tries
        self.inquiries += part.inquiries
        self.xcoms += part.xcoms

    def outcomes(self) -> list[Outcome]:
        """By DAG."""
        ordered = sorted(self.runs.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] or ""))
        return [Outcome(dag_id, fate, why, count) for (dag_id, fate, why), count in ordered]


def copy_history(
    store: ReadingStore,
    found: AirflowHistory,
    wish: HistoryWish,
    choice: Choice,
    advance: Callable[[int], None] = lambda _: None,
) -> HistoryTally:
    """The wanted runs, some at a time: what was copied stays where a later part fails. `advance` is told how many were
    looked at."""
    tally = HistoryTally()
    for runs in found.runs(wish.since, _RUNS_AT_ONCE):
        work = partial(_copy_some, found=found, runs=runs, wish=wish, choice=choice)
        tally.add(store.transact(work) if choice.writes else store.read(work))
        advance(len(runs))
    return tally


def _copy_some(
    tx: Transaction, found: AirflowHistory, runs: Sequence[AirflowRun], wish: HistoryWish, choice: Choice
) -> HistoryTally:
    tally = HistoryTally()
    chosen = _chosen(tx, runs, tally)
    if not chosen:
        return tally
    if choice.writes:
        keys = _write_runs(tx, found, chosen, choice)
        _write_tasks(tx, found, keys, tally, with_xcoms=wish.with_xcoms)
    else:
        numbers = [run.number for run in chosen]
        tally.tasks, tally.tries, xcoms = found.count_tasks(numbers)
        tally.inquiries = sum(len(each) for each in found.inquiries(numbers))
        tally.xcoms = xcoms if wish.with_xcoms else 0
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


def _write_runs(
    tx: Transaction, found: AirflowHistory, chosen: Sequence[AirflowRun], choice: Choice
) -> dict[int, tuple[RunKey, str]]:
    """The key and the DAG of each by Airflow's number."""
    versions = _versions(tx, found, {run.dag_id for run in chosen}, choice)
    keys = tx.history.add_runs([ended_run(run) for run in chosen], versions, choice.now)
    _go_on_after(tx, set(versions), choice)
    return {run.number: (keys[run.dag_id, run.run_id], run.dag_id) for run in chosen}


def _write_tasks(
    tx: Transaction,
    found: AirflowHistory,
    runs: Mapping[int, tuple[RunKey, str]],
    tally: HistoryTally,
    *,
    with_xcoms: bool,
) -> None:
    for tasks in found.tasks(runs):
        tx.history.add_tasks([ended_task(task, *runs[task.run_number]) for task in tasks])
        tally.tasks += len(tasks)
    for tries in found.tries(runs):
        tx.history.add_tries([ended_try(each, runs[each.run_number][0]) for each in tries])
        tally.tries += len(tries)
    for inquiries in found.inquiries(runs):
        for each in inquiries:
            tx.inquiries.put(ended_inquiry(each, runs[each.run_number][0]))
        tally.inquiries += len(inquiries)
    for xcoms in found.xcoms(runs) if with_xcoms else ():
        tx.history.add_xcoms([ended_xcom(each, runs[each.run_number][0]) for each in xcoms])
        tally.xcoms += len(xcoms)


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
        dag = remembered_dag(dag_id, found.task_names(dag_id), found.structure(dag_id))
        data = encode_dag(dag)
        new.append(NewVersion(dag_id, structure_hash(data), data, summary=summary_of(dag)))
    return versions | tx.versions.add(new, choice.now)


def _go_on_after(tx: Transaction, dag_ids: Collection[str], choice: Choice) -> None:
    """What comes next is reckoned from the last run. Of a DAG that no file has yet, it will be when one does."""
    structures = Structures()
    following = {}
    for record in tx.dags.lock(dag_ids):
        if record.is_stale or record.version_key is None:
            continue
        with suppress(DagUnusable):  # the scheduler will say so
            dag = structures.get(tx, record.version_key).dag
            following[record.dag_id] = next_run_of(tx, dag, choice.now)
    tx.dags.set_next_runs(following)
