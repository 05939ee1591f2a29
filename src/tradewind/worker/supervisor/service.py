"""The supervisor: which attempts run, and what became of them."""

import selectors
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from typing import Final, Protocol

import msgspec

from tradewind.errors import DatabaseUnavailable
from tradewind.model.assignment import WorkOrder
from tradewind.model.exchange import Exchange, Refusal, Request
from tradewind.model.ids import AttemptKey, JobKey
from tradewind.model.states import TaskState
from tradewind.model.task import WorkItem
from tradewind.runtime.clock import Clock
from tradewind.task_logs.writer import AttemptLog
from tradewind.telemetry.events import DatabaseBack, DatabaseLost
from tradewind.telemetry.hub import Hub
from tradewind.wire.work import Stop
from tradewind.worker.engine import Engine
from tradewind.worker.protocol import Answer, DagFile, Gone, Question
from tradewind.worker.questions import decode_arguments, encode_answer
from tradewind.worker.supervisor.attempt import Attempt, Phase
from tradewind.worker.supervisor.background import Background
from tradewind.worker.supervisor.clients import Clients
from tradewind.worker.supervisor.ends import result_of
from tradewind.worker.supervisor.memory import limit_of
from tradewind.worker.supervisor.watch import Watch
from tradewind.worker.supervisor.zygotes import Events, Zygotes

