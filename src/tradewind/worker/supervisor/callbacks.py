"""Callbacks of missed deadlines that are called on this machine."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Protocol

from tradewind.errors import CallbackCalledOff
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem, CallbackOrder
from tradewind.telemetry.events import CallbackCalled
from tradewind.telemetry.hub import Hub
from tradewind.worker.callback_process import CallbackProcess
from tradewind.worker.engine import CallbackEngine
from tradewind.worker.supervisor.background import Background
from tradewind.worker.supervisor.options import OutsideSecrets, Places
from tradewind.worker.supervisor.talk import Talk

MOST_CALLBACKS: Final = 8
"""That run at once, each in a process of its own. The others wait."""

_OUTSIDE: Final = ("get_variable", "get_connection")
"""What may be known outside of the database."""


class MakeProcess(Protocol):
    """Makes what calls one of them."""

    def __call__(self, order: CallbackOrder, ask: Callable[[str, Mapping[str, object]], object]) -> CallbackProcess:
        """`ask` answers the author's code."""


class Callbacks:
    """Begins what executors want to have called, and says what came of it: to the engine, which may be away."""

    def __init__(
        self,
        engine: CallbackEngine,
        talk: Talk,
        background: Background,
        *,
        places: Places,
        secrets: OutsideSecrets,
        make: MakeProcess,
        hub: Hub,
    ) -> None:
        self._engine = engine
        self._talk = talk
        self._background = background
        self._places = places
        self._secrets = secrets
        self._make = make
        self._hub = hub
        self._wanted: list[CallbackItem] = []
        self._running: dict[CallbackItem, CallbackProcess] = {}
        self._ended: list[CallbackEnd] = []
        self._given_back: list[CallbackItem] = []

    def __len__(self) -> int:
        """How many are begun and not over."""
        return len(self._running) + len(self._ended) + len(self._given_back)

    @property
    def has_news(self) -> bool:
        """Whether there is something for the engine."""
        return bool(self._ended or self._given_back or (self._wanted and len(self._running) < MOST_CALLBACKS))

    def take(self, items: list[CallbackItem]) -> None:
        """Call these."""
        self._wanted += [item for item in items if item not in self._wanted]

    def tend(self, *, begins: bool) -> None:
        """Tell the engine what there is for it. `begins`: else nothing more is begun, and left to others."""
        if not begins:
            self._given_back += self._wanted
            self._wanted = []
        given_back = self._given_back
        if given_back and self._talk.ask(lambda: self._engine.give_back(given_back)) is not None:
            self._given_back = []
        ended = self._ended
        if ended and self._talk.ask(lambda: self._engine.end(ended)) is not None:
            self._ended = []
        wanted = self._wanted[: max(0, MOST_CALLBACKS - len(self._running))]
        if wanted:
            orders = self._talk.ask(lambda: self._engine.begin(wanted))
            if orders is not None:
                self._wanted = self._wanted[len(wanted) :]
                for order in orders:
                    self._run(order)

    def renew(self) -> None:
        """Say that they are still here. To be called with each heartbeat."""
        held = [*self._wanted, *self._running]
        if held:
            self._talk.ask(lambda: self._engine.renew(held))

    def call_off(self) -> None:
        """Wait for none of them."""
        for process in self._running.values():
            process.call_off()

    def close(self) -> None:
        """Wait for none of them, and say so."""
        self.call_off()
        self._background.close()
        self.tend(begins=False)

    def _run(self, order: CallbackOrder) -> None:
        process = self._running[order.item] = self._make(order, partial(self._answer, order.item))

        def call() -> tuple[str | None, str]:
            return process.run(self._places.folder(order.file.bundle, order.bundle_version))

        self._background.run(
            call,
            lambda outcome: self._end(order, *outcome),
            lambda error: self._failed(order, error),
        )

    def _answer(self, item: CallbackItem, method: str, arguments: Mapping[str, object]) -> object:
        """In the thread of the callback, which waits for it."""
        found = self._secrets.answer(method, arguments) if method in _OUTSIDE else None
        return self._engine.answer(item, method, arguments) if found is None else found

    def _failed(self, order: CallbackOrder, error: Exception) -> None:
        if isinstance(error, CallbackCalledOff):
            del self._running[order.item]
            self._given_back.append(order.item)
        else:
            self._end(order, f"it could not be called: {error}", "")

    def _end(self, order: CallbackOrder, error: str | None, output: str) -> None:
        del self._running[order.item]
        self._ended.append(CallbackEnd(order.key, order.attempt, error, output))
        run = order.dag_run
        self._hub.emit(CallbackCalled(run.dag_id, run.run_id, None, "deadline", error, output))
