"""The watchers of assets that a triggerer has, and the runner that runs them."""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from tradewind.decide.triggerers import most_to_claim
from tradewind.decide.watchers import STEADY_S, pause_after_failures
from tradewind.errors import DatabaseError, DatabaseUnavailable, TransactionConflict, UndecipherableSecret
from tradewind.model.ids import JobKey
from tradewind.model.watcher import ClaimedWatcher, WatchedEvent, WatcherKey
from tradewind.operations.cipher import Cipher, opened_kwargs
from tradewind.operations.run_watchers import WatcherWork, claim_watchers, find_unwanted_watchers, store_watched
from tradewind.runtime.clock import Clock
from tradewind.storage.interface import Store, Transaction
from tradewind.telemetry.events import DutyFailed
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import user_measured
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.options import TriggererOptions
from tradewind.triggerer.protocol import (
    Code,
    FrameKind,
    Kept,
    Stop,
    Watch,
    decode_blocked,
    decode_logged,
    decode_number,
    decode_outcome,
    decode_seen,
)
from tradewind.triggerer.runner_process import RunnerProcess
from tradewind.triggerer.signs_of_life import SignsOfLife
from tradewind.wire.metrics import decode_metrics

log = logging.getLogger("tradewind.watchers")

_MOST_AT_ONCE: Final = 500
"""How many events are stored in one transaction."""
_LAST_WORDS_S: Final = 3.0
_PAUSE_S: Final = 0.01
_LOST: Final = "the process that ran it ended while its code was running"

MakeRunner = Callable[[], RunnerProcess]


@dataclass(slots=True)
class _Running:
    """A watcher that this triggerer has."""

    claimed: ClaimedWatcher
    kwargs: str
    assets: list[str]
    stored: int
    failures: int
    code: Code | None = None
    has_code: bool = False
    restart_at: float | None = None
    """When it is started again after it failed."""
    is_started: bool = False
    started_at: float = 0.0
    is_stopping: bool = False
    is_after_another: bool = False
    """Whether an earlier life of it is still being stopped."""


