"""Which tasks a group consists of."""

from tradewind.errors import UnknownGroup
from tradewind.model.dag import Dag


def tasks_of_group(dag: Dag, group_id: str) -> list[str]:
    """The tasks of a group and of all groups in it. Raises `UnknownGroup`."""
    parents = {group.group_id: group.parent_id for group in dag.groups}
    if group_id not in parents:
        raise UnknownGroup(dag.dag_id, group_id)

    def is_within(inner: str | None) -> bool:
        return inner is not None and (inner == group_id or is_within(parents.get(inner)))

    return [task.task_id for task in dag.tasks if is_within(task.group_id)]
