"""Callbacks of missed deadlines that a triggerer calls: those that are to be awaited."""

import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol

from tradewind.errors import CallbackCalledOff
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem, CallbackOrder
from tradewind.operations.deadline_callbacks import end_callbacks, take_callbacks
from tradewind.runtime.clock import Clock
from tradewind.storage.interface import Store
from tradewind.telemetry.events import CallbackCalled
from tradewind.telemetry.hub import Hub
from tradewind.triggerer.code_places import Folders

_MOST_AT_ONCE: Final = 8
"""Each has a process of its own: one that blocks its event loop, or ends it, holds up nobody."""


class Call(Protocol):
    """One callback that is called."""

    def run(self, root: Path) -> tuple[str | None, str]:
        """Why it failed, if it did, and what it logged and printed. Takes its time. Raises `CallbackCalledOff`."""

    def call_off(self) -> None:
        """Nobody waits for it any more."""


class CallingBack:
    """Takes them, has them called, and stores what came of it."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        make: Callable[[CallbackOrder], Call],
        folders: Folders,
        *,
        lease_s: float,
        wake: Callable[[], None],
        hub: Hub,
    ) -> None:
        """`lease_s`: after how long without a word another triggerer may have them. `wake` is called from another
        thread when one has ended."""
        self._store = store
        self._clock = clock
        self._make = make
        self._folders = folders
        self._lease = timedelta(seconds=lease_s)
        self._wake = wake
        self._hub = hub
        self._threads = ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="deadline callback")
        self._running: dict[CallbackItem, Call] = {}
        self._finished: queue.SimpleQueue[tuple[CallbackOrder, str | None, str]] = queue.SimpleQueue()
        self._unstored: list[CallbackEnd] = []

    def __len__(self) -> int:
        return len(self._running)

    def take(self) -> int:
        """As many as may run at once. Returns how many were taken."""
        free = _MOST_AT_ONCE - len(self._running)
        if free <= 0:
            return 0
        until = self._clock.now() + self._lease
        orders = self._store.transact(lambda tx: take_callbacks(tx, free, until))
        for order in orders:
            call = self._running[order.item] = self._make(order)
            self._threads.submit(self._run, order, call)
        return len(orders)

    def store_ended(self) -> int:
        """Returns how many ended. There may be others to be taken in their place."""
        while not self._finished.empty():
            order, error, output = self._finished.get()
            del self._running[order.item]
            self._unstored.append(CallbackEnd(order.key, order.attempt, error, output))
            run = order.dag_run
            self._hub.emit(CallbackCalled(run.dag_id, run.run_id, None, "deadline", error, output))
        ends = list(self._unstored)
        if ends:
            self._store.transact(lambda tx: end_callbacks(tx, ends))
            del self._unstored[: len(ends)]
        return len(ends)

    def renew(self) -> None:
        """Say that they are still here. To be called with each heartbeat."""
        held = list(self._running)
        if held:
            until = self._clock.now() + self._lease
            self._store.transact(lambda tx: tx.deadline_callbacks.renew(held, until))

    def close(self) -> None:
        """Wait for none of them, and leave them to others."""
        for call in self._running.values():
            call.call_off()
        self._threads.shutdown(wait=True)
        self.store_ended()
        left, now = list(self._running), self._clock.now()
        if left:
            self._store.transact(lambda tx: tx.deadline_callbacks.renew(left, now))

    def _run(self, order: CallbackOrder, call: Call) -> None:
        try:
            error, output = call.run(self._folders.folder(order.file.bundle, order.bundle_version))
        except CallbackCalledOff:
            return
        except Exception as failure:  # whatever it is, it is for who reads what came of the callback
            error, output = f"it could not be called: {failure}", ""
        self._finished.put((order, error, output))
        self._wake()
