"""What a person wants cleared: tasks by a pattern, in the runs of a time."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tradewind.errors import InvalidRequest, UnknownRun
from tradewind.operations.choose_tasks import Selection, choose_tasks
from tradewind.operations.list_runs import RunFilter, list_runs
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Which tasks of which runs, and how far around them to go."""

    runs: RunFilter
    run_ids: tuple[str, ...] = ()
    """Only these; empty: all that `runs` lets pass."""
    task_pattern: str | None = None
    """Only tasks in whose ids this regular expression is found."""
    upstream: bool = False
    downstream: bool = False
    only_failed: bool = False
    only_running: bool = False


def select_tasks(
    tx: Transaction, dag_ids: Sequence[str], wanted: TaskFilter, structures: Structures
) -> list[Selection]:
    """One selection for each run that has such tasks.

    Raises:
        UnknownDag: as the name says.
        UnknownRun: none of the DAGs has a run that was asked for by name.
        InvalidRequest: the pattern is no regular expression.
    """
    for run_id in wanted.run_ids:
        if dag_ids and all(tx.runs.find(dag_id, run_id) is None for dag_id in dag_ids):
            raise UnknownRun(dag_ids[0], run_id)
    selections = []
    for dag_id in dag_ids:
        for run in list_runs(tx, dag_id, wanted.runs):
            if wanted.run_ids and run.run_id not in wanted.run_ids:
                continue
            known = [task.task_id for task in structures.get(tx, run.version_key).tasks]
            task_ids = _matching(known, wanted.task_pattern)
            if task_ids is None or task_ids:
                selections.append(
                    Selection(
                        dag_id,
                        run.run_id,
                        task_ids,
                        upstream=wanted.upstream,
                        downstream=wanted.downstream,
                        only_failed=wanted.only_failed,
                        only_running=wanted.only_running,
                    )
                )
    return selections


def name_chosen(tx: Transaction, selections: Sequence[Selection], structures: Structures) -> list[tuple[str, str, str]]:
    """(DAG, run, task) of all that `clear_tasks` would clear, a mapped instance with its index."""
    return [
        (
            chosen.run.dag_id,
            chosen.run.run_id,
            task.task_id if task.map_index < 0 else f"{task.task_id}[{task.map_index}]",
        )
        for selection in selections
        for chosen in choose_tasks(tx, selection, structures, with_setups=True)
        for task in chosen.instances
    ]


def _matching(task_ids: Sequence[str], pattern: str | None) -> tuple[str, ...] | None:
    if pattern is None:
        return None
    try:
        return tuple(task_id for task_id in task_ids if re.search(pattern, task_id))
    except re.error as error:
        raise InvalidRequest(f"{pattern!r} is no regular expression: {error}") from error
