"""Who asks: one task instance, with its way to what is remembered and to the database."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from tradewind.model.ids import TaskKey
from tradewind.operations.structures import Structures
from tradewind.runtime.clock import Clock
from tradewind.sdk.dags import DAG
from tradewind.storage.interface import Store, Transaction
from tradewind.testing.memory.contents import Memory

T = TypeVar("T")


@dataclass(slots=True)
class Premises:
    """What all tasks of a test have around them."""

    memory: Memory
    store: Store
    structures: Structures
    clock: Clock
    dags: Mapping[str, DAG]
    # The database in memory has one connection, and triggers ask from threads.
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """One transaction at a time."""
        with self._lock:
            return self.store.transact(work)


@dataclass(slots=True)
class Seat:
    """One task instance, as its runtime knows it."""

    premises: Premises
    key: TaskKey
    dag_id: str
    run_id: str
    first_poke_at: datetime | None = None
    """When its sensor began, if it was rescheduled since."""

    @property
    def memory(self) -> Memory:
        """What all tasks of the test share."""
        return self.premises.memory
