"""Which updates of assets a DAG hears of, and what the names in its schedule stand for."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from tradewind.decide.assets import KnownAsset, Leaf, Meaning, leaves, meant_by
from tradewind.model.asset import AssetAliasRef, AssetExpression, AssetKey
from tradewind.model.dag import Dag
from tradewind.model.timetable import AssetAndTime, PartitionedAssets, Timetable
from tradewind.operations.deliver_events import ALIAS, ASSET, NAME, OF_PARTITIONS, URI, change_listeners
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.schedule_stores import Listener


def listen_to_assets(
    tx: Transaction, dags: Sequence[Dag], keys: Mapping[tuple[str, str], AssetKey], now: datetime
) -> None:
    """Let locked DAGs hear of what their schedules name from now on. `keys`: of the assets that they declare.

    What waits for them of other assets is forgotten. What they consumed is not: no schedule can consume it again.
    """
    conditions = {dag.dag_id: dag.assets for dag in dags if dag.assets is not None and starts_runs(dag)}
    timetables = {dag.dag_id: dag.timetable for dag in dags}
    listeners = {
        listener
        for dag_id, condition in conditions.items()
        for leaf in leaves(condition)
        for listener in _listeners(dag_id, leaf, keys)
        for listener in _heard(listener, timetables[dag_id])
    }
    change_listeners(tx, [dag.dag_id for dag in dags], listeners)
    if conditions:
        meaning = meaning_of(tx, conditions.values())
        for dag_id, condition in conditions.items():
            tx.deliveries.keep_only(dag_id, awaited_assets(condition, meaning))
            # Its mappers may be other ones than before.
            tx.deliveries.undo_mapping(dag_id)
        tx.dag_changes.record(conditions, now)


def starts_runs(dag: Dag) -> bool:
    """Whether updates of assets start runs of the DAG at all."""
    return dag.assets is not None


def look_again(tx: Transaction, dag_ids: Collection[str], now: datetime) -> None:
    """Have a scheduler look at those of the DAGs that wait for assets."""
    listening = tx.deliveries.listening(dag_ids) if dag_ids else ()
    tx.dag_changes.record(listening, now)


def meaning_of(tx: Transaction, conditions: Iterable[AssetExpression]) -> Meaning:
    """What all names and aliases in these conditions stand for now."""
    named = [leaf for condition in conditions for leaf in leaves(condition)]
    aliases = {leaf.name for leaf in named if isinstance(leaf, AssetAliasRef)}
    refs = [leaf for leaf in named if not isinstance(leaf, AssetAliasRef)]
    names = {ref.name for ref in refs if ref.name is not None}
    uris = {ref.uri for ref in refs if ref.name is None and ref.uri is not None}
    records = tx.assets.named(names, uris) if refs else []
    known = [KnownAsset(record.key, record.name, record.uri, record.is_active) for record in records]
    return Meaning(known, tx.assets.attached_to(aliases) if aliases else {})


def awaited_assets(condition: AssetExpression, meaning: Meaning) -> set[AssetKey]:
    """All assets whose updates count for it."""
    return {key for leaf in leaves(condition) for key in meant_by(leaf, meaning)}


def _heard(listener: Listener, timetable: Timetable) -> list[Listener]:
    """As in Airflow, an update of one partition starts no run of a DAG that knows no partitions, nor the reverse."""
    of_partitions = listener._replace(kind=OF_PARTITIONS + listener.kind)
    if isinstance(timetable, PartitionedAssets):
        return [of_partitions]
    return [listener, of_partitions] if isinstance(timetable, AssetAndTime) else [listener]


def _listeners(dag_id: str, leaf: Leaf, keys: Mapping[tuple[str, str], AssetKey]) -> list[Listener]:
    if isinstance(leaf, AssetAliasRef):
        return [Listener(dag_id, ALIAS, leaf.name)]
    if leaf.name is not None and leaf.uri is not None:
        return [Listener(dag_id, ASSET, str(keys[leaf.name, leaf.uri]))]
    if leaf.name is not None:
        return [Listener(dag_id, NAME, leaf.name)]
    return [] if leaf.uri is None else [Listener(dag_id, URI, leaf.uri)]
