"""What DAGs, and ticks that have come, still wait for; from what decides about it."""

from collections.abc import Collection, Mapping, Sequence

from tradewind.decide.assets import leaves, missing
from tradewind.errors import DagUnusable
from tradewind.model.asset import AssetAliasRef, AssetExpression
from tradewind.model.dag import Dag
from tradewind.model.slot import Slot, SlotKey
from tradewind.model.slot_policy import EVERYTHING, EventWindow
from tradewind.model.timetable import AssetAndTime
from tradewind.operations.deliver_events import on_their_way
from tradewind.operations.listen_to_assets import awaited_assets, meaning_of, starts_runs
from tradewind.operations.slot_turns import SlotTurns
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction


def missing_assets(tx: Transaction, dag: Dag) -> AssetExpression | None:
    """What has to be updated before the DAG gets a run for its assets. `None`: nothing."""
    condition = dag.assets
    if condition is None or not any(leaves(condition)) or not starts_runs(dag):
        return None
    return _missing(tx, dag.dag_id, condition, [EVERYTHING])[EVERYTHING]


def missing_for_slots(
    tx: Transaction, slots: Collection[Slot], structures: Structures
) -> Mapping[SlotKey, AssetExpression | None]:
    """What each slot that waits still needs."""
    found: dict[SlotKey, AssetExpression | None] = {}
    for dag_id in sorted({slot.dag_id for slot in slots}):
        dag = _dag(tx, dag_id, structures)
        if dag is not None and dag.assets is not None and isinstance(dag.timetable, AssetAndTime):
            own = [slot for slot in slots if slot.dag_id == dag_id]
            found |= _missing_for(tx, dag, dag.assets, dag.timetable, own)
    return found


def _missing_for(
    tx: Transaction, dag: Dag, condition: AssetExpression, gate: AssetAndTime, slots: Collection[Slot]
) -> dict[SlotKey, AssetExpression | None]:
    turns = SlotTurns(tx, dag, gate)
    try:
        windows = {slot.key: turns.of(slot).window for slot in slots}
    except DagUnusable:
        return {}
    left = _missing(tx, dag.dag_id, condition, list(dict.fromkeys(windows.values())))
    return {key: left[window] for key, window in windows.items()}


def _missing(
    tx: Transaction, dag_id: str, condition: AssetExpression, windows: Sequence[EventWindow]
) -> dict[EventWindow, AssetExpression | None]:
    """What is missing of the updates in each of the windows."""
    meaning = meaning_of(tx, [condition])
    awaited = awaited_assets(condition, meaning)
    coming = on_their_way(tx, dag_id, awaited)
    found: dict[EventWindow, AssetExpression | None] = {}
    for window, delivered in zip(windows, tx.slots.updated_in(dag_id, awaited, windows), strict=True):
        updated = delivered | (on_their_way(tx, dag_id, coming, window) if coming else set())
        found[window] = missing(condition, updated, meaning) if updated else condition
    return found


def names_in(condition: AssetExpression | None) -> list[str]:
    """Of the assets and aliases in it, each once."""
    found = leaves(condition) if condition is not None else ()
    names = (leaf.name if isinstance(leaf, AssetAliasRef) or leaf.name is not None else leaf.uri for leaf in found)
    return list(dict.fromkeys(name for name in names if name is not None))


def _dag(tx: Transaction, dag_id: str, structures: Structures) -> Dag | None:
    record = tx.dags.find(dag_id)
    if record is None or record.version_key is None:
        return None
    try:
        return structures.get(tx, record.version_key).dag
    except DagUnusable:
        return None
