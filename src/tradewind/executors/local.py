"""Attempts run by processes of this machine."""

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from tradewind.executors.context import ExecutorContext
from tradewind.executors.worker_link import WorkerLink
from tradewind.model.connection_test import ConnectionTestItem
from tradewind.model.deadline_callback import CallbackItem
from tradewind.model.ids import AttemptKey
from tradewind.model.task import TaskReport, WorkItem
from tradewind.runtime.socket_folder import worker_folder
from tradewind.telemetry.events import ExecutorFailed
from tradewind.wire.work import WorkKind, decode_attempts

_FIRST_BACKOFF_S: Final = 2.0
"""Enough for a supervisor to begin to listen on a busy machine."""
_LONGEST_BACKOFF_S: Final = 30.0
_PATIENCE_S: Final = 10.0
"""How long a supervisor may be away before no more work is taken."""
_ANSWER_TIMEOUT_S: Final = 2.0
_CHECK_INTERVAL_S: Final = 30.0
"""How often to ask whether the supervisor still has what it is believed to have: the net below its messages."""


@dataclass(slots=True)
class _Ask:
    """A question that the supervisor was asked."""

    attempts: set[AttemptKey]
    answer: set[AttemptKey] | None = None


class LocalExecutor:
    """Hands attempts to the supervisor of this machine, a process of its own that goes on when this one ends.

    The supervisor tells the engine by itself how attempts end. Here is only noted who is under way, so that work which
    a supervisor took to its grave is given to the next one.
    """

    def __init__(self, context: ExecutorContext, *, slots: int | None = None) -> None:
        """`slots`: how many attempts run at once; `[core] parallelism` if not given."""
        self._context = context
        self._slots = context.settings.core.parallelism if slots is None else slots
        self._folder = worker_folder(context.settings.home, context.name)
        self._link = WorkerLink(self._folder / "socket")
        self._held: dict[AttemptKey, WorkItem | None] = {}
        """What is with the supervisor, or on its way to it. None: adopted, so that only its key is known."""
        self._unsent_tests: list[ConnectionTestItem] = []
        self._unsent_callbacks: list[CallbackItem] = []
        self._asks: deque[_Ask] = deque()
        """Answers come in the order of the questions."""
        self._check_due_at = 0.0
        self._start_due_at = 0.0
        self._backoff_s = _FIRST_BACKOFF_S
        self._is_ending = False
        """Whether the supervisor has said that it begins nothing more."""
        self._away_since: float | None = None
        self._is_away_told = False

    @property
    def name(self) -> str:
        """See `Executor.name`."""
        return self._context.name

    def free_slots(self) -> int:
        """Twice as many as run at once: the next ones lie ready when one ends, and that the end of one is stored a
        moment before it is told here keeps nobody waiting."""
        self._pump()
        if self._is_ending or self._is_given_up():
            return 0
        return max(0, 2 * self._slots - len(self._held))

    def submit(self, work: Sequence[WorkItem]) -> None:
        """See `Executor.submit`."""
        new = [self._with_token(item) for item in work if item.attempt not in self._held]
        self._held.update((item.attempt, item) for item in new)
        if new and self._link.is_open:
            self._link.send(WorkKind.SUBMIT, new)
        self._pump()

    def reports(self) -> Sequence[TaskReport]:
        """None: the supervisor reports by itself. Asked in every pass, so the supervisor is heard here."""
        self._pump()
        return ()

    def holds(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """See `Executor.holds`."""
        self._pump()
        return self._held.keys() & set(attempts)

    def adopt(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """Those that the supervisor of this machine has; none if it gives no answer within a moment."""
        self._pump()
        if not attempts or not self._link.is_open:
            return set()
        ask = self._ask(attempts)
        clock = self._context.clock
        deadline = clock.monotonic() + _ANSWER_TIMEOUT_S
        while ask.answer is None and self._link.is_open:
            left_s = deadline - clock.monotonic()
            if left_s <= 0:
                break
            self._link.wait(left_s)
            self._hear()
        return ask.answer or set()

    def revoke(self, attempts: Collection[AttemptKey]) -> None:
        """See `Executor.revoke`. A supervisor that cannot be reached hears it with its next heartbeat."""
        for attempt in attempts:
            self._held.pop(attempt, None)
        for ask in self._asks:
            ask.attempts.difference_update(attempts)  # what is answered now was true before they were revoked
        if attempts and self._link.is_open:
            self._link.send(WorkKind.REVOKE, sorted(attempts))

    def test_connections(self, tests: Sequence[ConnectionTestItem]) -> None:
        """See `TestsConnections.test_connections`. What a supervisor was told is forgotten here."""
        hand_out = self._context.hand_out_test
        self._unsent_tests += [item if hand_out is None else item._replace(token=hand_out(item.key)) for item in tests]
        self._pump()

    def call_back(self, items: Sequence[CallbackItem]) -> None:
        """See `CallsBack.call_back`. What a supervisor was told is forgotten here."""
        hand_out = self._context.hand_out_callback
        self._unsent_callbacks += [item if hand_out is None else item._replace(token=hand_out(item)) for item in items]
        self._pump()

    def close(self) -> None:
        """Hang up. The supervisor goes on with what it has."""
        self._link.close()

    def _with_token(self, item: WorkItem) -> WorkItem:
        hand_out = self._context.hand_out
        return item if hand_out is None else item._replace(token=hand_out(item.attempt))

    def _pump(self) -> None:
        """Say and hear what there is, to and from a new supervisor if the old one is gone."""
        self._hear()
        if self._link.is_open:
            self._check()
        elif self._link.open():
            self._resume()
        else:
            self._start_worker()
        if self._unsent_tests and self._link.is_open:
            self._link.send(WorkKind.TEST, self._unsent_tests)
            self._unsent_tests = []
        if self._unsent_callbacks and self._link.is_open:
            self._link.send(WorkKind.CALL_BACK, self._unsent_callbacks)
            self._unsent_callbacks = []

    def _hear(self) -> None:
        was_open = self._link.is_open
        try:
            for kind, content in self._link.receive():
                self._take(kind, content)
        except msgspec.DecodeError:
            self._link.close()
        if was_open and not self._link.is_open:
            if not self._is_ending:
                self._tell("its worker went away")
            self._is_ending = False

    def _take(self, kind: int, content: bytes) -> None:
        if kind == WorkKind.DONE:
            for attempt in decode_attempts(content):
                self._held.pop(attempt, None)
        elif kind == WorkKind.HELD and self._asks:
            self._take_answer(self._asks.popleft(), set(decode_attempts(content)))
        elif kind == WorkKind.ENDING:
            self._is_ending = True

    def _resume(self) -> None:
        """The supervisor at the other end may be a new one, or may have ended attempts while nobody listened."""
        self._away_since = None
        self._is_away_told = False
        self._backoff_s = _FIRST_BACKOFF_S
        self._start_due_at = 0.0
        self._check_due_at = self._context.clock.monotonic() + _CHECK_INTERVAL_S
        self._asks.clear()
        known = [item for item in self._held.values() if item is not None]
        adopted = [attempt for attempt, item in self._held.items() if item is None]
        if known:
            # Whoever has them ignores it, and the engine lets nobody begin twice.
            self._link.send(WorkKind.SUBMIT, known)
        if adopted:
            self._ask(adopted)

    def _check(self) -> None:
        now = self._context.clock.monotonic()
        if now < self._check_due_at:
            return
        self._check_due_at = now + _CHECK_INTERVAL_S
        if self._held:
            self._ask(self._held)

    def _ask(self, attempts: Collection[AttemptKey]) -> _Ask:
        ask = _Ask(set(attempts))
        self._asks.append(ask)
        self._link.send(WorkKind.ASK, sorted(attempts))
        return ask

    def _take_answer(self, ask: _Ask, held: set[AttemptKey]) -> None:
        ask.answer = held & ask.attempts
        for attempt in ask.attempts - held:
            self._held.pop(attempt, None)
        for attempt in ask.answer:
            self._held.setdefault(attempt, None)

    def _start_worker(self) -> None:
        now = self._context.clock.monotonic()
        if self._away_since is None:
            self._away_since = now
        if self._is_given_up() and not self._is_away_told:
            self._is_away_told = True
            self._tell(f"its worker does not answer; see {self._folder / 'worker.log'}")
        if now < self._start_due_at:
            return
        self._start_due_at = now + self._backoff_s
        self._backoff_s = min(2 * self._backoff_s, _LONGEST_BACKOFF_S)
        try:
            self._context.start_worker(self.name)
        except OSError as error:
            self._tell(f"its worker cannot be started: {error}")

    def _is_given_up(self) -> bool:
        """Whether the supervisor has been away for so long that work had better wait in the engine."""
        return self._away_since is not None and self._context.clock.monotonic() - self._away_since > _PATIENCE_S

    def _tell(self, error: str) -> None:
        self._context.hub.emit(ExecutorFailed(self.name, error))


class SequentialExecutor(LocalExecutor):
    """One attempt at a time."""

    def __init__(self, context: ExecutorContext) -> None:
        super().__init__(context, slots=1)