_FIRST_BACKOFF_S: Final = 0.25
_LONGEST_BACKOFF_S: Final = 15.0
_MOST_FORK_RETRIES: Final = 5
_FORK_RETRY_S: Final = 0.5
_LOGGER: Final = "tradewind.worker"
_GOES_ON: Final = (TaskState.UP_FOR_RESCHEDULE, TaskState.DEFERRED, TaskState.AWAITING_INPUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorOptions:
    """How a supervisor works."""

    slots: int
    """How many attempts run at once."""
    heartbeat_timeout_s: float
    """After how long without a heartbeat the engine takes an attempt for lost."""
    heartbeat_interval_s: float
    stop_patience_s: float
    """How long an attempt that is told to stop may take to do so."""
    callback_patience_s: float
    """How long callbacks may run after the end of an attempt is stored."""
    idle_s: float
    """How long to stay when there is nothing to do and nobody is connected."""
    most_zygotes: int
    zygote_idle_s: float
    max_memory_bytes: int = 0
    plugins: str = ""


class Places(Protocol):
    """Where things lie on this machine."""

    def known_folder(self, bundle: str, version: str | None) -> Path | None:
        """The folder of a bundle at a version, if it need not be fetched."""

    def folder(self, bundle: str, version: str | None) -> Path:
        """The same, fetched if need be, which may take long. Raises `BundleError`."""

    def log(self, order: WorkOrder, hide: Callable[[str], str]) -> AttemptLog:
        """The log of an attempt."""

    def log_ended(self, order: WorkOrder, *, is_over: bool) -> None:
        """The log of an attempt is closed. `is_over`: no other attempt of the same try will add to it."""

    def close(self) -> None:
        """Nothing more will be wanted."""


class OutsideSecrets(Protocol):
    """Variables and connections that are not in the database."""

    @property
    def is_slow(self) -> bool:
        """Whether asking may take long."""

    def answer(self, question: str, arguments: Mapping[str, object]) -> object | None:
        """To `get_variable` or `get_connection`, if it is known there."""


class Supervisor:
    """Runs attempts for as long as somebody wants it to."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        *,
        folder: Path,
        options: SupervisorOptions,
        places: Places,
        secrets: OutsideSecrets,
        environ: Mapping[str, str],
        hub: Hub,
    ) -> None:
        """`environ` is what tasks get to see; `folder` is where executors find the socket."""
        self._engine = engine
        self._clock = clock
        self._folder = folder
        self._options = options
        self._places = places
        self._secrets = secrets
        self._hub = hub
        self._selector = selectors.DefaultSelector()
        self._background = Background(self._selector)
        events = Events(self._forked, self._not_forked, self._broken, self._gone)
        self._zygotes = Zygotes(
            self._selector, environ, events, most=options.most_zygotes, idle_s=options.zygote_idle_s
        )
        self._watch = Watch(clock, options.stop_patience_s, options.callback_patience_s, self._zygotes.signal)
        self._clients: Clients | None = None
        self._queue: list[tuple[int, int, WorkItem]] = []
        self._queued: set[AttemptKey] = set()
        self._turns = count()
        self._attempts: dict[AttemptKey, Attempt] = {}
        self._requests: list[tuple[Attempt, Question, Mapping[str, object], bool]] = []
        self._results: list[Attempt] = []
        self._heartbeat_due_at = 0.0
        self._heard_at = clock.monotonic()
        self._lost_at: float | None = None
        self._retry_at = 0.0
        self._backoff_s = _FIRST_BACKOFF_S
        self._idle_since = clock.monotonic()
        self._stop: Stop | None = None
        self._is_over = False

    @property
    def attempts(self) -> Mapping[AttemptKey, Attempt]:
        """Those that have begun, and whose process is not over."""
        return self._attempts

    @property
    def is_stopping(self) -> bool:
        """Whether it was told to stop."""
        return self._stop is not None

    @property
    def nursery_pid(self) -> int | None:
        """Of the process that forks for us."""
        return self._zygotes.nursery_pid

    def start(self, former: JobKey | None) -> JobKey:
        """Begin, as the successor of a supervisor that is known to be dead."""
        job = self._engine.start(former)
        self._clients = Clients(self._folder / "socket", self._selector, self)
        return job

    def run(self) -> None:
        """Until nobody needs it any more, or it was told to stop."""
        while not self._is_over:
            self.turn()

    def turn(self, most_s: float = 3600.0) -> None:
        """Wait for something to happen, and do what follows from it."""
        for key, events in self._selector.select(min(most_s, self._idle_s())):
            key.data(events)
        self._exchange()
        for attempt in self._attempts.values():
            attempt.log.flush()
        self._heartbeat()
        self._watch.look(self._attempts.values())
        self._retry_forks()
        self._zygotes.tend(self._clock.monotonic())
        self._look_for_the_end()

    def stop(self) -> None:
        """Leave nothing behind."""
        if self._clients is not None:
            self._clients.close()
        self._zygotes.close()
        for attempt in list(self._attempts.values()):
            attempt.drain()
            attempt.log.close()
        self._background.close()
        self._places.close()
        self._engine.stop()
        self._selector.close()

    # What executors want: see `clients.Boss`.

    def submit(self, work: list[WorkItem]) -> None:
        """Run these, unless they are here already."""
        for item in work:
            if item.attempt not in self._queued and item.attempt not in self._attempts:
                self._queued.add(item.attempt)
                heappush(self._queue, (-item.priority_weight, next(self._turns), item))

    def revoke(self, attempts: list[AttemptKey]) -> None:
        """Do not run these any more."""
        unbegun = [key for key in attempts if key in self._queued]
        self._queued.difference_update(unbegun)
        self._done(unbegun)
        for key in attempts:
            if key in self._attempts:
                self._watch.stop(self._attempts[key], "it was called off")

    def held(self, attempts: list[AttemptKey]) -> list[AttemptKey]:
        """Which of these are here."""
        return [key for key in attempts if key in self._queued or self._is_unsettled(key)]

    def asked_to_stop(self, how: Stop) -> None:
        """Begin nothing more, and end when the last attempt has."""
        self._stop = how
        if how.kills:
            for attempt in self._attempts.values():
                self._watch.stop(attempt, "its worker was stopped")

    def _is_unsettled(self, key: AttemptKey) -> bool:
        attempt = self._attempts.get(key)
        return attempt is not None and attempt.phase is not Phase.SETTLED

    def _done(self, keys: list[AttemptKey]) -> None:
        if self._clients is not None and keys:
            self._clients.done(keys)

    # What tasks want.

    def _asked(self, attempt: Attempt, question: Question, waits: bool) -> None:
        try:
            arguments = decode_arguments(question.method, question.arguments)
        except (ValueError, msgspec.MsgspecError) as error:
            self._answered(attempt, question, waits, Refusal(type(error).__name__, str(error)))
            return
        if question.method not in ("get_variable", "get_connection"):
            self._requests.append((attempt, question, arguments, waits))
        elif self._secrets.is_slow:
            self._background.run(
                lambda: self._secrets.answer(question.method, arguments),
                lambda found: self._found(attempt, question, arguments, found),
                lambda error: self._answered(attempt, question, waits, Refusal(type(error).__name__, str(error))),
            )
        else:
            self._found(attempt, question, arguments, self._secrets.answer(question.method, arguments))

    def _found(
        self, attempt: Attempt, question: Question, arguments: Mapping[str, object], found: object | None
    ) -> None:
        if found is None:
            self._requests.append((attempt, question, arguments, True))
        else:
            self._answered(attempt, question, True, found)

    def _answered(self, attempt: Attempt, question: Question, waits: bool, answer: object) -> None:
        if isinstance(answer, Refusal):
            if waits:
                attempt.answer(Answer(question.number, error_kind=answer.kind, error=answer.message))
            else:
                attempt.spoiled = attempt.spoiled or answer.message
        elif waits:
            attempt.answer(Answer(question.number, encode_answer(question.method, answer)))

    # The engine.

    def _exchange(self) -> None:
        """Give the engine all that there is for it, and do what it says."""
        if self._lost_at is not None and self._clock.monotonic() < self._retry_at:
            return
        begins = self._next_begins()
        given = Exchange(
            [
                Request(attempt.key, attempt.order.asker, question.method, arguments)
                for attempt, question, arguments, _ in self._requests
            ],
            [result_of(attempt, self._clock.now()) for attempt in self._results],
            begins,
        )
        if not given:
            return
        try:
            exchanged = self._engine.exchange(given)
        except DatabaseUnavailable as error:
            self._database_lost(error)
            return
        self._database_answered()
        requests, self._requests = self._requests, []
        for (attempt, question, _, waits), answer in zip(requests, exchanged.answers, strict=True):
            self._answered(attempt, question, waits, answer)
        self._settled()
        self._begun(begins, exchanged.orders)

    def _next_begins(self) -> list[WorkItem]:
        """What may begin now, by priority. It stays in the queue until the engine has said something to it."""
        if self._stop is not None:
            return []
        free = self._options.slots - sum(attempt.phase is not Phase.SETTLED for attempt in self._attempts.values())
        chosen: list[WorkItem] = []
        kept = []
        while self._queue and len(chosen) < free:
            entry = heappop(self._queue)
            if entry[2].attempt in self._queued:  # else it was revoked
                chosen.append(entry[2])
                kept.append(entry)
        for entry in kept:
            heappush(self._queue, entry)
        return chosen

    def _settled(self) -> None:
        settled, self._results = self._results, []
        now = self._clock.monotonic()
        for attempt in settled:
            attempt.phase = Phase.SETTLED
            attempt.settled_at = now
            if attempt.gone is not None:
                self._forget(attempt)
        self._done([attempt.key for attempt in settled])

    def _begun(self, begins: list[WorkItem], orders: list[WorkOrder]) -> None:
        self._queued.difference_update(item.attempt for item in begins)
        begun = {order.attempt for order in orders}
        self._done([item.attempt for item in begins if item.attempt not in begun])
        if orders and len(self._attempts) == 0:
            self._renew()
        for order in orders:
            self._launch(order)

    def _heartbeat(self) -> None:
        now = self._clock.monotonic()
        if now < self._heartbeat_due_at:
            return
        self._heartbeat_due_at = now + self._options.heartbeat_interval_s
        keys = [key for key, attempt in self._attempts.items() if attempt.phase is not Phase.SETTLED]
        try:
            must_stop = self._engine.heartbeat(keys)
        except DatabaseUnavailable as error:
            self._database_lost(error)
            return
        self._database_answered()
        self._renew()
        for key in must_stop:
            self._watch.stop(self._attempts[key], "it was cleared, marked, or given up")

    def _renew(self) -> None:
        self._zygotes.renew(max(self._heard_at + self._options.heartbeat_timeout_s - self._clock.monotonic(), 0.0))

    def _database_lost(self, error: DatabaseUnavailable) -> None:
        now = self._clock.monotonic()
        if self._lost_at is None:
            self._lost_at = now
            self._backoff_s = _FIRST_BACKOFF_S
            self._hub.emit(DatabaseLost(str(error)))
        self._retry_at = now + self._backoff_s
        self._backoff_s = min(2 * self._backoff_s, _LONGEST_BACKOFF_S)

    def _database_answered(self) -> None:
        self._heard_at = self._clock.monotonic()
        if self._lost_at is not None:
            self._hub.emit(DatabaseBack(self._heard_at - self._lost_at))
            self._lost_at = None

    # Processes.

    def _launch(self, order: WorkOrder) -> None:
        attempt = Attempt(self._zygotes.next_number(), order, self._asked, self._ended)
        attempt.log = self._places.log(order, attempt.hide)
        self._attempts[order.attempt] = attempt
        try:
            attempt.max_memory_bytes = limit_of(order.executor_config, self._options.max_memory_bytes)
            attempt.open(self._selector)
        except (ValueError, OSError) as error:
            self._fail(attempt, f"it could not be started: {error}")
            return
        known = self._places.known_folder(order.bundle_name, order.bundle_version)
        if known is not None:
            self._fork(attempt, known)
            return
        self._background.run(
            lambda: self._places.folder(order.bundle_name, order.bundle_version),
            lambda folder: self._fork(attempt, folder),
            lambda error: self._fail(attempt, f"its DAG file could not be had: {error}"),
        )

    def _fork(self, attempt: Attempt, folder: Path) -> None:
        attempt.file = DagFile(attempt.order.bundle_name, str(folder), attempt.order.path, self._options.plugins)
        self._zygotes.fork(attempt, attempt.file, self._clock.monotonic())

    def _forked(self, attempt: Attempt, pid: int) -> None:
        attempt.forked(pid)
        if attempt.stopping is not None:
            self._watch.signal(attempt)

    def _not_forked(self, attempt: Attempt, error: str) -> None:
        attempt.forks_failed += 1
        if attempt.forks_failed > _MOST_FORK_RETRIES or attempt.stopping is not None:
            self._fail(attempt, f"no process could be made for it: {error}")
        else:
            attempt.retry_fork_at = self._clock.monotonic() + _FORK_RETRY_S * attempt.forks_failed

    def _retry_forks(self) -> None:
        now = self._clock.monotonic()
        for attempt in self._attempts.values():
            if attempt.retry_fork_at is not None and now >= attempt.retry_fork_at and attempt.file is not None:
                attempt.retry_fork_at = None
                self._zygotes.fork(attempt, attempt.file, now)

    def _broken(self, attempt: Attempt, traceback: str) -> None:
        self._write(attempt, traceback)
        last_line = traceback.strip().rpartition("\n")[2]
        self._fail(attempt, f"the DAG file cannot be imported: {last_line}")

    def _fail(self, attempt: Attempt, reason: str) -> None:
        """An attempt that never had a process."""
        attempt.spoiled = reason
        self._gone(attempt, Gone(attempt.number, 0, 0.0, 0))

    def _ended(self, attempt: Attempt) -> None:
        """Its process says how it ended. If it was told to stop, that is not what counts."""
        if attempt.phase in (Phase.STARTING, Phase.RUNNING) and attempt.stopping is None:
            attempt.phase = Phase.ENDED
            self._results.append(attempt)

    def _gone(self, attempt: Attempt, gone: Gone) -> None:
        attempt.gone = gone
        attempt.drain()
        if attempt.phase in (Phase.STARTING, Phase.RUNNING):
            attempt.phase = Phase.ENDED
            self._results.append(attempt)
            reason = result_of(attempt, self._clock.now()).report
            self._write(attempt, f"The attempt ended: {getattr(reason, 'reason', None)}")
        if attempt.phase is Phase.SETTLED:
            self._forget(attempt)

    def _forget(self, attempt: Attempt) -> None:
        attempt.log.close()
        del self._attempts[attempt.key]
        goes_on = attempt.ended is not None and attempt.ended.state in _GOES_ON
        self._places.log_ended(attempt.order, is_over=not goes_on)

    def _write(self, attempt: Attempt, event: str) -> None:
        attempt.log.line({"timestamp": self._clock.now(), "level": "error", "event": event, "logger": _LOGGER})

    # When to look again, and when to end.

    def _idle_s(self) -> float:
        now = self._clock.monotonic()
        due_at = self._heartbeat_due_at
        if self._lost_at is not None:
            due_at = min(due_at, self._retry_at)
        retries = [attempt.retry_fork_at for attempt in self._attempts.values() if attempt.retry_fork_at is not None]
        until = min([due_at, *retries]) - now
        return max(0.0, min(until, self._watch.patience_s(self._attempts.values())))

    def _look_for_the_end(self) -> None:
        now = self._clock.monotonic()
        is_needed = self._attempts or self._queued or len(self._background) or (self._clients and self._stop is None)
        if is_needed and self._stop is None:
            self._idle_since = now
        elif self._stop is not None:
            self._is_over = not self._attempts and not len(self._background)
        else:
            self._is_over = now - self._idle_since >= self._options.idle_s
