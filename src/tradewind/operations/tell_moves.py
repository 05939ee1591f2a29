"""Tell the world of task instances that came into other states."""

from collections.abc import Iterable

from tradewind.model.ids import TaskKey
from tradewind.model.states import TaskState
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import TasksMoved


def tell_moves(tx: Transaction, moves: Iterable[tuple[TaskState, TaskKey]]) -> None:
    """One event for each state that some came into."""
    by_state: dict[TaskState, list[TaskKey]] = {}
    for state, key in moves:
        by_state.setdefault(state, []).append(key)
    tx.emit(*(TasksMoved(state, tuple(keys)) for state, keys in by_state.items()))
