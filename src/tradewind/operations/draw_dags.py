"""What leads where: within a DAG, and from DAG to DAG."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tradewind.errors import DagUnusable, UnknownDag
from tradewind.model.dag import Dag, Task
from tradewind.model.listing import Listed, Query
from tradewind.operations.register_assets import OUTLET, SCHEDULE
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

_TRIGGERS: Final = "trigger_dag_id"
_AWAITS: Final = "external_dag_id"
"""What operators that start other DAGs, and sensors that wait for them, call these."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes and edges."""

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    labels: Mapping[str, str]


def tasks_of(tx: Transaction, dag_id: str, structures: Structures) -> Drawing:
    """The tasks of a DAG. Raises `UnknownDag` and `DagUnusable`."""
    record = tx.dags.find(dag_id)
    if record is None:
        raise UnknownDag(dag_id)
    if record.version_key is None:
        raise DagUnusable(dag_id, "it was never parsed")
    dag = structures.get(tx, record.version_key).dag
    edges = tuple((upstream, task.task_id) for task in dag.tasks for upstream in dict.fromkeys(task.upstream))
    labels = {task.task_id: f"{task.task_id} [ ]" for task in dag.tasks if task.mapping is not None}
    return Drawing(tuple(task.task_id for task in dag.tasks), edges, labels)


def dependencies(tx: Transaction, structures: Structures) -> Drawing:
    """DAGs that have to do with each other. Circles are cut where they come round: a picture has a beginning."""
    records = [record for record in tx.dags.all() if not record.is_stale and record.version_key is not None]
    structures.prepare(tx, {record.version_key for record in records if record.version_key is not None})
    edges: dict[tuple[str, str], None] = dict.fromkeys(_by_assets(tx))
    for record in records:
        assert record.version_key is not None
        try:
            dag = structures.get(tx, record.version_key).dag
        except DagUnusable:
            continue
        edges |= dict.fromkeys(_by_tasks(dag))
    kept = _without_circles(edges)
    nodes = dict.fromkeys(node for edge in kept for node in edge)
    return Drawing(tuple(sorted(nodes)), tuple(sorted(kept)), {})


def _by_assets(tx: Transaction) -> Iterator[tuple[str, str]]:
    names = {row["id"]: f"asset:{row['name']}" for row in tx.listings.page(Listed.ASSETS, Query(is_counted=False)).rows}
    for row in tx.listings.page(Listed.ASSET_REFERENCES, Query(is_counted=False)).rows:
        dag, asset = f"dag:{row['dag_id']}", names.get(row["asset_id"])
        if asset is not None and row["role"] == OUTLET:
            yield dag, asset
        elif asset is not None and row["role"] == SCHEDULE:
            yield asset, dag


def _by_tasks(dag: Dag) -> Iterator[tuple[str, str]]:
    for task in dag.tasks:
        triggered, awaited = triggered_dag(task), awaited_dag(task)
        if triggered is not None:
            yield f"dag:{dag.dag_id}", f"dag:{triggered}"
        if awaited is not None:
            yield f"dag:{awaited}", f"dag:{dag.dag_id}"


def triggered_dag(task: Task) -> str | None:
    """The DAG of which a task starts runs."""
    return _argument(task, _TRIGGERS)


def awaited_dag(task: Task) -> str | None:
    """The DAG for which a task waits."""
    return _argument(task, _AWAITS)


def _argument(task: Task, name: str) -> str | None:
    """A plain text that the author gave; a template says nothing before it is rendered."""
    details = task.details if isinstance(task.details, dict) else {}
    arguments = details.get("arguments")
    value = arguments.get(name) if isinstance(arguments, dict) else None
    return value if isinstance(value, str) and "{{" not in value else None


def _without_circles(edges: Mapping[tuple[str, str], None]) -> list[tuple[str, str]]:
    following: dict[str, set[str]] = {}
    kept = []
    for source, target in edges:
        if source != target and not _leads_to(target, source, following):
            following.setdefault(source, set()).add(target)
            kept.append((source, target))
    return kept


def _leads_to(start: str, end: str, following: Mapping[str, set[str]]) -> bool:
    seen, to_see = {start}, [start]
    while to_see:
        node = to_see.pop()
        if node == end:
            return True
        new = following.get(node, set()) - seen
        seen |= new
        to_see.extend(new)
    return False
