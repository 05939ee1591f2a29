"""How many of the runs that somebody waits for have reached a state."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from tradewind.sdk.runtime import current_runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTarget:
    """Tasks, a task group, or else whole runs, of the runs with these ids or logical dates."""

    dag_id: str
    task_ids: tuple[str, ...] = ()
    task_group_id: str | None = None
    run_ids: tuple[str, ...] | None = None
    logical_dates: tuple[datetime, ...] | None = None

    @property
    def is_whole_run(self) -> bool:
        """Whether no task is named."""
        return not self.task_ids and self.task_group_id is None


def count_runs_with_all(target: ExternalTarget, states: Collection[str]) -> int:
    """In how many of the runs all that is waited for is there and in one of the states."""
    if target.is_whole_run:
        return _count_runs(target, states)
    return sum(_all_there(target, tasks) and _all_in(tasks, states) for tasks in _task_states(target).values())


def count_runs_with_any(target: ExternalTarget, states: Collection[str]) -> int:
    """In how many of the runs anything that is waited for is in one of the states.

    One failed task fails a group here, as in Airflow 2; in Airflow 3 only the failure of all its tasks does.
    """
    if target.is_whole_run:
        return _count_runs(target, states)
    return sum(any(state in states for state in tasks.values()) for tasks in _task_states(target).values())


def _count_runs(target: ExternalTarget, states: Collection[str]) -> int:
    return current_runtime().count_dag_runs(
        target.dag_id,
        run_ids=target.run_ids,
        logical_dates=target.logical_dates,
        states=[str(state) for state in states],
    )


def _task_states(target: ExternalTarget) -> Mapping[str, Mapping[str, str | None]]:
    return current_runtime().get_task_states(
        target.dag_id,
        task_ids=target.task_ids or None,
        task_group_id=target.task_group_id,
        run_ids=target.run_ids,
        logical_dates=target.logical_dates,
    )


def _all_in(tasks: Mapping[str, str | None], states: Collection[str]) -> bool:
    return bool(tasks) and all(state in states for state in tasks.values())


def _all_there(target: ExternalTarget, tasks: Mapping[str, str | None]) -> bool:
    # An instance of a mapped task has its index behind the id, as in `load_3`.
    unmapped = {name.rpartition("_")[0] for name in tasks if name.rpartition("_")[2].isdigit()}
    return all(task_id in tasks or task_id in unmapped for task_id in target.task_ids)
