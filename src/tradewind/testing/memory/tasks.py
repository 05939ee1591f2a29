"""Questions of tasks about task instances, answered from the database of the test."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from tradewind.model.ids import UNMAPPED
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_STATES, TaskState
from tradewind.model.task import TaskInstance
from tradewind.model.task_answers import PreviousTIResult
from tradewind.testing.memory.runs import StoredRuns


class StoredTasks(StoredRuns):
    """See `sdk.runtime.TaskRuntime`."""

    def count_task_instances(
        self,
        dag_id: str,
        *,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        runs = self.chosen_runs(dag_id, logical_dates, run_ids)
        chosen = self._task_ids(dag_id, task_ids, task_group_id)
        return sum(
            states is None or state_word(task) in states
            for run in runs
            for task in self._instances(run, chosen, map_index)
        )

    def get_task_states(
        self,
        dag_id: str,
        *,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
    ) -> Mapping[str, Mapping[str, str | None]]:
        chosen = self._task_ids(dag_id, task_ids, task_group_id)
        found: dict[str, dict[str, str | None]] = {}
        for run in self.chosen_runs(dag_id, logical_dates, run_ids):
            for task in self._instances(run, chosen, map_index):
                name = task.task_id if task.map_index == UNMAPPED else f"{task.task_id}_{task.map_index}"
                found.setdefault(run.run_id, {})[name] = state_word(task)
        return found

    def get_task_breadcrumbs(self, dag_id: str, run_id: str) -> Sequence[Mapping[str, Any]]:
        runs = self.chosen_runs(dag_id, None, [run_id])
        return [
            {
                "task_id": task.task_id,
                "map_index": task.map_index,
                "state": state_word(task),
                "operator": task.operator,
                "duration": _seconds(task),
            }
            for run in runs
            for task in self._instances(run, None, None)
            if task.state in FINISHED_STATES
        ]

    def get_previous_task_instance(
        self,
        dag_id: str,
        task_id: str,
        *,
        logical_date: datetime | None = None,
        map_index: int = -1,
        state: str | None = None,
    ) -> PreviousTIResult | None:
        runs = self.chosen_runs(dag_id, None, None)
        for run in reversed(runs):
            if logical_date is None or run.ordering_at < logical_date:
                for task in self._instances(run, [task_id], map_index):
                    if state is None or state_word(task) == state:
                        return _as_previous(task, run)
        return None

    def get_first_reschedule_date(self) -> datetime | None:
        return self.seat.first_poke_at

    def set_rendered_fields(self, fields: Mapping[str, Any]) -> None:
        self.seat.memory.rendered[self.seat.key] = dict(fields)

    def set_rendered_map_index(self, rendered_map_index: str) -> None:
        self.seat.memory.map_index_names[self.seat.key] = rendered_map_index

    def _task_ids(self, dag_id: str, task_ids: Sequence[str] | None, group_id: str | None) -> Sequence[str] | None:
        if group_id is None:
            return task_ids
        dag = self.seat.premises.dags.get(dag_id)
        group = None if dag is None else dag.task_group_dict.get(group_id)
        members = [] if group is None else [task.task_id for task in group.iter_tasks()]
        return [*(task_ids or ()), *members]

    def _instances(self, run: Run, task_ids: Sequence[str] | None, map_index: int | None) -> Iterator[TaskInstance]:
        for task in self.seat.premises.transact(lambda tx: tx.tasks.instances(run.key, task_ids)):
            if map_index is None or task.map_index == map_index:
                yield task


def state_word(task: TaskInstance) -> str | None:
    """The state as tasks know it: no status is `None`."""
    return None if task.state is TaskState.NONE else task.state.value


def _seconds(task: TaskInstance) -> float | None:
    if task.started_at is None or task.finished_at is None:
        return None
    return (task.finished_at - task.started_at).total_seconds()


def _as_previous(task: TaskInstance, run: Run) -> PreviousTIResult:
    return PreviousTIResult(
        task_id=task.task_id,
        dag_id=task.dag_id,
        run_id=task.run_id,
        try_number=task.try_number,
        logical_date=run.logical_date,
        start_date=task.started_at,
        end_date=task.finished_at,
        state=state_word(task),
        map_index=task.map_index,
        duration=_seconds(task),
    )
