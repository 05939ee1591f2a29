"""What makes a DAG usable: the rules that a published DAG keeps, checked once, before it is stored.

Everything that reads a DAG afterwards relies on them: ids are unique, edges lead somewhere and never in a
circle, a mapping waits for what it maps over. All problems are reported together, not one at a time.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from tradewind.model.dag import Dag, Task, TaskGroup
from tradewind.model.dag_graph import DagGraph, mapped_over, parts_of
from tradewind.model.mapping import FixedLength, MapLength, OutputLength
from tradewind.model.states import TaskRole, TriggerRule

MAX_ID_LENGTH: Final = 250
_ID: Final = re.compile(r"[\w.-]+")
_MAX_WEIGHT: Final = 2**31 - 1
_LISTED_NAMES: Final = 20

_FAIL_FAST_RULES: Final = frozenset({TriggerRule.ALL_SUCCESS, TriggerRule.ALL_DONE_SETUP_SUCCESS})


class InvalidDag(ValueError):
    """The DAG contradicts itself; `problems` says how, one sentence each."""

    def __init__(self, dag_id: str, problems: tuple[str, ...]) -> None:
        super().__init__("\n- ".join((f"DAG {dag_id!r} cannot be used:", *problems)))
        self.dag_id = dag_id
        self.problems = problems


def check_dag(dag: Dag) -> None:
    """Raise `InvalidDag` with every problem that the DAG has."""
    graph = DagGraph(dag)
    problems = (
        *_id_problems(dag),
        *_dag_setting_problems(dag),
        *(problem for task in dag.tasks for problem in _task_setting_problems(task)),
        *_edge_problems(dag),
        *_cycle_problems(graph),
        *_group_problems(dag, graph),
        *_trigger_rule_problems(dag, graph),
        *_mapping_problems(dag, graph),
    )
    if problems:
        raise InvalidDag(dag.dag_id, problems)


def _id_problems(dag: Dag) -> Iterator[str]:
    yield from _bad_id("DAG", dag.dag_id)
    taken: set[str] = set()
    for what, identifier in (
        *(("task", task.task_id) for task in dag.tasks),
        *(("group", group.group_id) for group in dag.groups),
    ):
        yield from _bad_id(what, identifier)
        if identifier in taken:
            # One namespace, as in Airflow: a branch may name a task or a group.
            yield f"the {what} id {identifier!r} is already taken by another task or group"
        taken.add(identifier)


def _bad_id(what: str, identifier: str) -> Iterator[str]:
    if not identifier:
        yield f"a {what} has an empty id"
    elif len(identifier) > MAX_ID_LENGTH:
        yield f"the {what} id {identifier[:50]!r}... is longer than {MAX_ID_LENGTH} characters"
    elif _ID.fullmatch(identifier) is None:
        yield f"the {what} id {identifier!r} has a character other than letters, digits, '_', '-' and '.'"
    elif ".." in identifier or identifier == ".":
        # Ids become parts of paths and URLs.
        yield f"the {what} id {identifier!r} would be read as a step in a path"


def _dag_setting_problems(dag: Dag) -> Iterator[str]:
    yield from _too_small("the DAG", "max_active_tasks", dag.max_active_tasks, 1)
    yield from _too_small("the DAG", "max_active_runs", dag.max_active_runs, 1)
    yield from _too_small("the DAG", "max_consecutive_failed_runs", dag.max_consecutive_failed_runs, 0)
    yield from _too_small("the DAG", "run_timeout_s", dag.run_timeout_s, 0)
    yield from _bad_period("the DAG", dag.start_at, dag.end_at)
    for grant in dag.access:
        if not 0 < len(grant.role) <= MAX_ID_LENGTH or not grant.role.isprintable():
            yield f"access_control names the role {grant.role[:50]!r}: roles have 1 to {MAX_ID_LENGTH} characters"
    for tag in dag.tags:
        if len(tag) > MAX_ID_LENGTH or not tag.isprintable():
            yield f"the tag {tag[:50]!r} is longer than {MAX_ID_LENGTH} characters or has some that cannot be shown"


def _task_setting_problems(task: Task) -> Iterator[str]:
    who = f"task {task.task_id!r}"
    yield from _too_small(who, "pool_slots", task.pool_slots, 1)
    yield from _too_small(who, "max_active_per_dag", task.max_active_per_dag, 1)
    yield from _too_small(who, "max_active_per_run", task.max_active_per_run, 1)
    yield from _too_small(who, "execution_timeout_s", task.execution_timeout_s, 0)
    yield from _too_small(who, "retries", task.retry.retries, 0)
    yield from _too_small(who, "retry delay_s", task.retry.delay_s, 0)
    yield from _too_small(who, "retry multiplier", task.retry.multiplier, 0)
    yield from _too_small(who, "retry max_delay_s", task.retry.max_delay_s, 0)
    if not -_MAX_WEIGHT - 1 <= task.priority_weight <= _MAX_WEIGHT:
        yield f"{who} has the priority_weight {task.priority_weight}, which does not fit into 32 bits"
    yield from _bad_period(who, task.start_at, task.end_at)


def _too_small(who: str, setting: str, value: float | None, least: int) -> Iterator[str]:
    # Written so that NaN, which is neither below nor above, is refused too.
    if value is not None and not value >= least:
        yield f"{who} has {setting} = {value}, but the least is {least}"


def _bad_period(who: str, start_at: datetime | None, end_at: datetime | None) -> Iterator[str]:
    bounds = [bound for bound in (start_at, end_at) if bound is not None]
    if any(bound.utcoffset() is None for bound in bounds):
        yield f"{who} has a start or end without a time zone"
    elif bounds and bounds[-1] < bounds[0]:
        yield f"{who} ends at {bounds[-1]}, before it starts at {bounds[0]}"


def _edge_problems(dag: Dag) -> Iterator[str]:
    known = {task.task_id for task in dag.tasks}
    for task in dag.tasks:
        for upstream_id in dict.fromkeys(task.upstream):
            if upstream_id == task.task_id:
                yield f"task {task.task_id!r} depends on itself"
            elif upstream_id not in known:
                yield f"task {task.task_id!r} depends on {upstream_id!r}, which is not a task of the DAG"


def _cycle_problems(graph: DagGraph) -> Iterator[str]:
    cycle = graph.cycle()
    if cycle:
        yield f"the tasks {_listed(cycle)} depend on each other in a circle"


def _group_problems(dag: Dag, graph: DagGraph) -> Iterator[str]:
    known = {group.group_id for group in dag.groups}
    for task in dag.tasks:
        if task.group_id is not None and task.group_id not in known:
            yield f"task {task.task_id!r} is in the group {task.group_id!r}, which the DAG does not have"
    for group in dag.groups:
        if group.parent_id is not None and group.parent_id not in known:
            yield f"group {group.group_id!r} is in the group {group.parent_id!r}, which the DAG does not have"
    if graph.group_circle:
        yield f"the groups {_listed(graph.group_circle)} contain each other in a circle"


def _trigger_rule_problems(dag: Dag, graph: DagGraph) -> Iterator[str]:
    for task in dag.tasks:
        if dag.fail_fast and task.trigger_rule not in _FAIL_FAST_RULES:
            yield (
                f"task {task.task_id!r} has the trigger rule {task.trigger_rule.value}, but a fail_fast DAG"
                " allows only all_success and all_done_setup_success"
            )
        if task.role is TaskRole.TEARDOWN or task.trigger_rule is TriggerRule.ALL_SUCCESS:
            continue
        for upstream_id in task.upstream:
            if upstream_id in graph.tasks and graph.tasks[upstream_id].role is TaskRole.SETUP:
                yield (
                    f"task {task.task_id!r} comes directly after the setup {upstream_id!r},"
                    f" so its trigger rule must be all_success, not {task.trigger_rule.value}"
                )


def _mapping_problems(dag: Dag, graph: DagGraph) -> Iterator[str]:
    for task in dag.tasks:
        if task.mapping is not None:
            yield from _mapped_task_problems(task, task.mapping, graph)
    for group in dag.groups:
        if group.mapping is not None:
            yield from _mapped_group_problems(group, group.mapping, graph)


def _mapped_task_problems(task: Task, mapping: MapLength, graph: DagGraph) -> Iterator[str]:
    who = f"task {task.task_id!r}"
    outer = graph.mapped_group(task.group_id)
    if outer is not None:
        yield f"{who} is mapped inside the mapped group {outer!r}, which is not supported"
    yield from _length_problems(who, mapping)
    for source in mapped_over(mapping):
        if source not in graph.tasks:
            yield f"{who} maps over {source!r}, which is not a task of the DAG"
        elif not graph.is_upstream(source, task.task_id):
            yield f"{who} maps over the task {source!r}, which is not upstream of it"


def _mapped_group_problems(group: TaskGroup, mapping: MapLength, graph: DagGraph) -> Iterator[str]:
    who = f"group {group.group_id!r}"
    outer = graph.mapped_group(group.parent_id)
    if outer is not None and outer != group.group_id:
        yield f"{who} is mapped inside the mapped group {outer!r}, which is not supported"
    yield from _length_problems(who, mapping)
    members = graph.mapped_members(group.group_id)
    for source in mapped_over(mapping):
        if source not in graph.tasks:
            yield f"{who} maps over {source!r}, which is not a task of the DAG"
        elif source in members:
            yield f"{who} maps over the task {source!r}, which is inside the group itself"
        else:
            early = next((member for member in members if not graph.is_upstream(source, member)), None)
            if early is not None:
                yield f"{who} maps over the task {source!r}, which is not upstream of its task {early!r}"


def _length_problems(who: str, mapping: MapLength) -> Iterator[str]:
    for part in parts_of(mapping):
        if isinstance(part, FixedLength):
            yield from _too_small(who, "mapped length", part.length, 0)
        elif not isinstance(part, OutputLength) and not part.parts:
            yield f"{who} is mapped over a {part.kind} of nothing"


def _listed(names: Sequence[str]) -> str:
    hidden = len(names) - _LISTED_NAMES
    return ", ".join(map(repr, names[:_LISTED_NAMES])) + (f" and {hidden} more" if hidden > 0 else "")
