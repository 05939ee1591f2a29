"""What clients may ask lists of task instances for."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import HTTPException
from fastapi import Query as Parameter
from pydantic import ConfigDict, Field

from tradewind.api.paging import MOST_AT_ONCE, Numbers, Texts, matches, one_of, starts_with
from tradewind.api.public.ranges import Ranges, RangesBody
from tradewind.api.public.task_instance_schemas import TaskInstanceState
from tradewind.model.listing import Condition
from tradewind.model.states import TaskState

_ONE_OF: Final = ("pool", "queue", "executor", "version_number", "try_number", "operator", "map_index")
_NO_STATE: Final = frozenset({"none", "null", "no_status"})


@dataclass(kw_only=True)
class MappedFilter(Ranges):
    """What the instances of one task may be asked for."""

    state: Texts
    pool: Texts
    pool_name_pattern: str | None = None
    pool_name_prefix_pattern: str | None = None
    queue: Texts
    queue_name_pattern: str | None = None
    queue_name_prefix_pattern: str | None = None
    executor: Texts
    version_number: Numbers
    try_number: Numbers
    operator: Texts
    operator_name_pattern: str | None = None
    operator_name_prefix_pattern: str | None = None
    map_index: Numbers
    rendered_map_index_pattern: str | None = None
    rendered_map_index_prefix_pattern: str | None = None

    def conditions(self) -> list[Condition | None]:
        """What a list is asked for.

        Raises:
            HTTPException: 422; there is no such state.
        """
        return [
            *self.within_ranges(),
            states_condition(map(state_of, self.state)),
            *(one_of(name, getattr(self, name)) for name in _ONE_OF),
            matches("pool", self.pool_name_pattern),
            starts_with("pool", self.pool_name_prefix_pattern),
            matches("queue", self.queue_name_pattern),
            starts_with("queue", self.queue_name_prefix_pattern),
            matches("operator_name", self.operator_name_pattern),
            starts_with("operator_name", self.operator_name_prefix_pattern),
            matches("rendered_map_index", self.rendered_map_index_pattern),
            starts_with("rendered_map_index", self.rendered_map_index_prefix_pattern),
        ]


@dataclass(kw_only=True)
class InstanceFilter(MappedFilter):
    """What task instances of many tasks may be asked for."""

    task_id: str | None = None
    task_display_name_pattern: str | None = None
    task_display_name_prefix_pattern: str | None = None
    task_group_id: Annotated[
        str | None, Parameter(description="Exactly this group: all tasks within it, at whatever depth.")
    ] = None
    dag_id_pattern: str | None = None
    dag_id_prefix_pattern: str | None = None
    run_id_pattern: str | None = None
    run_id_prefix_pattern: str | None = None

    def conditions(self) -> list[Condition | None]:
        """As those of one task; what a group consists of is the caller's to find out."""
        return [
            *super().conditions(),
            None if self.task_id is None else one_of("task_id", [self.task_id]),
            matches("task_display_name", self.task_display_name_pattern),
            starts_with("task_display_name", self.task_display_name_prefix_pattern),
            matches("dag_id", self.dag_id_pattern),
            starts_with("dag_id", self.dag_id_prefix_pattern),
            matches("run_id", self.run_id_pattern),
            starts_with("run_id", self.run_id_prefix_pattern),
        ]


class TaskInstancesBatchBody(RangesBody):
    """What task instances of all DAGs may be asked for."""

    model_config = ConfigDict(extra="forbid")
    dag_ids: list[str] | None = None
    dag_run_ids: list[str] | None = None
    task_ids: list[str] | None = None
    state: list[TaskInstanceState | None] | None = None
    pool: list[str] | None = None
    queue: list[str] | None = None
    executor: list[str] | None = None
    page_offset: Annotated[int, Field(ge=0)] = 0
    page_limit: Annotated[int, Field(ge=0)] = MOST_AT_ONCE
    order_by: str | None = None

    def conditions(self) -> list[Condition | None]:
        """What the list is asked for."""
        states = None if self.state is None else [None if state is None else TaskState(state) for state in self.state]
        return [
            *self.within_ranges(),
            None if states is None else states_condition(states),
            one_of("dag_id", self.dag_ids),
            one_of("dag_run_id", self.dag_run_ids),
            one_of("task_id", self.task_ids),
            one_of("pool", self.pool),
            one_of("queue", self.queue),
            one_of("executor", self.executor),
        ]


def states_condition(states: Iterable[TaskState | None]) -> Condition | None:
    """One of these; None: no state yet. No condition if there are none."""
    return one_of("stored_state", [(state or TaskState.NONE).value for state in states])


def state_of(name: str) -> TaskState | None:
    """The state that clients call so; None: no state yet.

    Raises:
        HTTPException: 422; there is no such state.
    """
    if name.lower() in _NO_STATE:
        return None
    try:
        return TaskState(name)
    except ValueError:
        known = ", ".join(sorted(state.value for state in TaskState))
        raise HTTPException(422, f"{name!r} is no state of a task instance; use one of: {known}") from None
