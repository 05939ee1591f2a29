"""What DAGs, and ticks that have come, still wait for; from what decides about it."""

from collections.abc import Collection, Mapping
from datetime import datetime

from tradewind.decide.assets import leaves, missing
from tradewind.decide.slots import event_window
from tradewind.errors import DagUnusable
from tradewind.model.asset import AssetAliasRef, AssetExpression
from tradewind.model.dag import Dag
from tradewind.model.slot import Slot, SlotKey
from tradewind.model.slot_policy import EVERYTHING, EventWindow
from tradewind.model.timetable import AssetAndTime
from tradewind.operations.deliver_events import on_their_way
from tradewind.operations.listen_to_assets import awaited_assets, meaning_of, starts_runs
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction


def missing_assets(tx: Transaction, dag: Dag, window: EventWindow | None = None) -> AssetExpression | None:
    """What has to be updated before the DAG gets a run for its assets. `None`: nothing."""
    condition = dag.assets
    if condition is None or not any(leaves(condition)) or not starts_runs(dag):
        return None
    meaning = meaning_of(tx, [condition])
    awaited = awaited_assets(condition, meaning)
    updated = {key for _, key in tx.deliveries.oldest({(dag.dag_id, key) for key in awaited}, window)}
    updated |= on_their_way(tx, dag.dag_id, awaited, window or EVERYTHING)
    return missing(condition, updated, meaning) if updated else condition


def missing_for_slots(
    tx: Transaction, slots: Collection[Slot], structures: Structures
) -> Mapping[SlotKey, AssetExpression | None]:
    """What each slot that waits still needs."""
    found: dict[SlotKey, AssetExpression | None] = {}
    known: dict[tuple[str, EventWindow], AssetExpression | None] = {}
    for slot in slots:
        dag = _dag(tx, slot.dag_id, structures)
        if dag is None or not isinstance(dag.timetable, AssetAndTime):
            continue
        window = event_window(dag.timetable, slot.info, _last_run_at(tx, slot.dag_id))
        if (slot.dag_id, window) not in known:
            known[slot.dag_id, window] = missing_assets(tx, dag, window)
        found[slot.key] = known[slot.dag_id, window]
    return found


def names_in(condition: AssetExpression | None) -> list[str]:
    """Of the assets and aliases in it, each once."""
    found = leaves(condition) if condition is not None else ()
    names = (leaf.name if isinstance(leaf, AssetAliasRef) or leaf.name is not None else leaf.uri for leaf in found)
    return list(dict.fromkeys(name for name in names if name is not None))


def _last_run_at(tx: Transaction, dag_id: str) -> datetime | None:
    last = tx.runs.last_scheduled(dag_id)
    return None if last is None else last.queued_at


def _dag(tx: Transaction, dag_id: str, structures: Structures) -> Dag | None:
    record = tx.dags.find(dag_id)
    if record is None or record.version_key is None:
        return None
    try:
        return structures.get(tx, record.version_key).dag
    except DagUnusable:
        return None
