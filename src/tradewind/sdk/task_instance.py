"""The running task instance: what tasks know as `ti`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import UUID

from tradewind.model.task_answers import DagResult, DagRunResult, PreviousTIResult
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import whole
from tradewind.sdk.exceptions import XComNotFound
from tradewind.sdk.in_thread import in_thread
from tradewind.sdk.notset import NOTSET, ArgNotSet
from tradewind.sdk.operator_link import TaskInstanceKey
from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.xcom import BaseXCom, resolve_xcom_backend
from tradewind.sdk.xcom_arg import XCOM_RETURN_KEY
from tradewind.sdk.xcom_sequence import LazyXComSequence

if TYPE_CHECKING:
    import jinja2

    from tradewind.sdk.abstract_operator import AbstractOperator
    from tradewind.sdk.context import Context


class _XComAccess:
    """Pushes and pulls XComs in the name of a task instance."""

    dag_id: str
    task_id: str
    run_id: str
    map_index: int
    task: Any

    def xcom_push(self, key: str, value: Any) -> None:
        """Leave a value for other tasks."""
        resolve_xcom_backend().set(
            key, value, dag_id=self.dag_id, task_id=self.task_id, run_id=self.run_id, map_index=self.map_index
        )

    async def axcom_push(self, key: str, value: Any) -> None:
        """`xcom_push` for coroutines."""
        await in_thread(self.xcom_push, key, value)

    def xcom_pull(
        self,
        task_ids: str | Iterable[str] | None = None,
        dag_id: str | None = None,
        key: str = XCOM_RETURN_KEY,
        include_prior_dates: bool = False,
        *,
        map_indexes: int | Iterable[int] | ArgNotSet | None = NOTSET,
        default: Any = None,
        run_id: str | None = None,
    ) -> Any:
        """What tasks left. Without task ids, what this very task instance left.

        One task gives its value, or the values of all its map indexes as a list if it is mapped. Several tasks, or
        several map indexes, give a list in the order in which they were named.
        """
        names = [self.task_id] if task_ids is None else [task_ids] if isinstance(task_ids, str) else list(task_ids)
        is_single_task = task_ids is None or isinstance(task_ids, str)
        where = {"key": key, "dag_id": dag_id or self.dag_id, "run_id": run_id or self.run_id}
        backend = resolve_xcom_backend()
        if task_ids is None and isinstance(map_indexes, ArgNotSet):
            map_indexes = self.map_index
        if isinstance(map_indexes, ArgNotSet):
            pulled: list[Any] = []
            for name in names:
                found = backend.get_all(task_id=name, include_prior_dates=include_prior_dates, **where)
                if found is not None and is_single_task and self._is_mapped(name, where["dag_id"]):
                    return found
                pulled.extend([default] if found is None else found)
            return pulled[0] if is_single_task and len(pulled) == 1 else pulled
        is_single_index = map_indexes is None or isinstance(map_indexes, int)
        values = [
            backend.get_one(task_id=name, map_index=index, include_prior_dates=include_prior_dates, **where)
            for name, index in product(names, _as_indexes(map_indexes))
        ]
        values = [default if value is None else value for value in values]
        return values[0] if is_single_task and is_single_index else values

    def _is_mapped(self, task_id: str, dag_id: str) -> bool:
        """Whether there is one of it per map index, so that even a single value is one of a list. Unlike in Airflow,
        where a mapped task with one copy gives the bare value."""
        dag = self.task.dag if dag_id == self.dag_id else None
        return dag is not None and dag.has_task(task_id) and dag.get_task(task_id).get_needs_expansion()

    async def axcom_pull(self, *args: Any, **kwargs: Any) -> Any:
        """`xcom_pull` for coroutines, with the same arguments."""
        return await in_thread(lambda: self.xcom_pull(*args, **kwargs))

    def pull_output(self, operator: AbstractOperator, key: str = XCOM_RETURN_KEY) -> Any:
        """What an upstream task left for this one.

        The outputs of a mapped task are a sequence, except inside a mapped group that both are in: there, each
        instance sees that of its own map index.
        """
        map_index = self._visible_index(operator)
        if map_index is None:
            return LazyXComSequence(dag_id=self.dag_id, run_id=self.run_id, task_id=operator.task_id, key=key)
        value = resolve_xcom_backend().get_one(
            key=key,
            dag_id=self.dag_id,
            run_id=self.run_id,
            task_id=operator.task_id,
            map_index=map_index,
        )
        if value is None and key != XCOM_RETURN_KEY and not getattr(operator, "multiple_outputs", False):
            raise XComNotFound(self.dag_id, operator.task_id, key)
        return value

    def pull_element(self, operator: AbstractOperator, index: int) -> tuple[Any, int] | None:
        """One element of the list that an upstream task returned, and the length of the list, without all the others.

        Beyond the last element, the first comes again. `None` where it takes the whole output: only our own backend is
        known to store a list element by element.
        """
        map_index = self._visible_index(operator)
        if map_index is None or resolve_xcom_backend() is not BaseXCom:
            return None
        found = current_runtime().get_xcom_element(
            dag_id=self.dag_id,
            run_id=self.run_id,
            task_id=operator.task_id,
            key=XCOM_RETURN_KEY,
            map_index=map_index,
            index=index,
        )
        return None if found is None else (BaseXCom.deserialize_value(found), found.length)

    def _visible_index(self, operator: AbstractOperator) -> int | None:
        """The map index of an upstream task whose output this instance sees; `None` if it sees those of all."""
        group = operator.get_closest_mapped_task_group()
        if operator.is_mapped or (group is not None and group not in self.task.iter_mapped_task_groups()):
            return None
        return -1 if group is None else self.map_index


def _as_indexes(map_indexes: object) -> list[int | None]:
    if map_indexes is None or isinstance(map_indexes, int):
        return [map_indexes]
    if isinstance(map_indexes, Iterable) and not isinstance(map_indexes, str):
        return list(map_indexes)
    raise TypeError(f"map_indexes has to be a number, several numbers, or None, not {map_indexes!r}")


class _OtherRuns:
    """Questions about other runs and task instances."""

    @staticmethod
    def get_ti_count(
        dag_id: str,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        """How many task instances are among these."""
        return current_runtime().count_task_instances(
            dag_id,
            map_index=map_index,
            task_ids=task_ids,
            task_group_id=task_group_id,
            logical_dates=logical_dates,
            run_ids=run_ids,
            states=states,
        )

    @staticmethod
    def get_task_states(
        dag_id: str,
        map_index: int | None = None,
        task_ids: Sequence[str] | None = None,
        task_group_id: str | None = None,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
    ) -> Mapping[str, Mapping[str, str | None]]:
        """The states of task instances, by run and task."""
        return current_runtime().get_task_states(
            dag_id,
            map_index=map_index,
            task_ids=task_ids,
            task_group_id=task_group_id,
            logical_dates=logical_dates,
            run_ids=run_ids,
        )

    @staticmethod
    def get_dr_count(
        dag_id: str,
        logical_dates: Sequence[datetime] | None = None,
        run_ids: Sequence[str] | None = None,
        states: Sequence[str] | None = None,
    ) -> int:
        """How many runs are among these."""
        return current_runtime().count_dag_runs(dag_id, logical_dates=logical_dates, run_ids=run_ids, states=states)

    @staticmethod
    def get_dagrun_state(dag_id: str, run_id: str) -> str | None:
        """The state of a run."""
        return current_runtime().get_dag_run_state(dag_id, run_id)

    @staticmethod
    def get_dag(dag_id: str) -> DagResult | None:
        """What is stored about a DAG."""
        return current_runtime().get_dag(dag_id)

    @staticmethod
    def get_task_breadcrumbs(dag_id: str, run_id: str) -> Sequence[Mapping[str, Any]]:
        """What error trackers show of a run."""
        return current_runtime().get_task_breadcrumbs(dag_id, run_id)


@dataclass(eq=False)
class RuntimeTaskInstance(_XComAccess, _OtherRuns):
    """One attempt of one task in one run, while it runs."""

    id: UUID
    dag_id: str
    task_id: str
    run_id: str
    try_number: int
    task: Any = field(repr=False)
    dag_run: DagRunResult = field(repr=False)
    start_date: datetime
    map_index: int = -1
    max_tries: int = 0
    dag_version_id: UUID | None = None
    hostname: str | None = None
    end_date: datetime | None = None
    state: TaskInstanceState | None = TaskInstanceState.RUNNING
    is_mapped: bool = False
    rendered_map_index: str | None = None
    task_reschedule_count: int = 0
    expanded_ti_count: int | None = None
    test_mode: bool = False
    _context: Context | None = field(default=None, init=False, repr=False)

    @property
    def key(self) -> TaskInstanceKey:
        """Which attempt of which task instance."""
        return TaskInstanceKey(self.dag_id, self.task_id, self.run_id, self.try_number, self.map_index)

    @property
    def logical_date(self) -> datetime | None:
        """The logical date of the run."""
        return self.dag_run.logical_date

    @property
    def log_url(self) -> str:
        """The page with the log of this attempt."""
        base = str(conf.get("api", "base_url", fallback="") or "http://localhost:8080").rstrip("/")
        mapped = f"/mapped/{self.map_index}" if self.map_index >= 0 else ""
        place = f"/dags/{quote(self.dag_id)}/runs/{quote(self.run_id)}/tasks/{quote(self.task_id)}"
        return f"{base}{place}{mapped}?try_number={self.try_number}"

    @property
    def mark_success_url(self) -> str:
        """The page on which the task instance can be marked."""
        return self.log_url

    @property
    def stats_tags(self) -> dict[str, str]:
        """What metrics about it are tagged with."""
        tags = {"dag_id": self.dag_id, "task_id": self.task_id}
        return {**tags, "team_name": self.dag_run.team_name} if self.dag_run.team_name else tags

    def get_template_context(self) -> Context:
        """The context: always the same object."""
        return whole(self.unfinished_context())

    def unfinished_context(self) -> Context:
        """The same object, for those who look up single keys (see `task_context.TaskContext`)."""
        if self._context is None:
            # Brings pendulum, for which a DAG file that only names this class has no use.
            self._context = import_module("tradewind.sdk.task_context").build_context(self)
        return self._context

    def render_templates(
        self, context: Context | None = None, jinja_env: jinja2.Environment | None = None
    ) -> AbstractOperator:
        """Render the template fields of the task. Returns the task as it was before it was unmapped."""
        original: AbstractOperator = self.task
        self.task.render_template_fields(self.get_template_context() if context is None else context, jinja_env)
        return original

    def get_first_reschedule_date(self, context: Context) -> datetime | None:
        """When the sensor poked first; `None` while it was not rescheduled."""
        return current_runtime().get_first_reschedule_date() if context.get("task_reschedule_count") else None

    def get_previous_dagrun(self, state: str | None = None) -> DagRunResult | None:
        """The run before this one, of a state if one is given."""
        if self.dag_run.logical_date is None:
            return None
        return current_runtime().get_previous_dag_run(
            self.dag_id, logical_date=self.dag_run.logical_date, state=_word(state)
        )

    def get_previous_ti(
        self, state: str | None = None, logical_date: datetime | None = None, map_index: int = -1
    ) -> PreviousTIResult | None:
        """This task in the run before this one, or before a date; of a state if one is given."""
        return current_runtime().get_previous_task_instance(
            self.dag_id,
            self.task_id,
            logical_date=logical_date or self.dag_run.logical_date,
            map_index=map_index,
            state=_word(state),
        )


def _word(state: Any) -> str | None:
    return None if state is None else str(getattr(state, "value", state))


TaskInstance = RuntimeTaskInstance
"""The name under which authors annotate `ti`."""

__all__ = ["RuntimeTaskInstance", "TaskInstance", "TaskInstanceKey"]
