"""Questions about task instances, and what others shall see of the running one."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from tradewind.errors import UnknownDag
from tradewind.model.ids import UNMAPPED
from tradewind.model.json_value import JsonValue
from tradewind.model.states import FINISHED_STATES, TaskState
from tradewind.model.task import TaskInstance
from tradewind.model.task_answers import PreviousTIResult
from tradewind.operations.task_groups import tasks_of_group
from tradewind.operations.task_requests.request import TaskRequest
from tradewind.storage.interface.lookup_store import RunFilter, TaskFilter


class TaskInstanceRequest(TaskRequest):
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
        which = TaskFilter(
            runs=RunFilter(dag_id=dag_id, logical_dates=logical_dates, run_ids=run_ids),
            task_ids=self._with_members(dag_id, task_ids, task_group_id),
            map_index=map_index,
            states=states,
        )
        return self.tx.lookups.count_tasks(which)

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
        which = TaskFilter(
            runs=RunFilter(dag_id=dag_id, logical_dates=logical_dates, run_ids=run_ids),
            task_ids=self._with_members(dag_id, task_ids, task_group_id),
            map_index=map_index,
        )
        found: dict[str, dict[str, str | None]] = {}
        for task in self.tx.lookups.task_states(which):
            name = task.task_id if task.map_index == UNMAPPED else f"{task.task_id}_{task.map_index}"
            found.setdefault(task.run_id, {})[name] = _state_word(task.state)
        return found

    def get_task_breadcrumbs(self, dag_id: str, run_id: str) -> Sequence[Mapping[str, JsonValue]]:
        run_key = self.find_run_key(dag_id, run_id)
        return [
            {
                "task_id": task.task_id,
                "map_index": task.map_index,
                "state": _state_word(task.state),
                "operator": task.operator,
                "duration": _seconds(task),
            }
            for task in (() if run_key is None else self.tx.tasks.instances(run_key))
            if task.state in FINISHED_STATES
        ]

    def get_previous_task_instance(
        self,
        dag_id: str,
        task_id: str,
        *,
        logical_date: datetime | None = None,
        map_index: int = UNMAPPED,
        state: str | None = None,
    ) -> PreviousTIResult | None:
        found = self.tx.lookups.task_before(dag_id, task_id, map_index, before=logical_date, state=state)
        if found is None:
            return None
        task, date = found
        return PreviousTIResult(
            task_id=task.task_id,
            dag_id=task.dag_id,
            run_id=task.run_id,
            try_number=task.try_number,
            logical_date=date,
            start_date=task.started_at,
            end_date=task.finished_at,
            state=_state_word(task.state),
            map_index=task.map_index,
            duration=_seconds(task),
        )

    def get_first_reschedule_date(self) -> datetime | None:
        """A try keeps the date of its first start through all its reschedules."""
        task = self.tx.lookups.task(self.asker.key)
        return task.started_at if task is not None and task.reschedules else None

    def set_rendered_fields(self, fields: Mapping[str, JsonValue]) -> None:
        self.tx.rendered.put({self.asker.key: fields})

    def set_rendered_map_index(self, rendered_map_index: str) -> None:
        self.tx.rendered.name_instances({self.asker.key: rendered_map_index})

    def _with_members(self, dag_id: str, task_ids: Sequence[str] | None, group_id: str | None) -> Sequence[str] | None:
        """The task ids, and those of the tasks in a group as the DAG has them now.

        Raises UnknownDag, DagUnusable and UnknownGroup: nobody shall wait for a group that there is not.
        """
        if group_id is None:
            return task_ids
        record = self.tx.dags.find(dag_id)
        if record is None or record.version_key is None:
            raise UnknownDag(dag_id)
        dag = self.structures.get(self.tx, record.version_key).dag
        return [*(task_ids or ()), *tasks_of_group(dag, group_id)]


def _state_word(state: TaskState) -> str | None:
    """The state as tasks know it: no status is `None`."""
    return None if state is TaskState.NONE else state.value


def _seconds(task: TaskInstance) -> float | None:
    if task.started_at is None or task.finished_at is None:
        return None
    return (task.finished_at - task.started_at).total_seconds()