class Watching:
    """Has watchers run, and stores what they see. Without any there is no process."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        make_runner: MakeRunner,
        *,
        places: CodePlaces,
        cipher: Cipher,
        options: TriggererOptions,
        hub: Hub | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._make_runner = make_runner
        self._places = places
        self._cipher = cipher
        self._options = options
        self._hub = hub or Hub()
        self._runner: RunnerProcess | None = None
        self._signs_of_life: SignsOfLife | None = None
        self._running: dict[WatcherKey, _Running] = {}
        self._seen: list[WatchedEvent] = []
        self._failed: dict[WatcherKey, str] = {}
        """Why, and not stored yet."""
        self.job = JobKey(0)

    def __len__(self) -> int:
        return len(self._running)

    def next_due(self) -> float | None:
        """When something is to be done that no signal announces, on the monotonic clock."""
        return min((each.restart_at for each in self._running.values() if each.restart_at is not None), default=None)

    def work(self) -> int:
        """Hear the runner, store what watchers saw, and take those that are free. Returns whether there may be more."""
        self._hear()
        stored = self._store_seen()
        self._store_failures()
        most = most_to_claim(self._options.capacity, len(self._running), self._options.claimed_at_once)
        claimed = self._store.transact(lambda tx: claim_watchers(tx, self.job, most)) if self._takes_some else []
        for each in claimed:
            self._add(each)
        self._start_due()
        return int(bool(self._seen) or stored > 0 or len(claimed) == most > 0)

    def sweep(self) -> None:
        """Stop those that nobody wants any more, or whose files are others now."""
        running = {key: each.claimed.bundle_version for key, each in self._running.items() if not each.is_stopping}
        unwanted = self._store.transact(lambda tx: find_unwanted_watchers(tx, self.job, running))
        self._stop(unwanted)

    def ping(self, threshold_s: float) -> None:
        """Ask whether the runner is there; end it if it has not answered for too long."""
        self._hear()
        runner, signs = self._runner, self._signs_of_life
        if runner is None or signs is None:
            return
        if signs.are_missing(self._clock.monotonic(), threshold_s):
            runner.kill()
            self._lost(f"its event loop stood still for {threshold_s:g} s")
            return
        self._send(FrameKind.PING)

    def drop_all(self) -> None:
        """None of them is ours any more."""
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.kill()
            runner.close()
        self._running.clear()
        self._seen.clear()
        self._failed.clear()

    def close(self) -> None:
        """Stop all, and store what they saw until then, so that their sources learn of it."""
        self._stop(list(self._running))
        deadline = self._clock.monotonic() + _LAST_WORDS_S
        while self._runner is not None and self._running and self._clock.monotonic() < deadline:
            self._hear()
            if not self._store_seen():
                self._clock.sleep(_PAUSE_S)
        runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()
        self._places.close()

    @property
    def _takes_some(self) -> bool:
        """Watchers belong to no queue: who serves queues only leaves them to others."""
        return self._options.queues is None

    def _add(self, work: WatcherWork) -> None:
        claimed = work.watcher
        try:
            kwargs = opened_kwargs(claimed, self._cipher)
        except UndecipherableSecret as error:
            kwargs, self._failed[claimed.key] = "", str(error)
        before = self._running.get(claimed.key)
        running = self._running[claimed.key] = _Running(
            claimed, kwargs, [asset.name for asset in work.assets], claimed.stored, claimed.failures
        )
        running.is_after_another = before is not None and (before.is_started or before.is_after_another)
        if claimed.key in self._failed:
            self._pause(running)

        def found(code: Code | None) -> None:
            running.code = code
            running.has_code = True

        self._places.find(claimed, found)

    def _start_due(self) -> None:
        now = self._clock.monotonic()
        unstored = {event.watcher for event in self._seen}
        for key, each in self._running.items():
            is_due = each.restart_at is None or each.restart_at <= now
            is_free = not (each.is_started or each.is_stopping or each.is_after_another)
            if is_due and each.has_code and is_free and key not in unstored:
                each.restart_at = None
                each.is_started, each.started_at = True, now
                if self._runner is None:
                    self._runner = self._make_runner()
                    self._signs_of_life = SignsOfLife(self._runner)
                path, kwargs = each.claimed.class_path, each.kwargs
                self._send(FrameKind.WATCH, Watch(key, path, kwargs, each.code, each.assets, each.stored))

    def _send(self, kind: FrameKind, content: object = b"") -> None:
        if self._runner is not None:
            self._runner.send(kind, content)

    def _stop(self, keys: Sequence[WatcherKey] | set[WatcherKey]) -> None:
        for key in keys:
            running = self._running.get(key)
            if running is None or running.is_stopping:
                continue
            running.is_stopping = True
            if running.is_started:
                self._send(FrameKind.STOP, [Stop(key, kills=False)])
            else:
                del self._running[key]

    def _hear(self) -> None:
        runner = self._runner
        if runner is None:
            return
        is_gone = runner.is_gone
        for kind, content in runner.frames():
            if self._signs_of_life is not None and kind != FrameKind.BLOCKED:  # which comes from beside the loop
                self._signs_of_life.heard()
            try:
                self._take(kind, content)
            except (ValueError, TypeError, msgspec.MsgspecError):
                runner.kill()  # it runs user code: who says what makes no sense is started anew
        if is_gone:
            self._lost("its process ended")

    def _take(self, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.SEEN:
                seen = decode_seen(content)
                payload = json.loads(seen.payload)
                self._seen.append(WatchedEvent(WatcherKey(seen.watcher), seen.number, payload, seen.message_id))
            case FrameKind.FIRED:
                outcome = decode_outcome(content)
                self._broke(WatcherKey(outcome.trigger), "\n".join(json.loads(outcome.content)))
            case FrameKind.STOPPED:
                self._stopped(WatcherKey(decode_number(content)))
            case FrameKind.METRICS:
                self._hub.emit(user_measured(decode_metrics(content)))
            case FrameKind.BLOCKED:
                blocked = decode_blocked(content)
                if blocked.is_over:
                    log.warning("watcher %s kept all others waiting for %.2f s", blocked.trigger, blocked.seconds)
            case FrameKind.LOG:
                logged = decode_logged(content)
                for record in logged.records:
                    log.info("watcher %s: %s", logged.trigger, record.get("event"), extra={"record": record})
            case _:
                pass  # it lives

    def _stopped(self, key: WatcherKey) -> None:
        """What was stopped may be wanted again already, in a newer version."""
        running = self._running.get(key)
        if running is not None and running.is_after_another:
            running.is_after_another = False
        else:
            self._running.pop(key, None)

    def _broke(self, key: WatcherKey, error: str) -> None:
        running = self._running.get(key)
        if running is None or running.is_after_another:
            self._stopped(key)
            return
        running.is_started = False
        if running.is_stopping:
            del self._running[key]
            return
        if self._clock.monotonic() - running.started_at >= STEADY_S:
            running.failures = 0  # a source that is silent for days and away for a moment is not a broken one
        self._failed[key] = error
        self._pause(running)

    def _pause(self, running: _Running) -> None:
        running.failures += 1
        running.restart_at = self._clock.monotonic() + pause_after_failures(running.failures)

    def _lost(self, reason: str) -> None:
        """Those whose code ran wait for a while, the others go on at once: from what is stored."""
        runner, self._runner = self._runner, None
        assert runner is not None
        suspects = {WatcherKey(key) for key in runner.executing()}
        runner.close()
        self._hub.emit(DutyFailed("watcher runner", reason))
        for key, each in list(self._running.items()):
            each.is_after_another = False
            if each.is_stopping:
                del self._running[key]
            elif key in suspects:
                self._broke(key, f"{reason}: {_LOST}")
            else:
                each.is_started = False

    def _store_seen(self) -> int:
        events = self._seen[:_MOST_AT_ONCE]
        if not events:
            return 0
        now = self._clock.now()
        try:
            counted = self._store.transact(lambda tx: store_watched(tx, self.job, events, now))
        except (DatabaseUnavailable, TransactionConflict):
            raise  # all of it can be tried again
        except DatabaseError:  # what one watcher says must not keep all others waiting
            counted = self._store_one_by_one(events)
        self._seen = self._seen[len(events) :]
        self._tell_kept(events, counted)
        return len(events)

    def _store_one_by_one(self, events: Sequence[WatchedEvent]) -> dict[WatcherKey, int]:
        counted: dict[WatcherKey, int] = {}
        now = self._clock.now()
        for event in events:
            try:
                counted |= self._store.transact(lambda tx, event=event: store_watched(tx, self.job, [event], now))  # type: ignore[misc]
            except (DatabaseUnavailable, TransactionConflict):
                raise
            except DatabaseError as error:
                counted[event.watcher] = self._running[event.watcher].stored if event.watcher in self._running else 0
                self._send(FrameKind.STOP, [Stop(event.watcher, kills=False)])
                self._broke(event.watcher, f"what it saw cannot be stored: {error}")
        return counted

    def _tell_kept(self, events: Sequence[WatchedEvent], counted: Mapping[WatcherKey, int]) -> None:
        for key, number in counted.items():
            if key in self._running:
                running = self._running[key]
                running.failures = 0 if number > running.stored else running.failures
                running.stored = number
        self._send(FrameKind.KEPT, [Kept(key, number) for key, number in sorted(counted.items())])
        # Whoever is not counted belongs to somebody else, who hears of it from the source.
        self._stop({event.watcher for event in events} - counted.keys())

    def _store_failures(self) -> None:
        if not self._failed:
            return
        failed, now = dict(self._failed), self._clock.now()

        def work(tx: Transaction) -> None:
            for key in sorted(failed):
                tx.watchers.fail(key, self.job, failed[key], now)

        self._store.transact(work)
        for key, error in failed.items():
            del self._failed[key]
            running = self._running.get(key)
            path = running.claimed.class_path if running is not None else "?"
            self._hub.emit(DutyFailed(f"watcher {key} ({path})", error.strip().splitlines()[-1] if error else ""))
