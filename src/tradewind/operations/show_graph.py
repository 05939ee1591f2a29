"""The graph of a DAG: what depends on what, within it and around it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tradewind.decide.assets import leaves
from tradewind.decide.structure import Structure
from tradewind.errors import UnknownDag, UnknownVersion
from tradewind.model.asset import AllAssets, AssetAliasRef, AssetKey, AssetRef
from tradewind.model.dag import Dag
from tradewind.model.ids import VersionKey
from tradewind.model.listing import Condition, Listed, Query, Test
from tradewind.model.states import TaskRole
from tradewind.operations.draw_dags import awaited_dag, triggered_dag
from tradewind.operations.register_assets import INLET, OUTLET, SCHEDULE, asset_uses
from tradewind.operations.show_grid import GridRow, grid_rows
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import AssetRecord

_SCHEDULE_NODE: Final = "schedule:"


class Outside(NamedTuple):
    """Something that a DAG has to do with and that is no task of it."""

    node_id: str
    kind: str
    """`asset`, `alias`, `dag`, or `schedule`: the condition that assets have to meet."""
    label: str
    target: str | None
    """The id of the asset or the DAG. None: it has no page."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What depends on what."""

    rows: list[GridRow]
    edges: list[tuple[str, str, str]]
    """From, to, and what is written at it."""
    roles: Mapping[str, TaskRole]
    """Of the tasks that prepare something or tidy up."""
    outside: list[Outside]
    outside_edges: list[tuple[str, str]]


def show_graph(
    tx: Transaction,
    dag_id: str,
    structures: Structures,
    version_number: int | None = None,
    visible: Collection[str] | None = None,
) -> Graph:
    """Of a version of a DAG; of the current one, if none is named. `visible`: DAGs that may be told of; None: all.

    Raises `UnknownDag`, `UnknownVersion`, `DagUnusable`.
    """
    structure = structures.get(tx, _version(tx, dag_id, version_number))
    dag = structure.dag
    labels = {(label.upstream, label.downstream): label.label for label in dag.edge_labels}
    edges = [(up, task.task_id, labels.get((up, task.task_id), "")) for task in dag.tasks for up in task.upstream]
    roles = {task.task_id: task.role for task in dag.tasks if task.role is not TaskRole.WORK}
    around = _Around(tx, structure, visible)
    outside_edges = list(dict.fromkeys(around.edges()))
    return Graph(list(grid_rows(structure)), edges, roles, list(around.found.values()), outside_edges)


def _version(tx: Transaction, dag_id: str, number: int | None) -> VersionKey:
    record = tx.dags.find(dag_id)
    if record is None or record.version_key is None:
        raise UnknownDag(dag_id)
    if number is None:
        return record.version_key
    conditions = (Condition("dag_id", Test.IS, dag_id), Condition("version_number", Test.IS, number))
    rows = tx.listings.page(Listed.DAG_VERSIONS, Query(conditions, limit=1, is_counted=False)).rows
    if not rows:
        raise UnknownVersion(dag_id, number)
    return VersionKey(int(str(rows[0]["version_key"])))


class _Around:
    """Assets that the DAG waits for, reads and updates, who else has to do with them, and DAGs that its tasks name."""

    def __init__(self, tx: Transaction, structure: Structure, visible: Collection[str] | None) -> None:
        self._tx = tx
        self._dag: Dag = structure.dag
        self._visible = visible
        self.found: dict[str, Outside] = {}

    def edges(self) -> Iterator[tuple[str, str]]:
        """All of them; what they lead to is in `found` afterwards. Some may come twice."""
        yield from self._by_assets()
        for task in self._dag.tasks:
            triggered, awaited = triggered_dag(task), awaited_dag(task)
            if triggered is not None and self._may_see(triggered):
                yield task.task_id, self._other_dag(triggered)
            if awaited is not None and self._may_see(awaited):
                yield self._other_dag(awaited), task.task_id

    def _by_assets(self) -> Iterator[tuple[str, str]]:
        uses = list(asset_uses(self._dag))
        known = self._assets([ref for _, _, _, ref in uses if isinstance(ref, AssetRef)])
        updated: dict[AssetKey, str] = {}
        awaited: dict[AssetKey, str] = {}
        for _, role, task_id, ref in uses:
            record = None if isinstance(ref, AssetAliasRef) else known.get(ref.name or "") or known.get(ref.uri or "")
            node = self._named(ref, record)
            if record is not None and role != INLET:
                (updated if role == OUTLET else awaited)[record.key] = node
            if role == SCHEDULE:
                yield node, self._schedule()
            else:
                yield (task_id, node) if role == OUTLET else (node, task_id)
        if _SCHEDULE_NODE in self.found:
            yield from ((_SCHEDULE_NODE, task.task_id) for task in self._dag.tasks if not task.upstream)
        yield from self._by_others(updated, awaited)

    def _assets(self, refs: Collection[AssetRef]) -> dict[str, AssetRecord]:
        """By name and by URI. Of those that share one, the active one is meant."""
        if not refs:
            return {}
        names = {ref.name for ref in refs if ref.name is not None}
        uris = {ref.uri for ref in refs if ref.uri is not None}
        found = sorted(self._tx.assets.named(names, uris), key=lambda each: each.is_active)
        return {each.uri: each for each in found} | {each.name: each for each in found}

    def _named(self, ref: AssetRef | AssetAliasRef, record: AssetRecord | None) -> str:
        if isinstance(ref, AssetAliasRef):
            return self._add(Outside(f"alias:{ref.name}", "alias", ref.name, None))
        label = ref.name or (record.name if record else ref.uri or "")
        return self._add(Outside(f"asset:{label}", "asset", label, str(record.key) if record else None))

    def _by_others(self, updated: Mapping[AssetKey, str], awaited: Mapping[AssetKey, str]) -> Iterator[tuple[str, str]]:
        """Who updates what this DAG waits for, and who waits for what it updates."""
        keys = tuple({*updated, *awaited})
        if not keys:
            return
        query = Query((Condition("asset_id", Test.ONE_OF, keys),), is_counted=False)
        for row in self._tx.listings.page(Listed.ASSET_REFERENCES, query).rows:
            key, other, role = AssetKey(int(str(row["asset_id"]))), str(row["dag_id"]), row["role"]
            if other == self._dag.dag_id or not self._may_see(other):
                continue
            if role == OUTLET and key in awaited:
                yield self._other_dag(other), awaited[key]
            if role == SCHEDULE and key in updated:
                yield updated[key], self._other_dag(other)

    def _schedule(self) -> str:
        assert self._dag.assets is not None
        label = "all of" if isinstance(self._dag.assets, AllAssets) else "any of"
        if len(list(leaves(self._dag.assets))) == 1:
            label = "schedule"
        return self._add(Outside(_SCHEDULE_NODE, "schedule", label, None))

    def _other_dag(self, dag_id: str) -> str:
        return self._add(Outside(f"dag:{dag_id}", "dag", dag_id, dag_id))

    def _may_see(self, dag_id: str) -> bool:
        return self._visible is None or dag_id in self._visible

    def _add(self, each: Outside) -> str:
        self.found.setdefault(each.node_id, each)
        return each.node_id
