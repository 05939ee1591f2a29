"""Ticks that have come and wait for assets."""

from dataclasses import dataclass

from tradewind.decide.assets import condition_words
from tradewind.errors import UnknownDag
from tradewind.model.slot import Slot
from tradewind.operations.missing_assets import missing_for_slots
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction


@dataclass(frozen=True, slots=True)
class WaitingSlot:
    """One of them, and what it waits for."""

    slot: Slot
    missing: str | None


def waiting_slots(tx: Transaction, dag_id: str | None, structures: Structures) -> list[WaitingSlot]:
    """Those of one DAG, or of all. Raises `UnknownDag`."""
    if dag_id is not None and tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)
    slots = tx.slots.waiting([dag_id] if dag_id is not None else list(tx.slots.counts()))
    left = missing_for_slots(tx, slots, structures)
    return [
        WaitingSlot(slot, None if (found := left.get(slot.key)) is None else condition_words(found)) for slot in slots
    ]
