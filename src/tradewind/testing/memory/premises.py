"""What all tasks of a test have around them."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tradewind.operations.structures import Structures
from tradewind.runtime.clock import Clock
from tradewind.sdk.dags import DAG
from tradewind.storage.interface import Store, Transaction
from tradewind.testing.memory.contents import Memory

T = TypeVar("T")


@dataclass(slots=True)
class Premises:
    """The database of the test, its clock, and what is not in the database."""

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
