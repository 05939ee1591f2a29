"""The watchers of assets that a triggerer has: which ones, and what of what they see is stored."""

from collections.abc import Sequence
from typing import Final

from tradewind.decide.triggerers import USUAL_PATIENCE, Patience, most_to_claim
from tradewind.errors import DatabaseError, DatabaseUnavailable, TransactionConflict, UndecipherableSecret
from tradewind.model.ids import JobKey
from tradewind.model.watcher import WatchedEvent, WatcherKey
from tradewind.operations.cipher import Cipher, opened_kwargs
from tradewind.operations.run_watchers import WatcherWork, claim_watchers, find_unwanted_watchers, store_watched
from tradewind.runtime.clock import Clock
from tradewind.storage.interface import Store, Transaction
from tradewind.telemetry.events import DutyFailed
from tradewind.telemetry.hub import Hub
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.options import TriggererOptions
from tradewind.triggerer.process_host import MakeRunner
from tradewind.triggerer.protocol import Code
from tradewind.triggerer.running_watchers import RunningWatchers

_MOST_AT_ONCE: Final = 500
"""How many events are stored in one transaction."""
_LAST_WORDS_S: Final = 3.0
_PAUSE_S: Final = 0.01


class Watching:
    """Has watchers run, and stores what they see."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        make_runner: MakeRunner,
        *,
        places: CodePlaces,
        cipher: Cipher,
        options: TriggererOptions,
        patience: Patience = USUAL_PATIENCE,
        hub: Hub | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._places = places
        self._cipher = cipher
        self._options = options
        self._hub = hub or Hub()
        self._watchers = RunningWatchers(make_runner, clock, patience, self._hub.emit)
        self.job = JobKey(0)

    def __len__(self) -> int:
        return len(self._watchers.running)

    def next_due(self) -> float | None:
        """When something is to be done that no signal announces, on the monotonic clock."""
        return self._watchers.next_due()

    def work(self) -> int:
        """Hear the runners, store what watchers saw, and take those that are free. Returns whether there may be
        more."""
        watchers = self._watchers
        watchers.hear()
        stored = self._store_seen()
        self._store_failures()
        self._store_troubles()
        most = most_to_claim(self._options.capacity, len(self), self._options.claimed_at_once)
        claimed = self._store.transact(lambda tx: claim_watchers(tx, self.job, most)) if self._takes_some else []
        for each in claimed:
            self._add(each)
        watchers.start_due()
        return int(bool(watchers.seen) or stored > 0 or len(claimed) == most > 0)

    def sweep(self) -> None:
        """Stop those that nobody wants any more, or whose files are others now."""
        all_of_them = self._watchers.running.items()
        running = {key: each.claimed.bundle_version for key, each in all_of_them if not each.is_stopping}
        unwanted = self._store.transact(lambda tx: find_unwanted_watchers(tx, self.job, running))
        self._watchers.stop(unwanted)

    def ping(self, threshold_s: float) -> None:
        """Ask whether the runners are there; end who has not answered for too long."""
        self._watchers.ping(threshold_s)

    def drop_all(self) -> None:
        """None of them is ours any more."""
        self._watchers.drop_all()

    def close(self) -> None:
        """Stop all, and store what they saw until then, so that their sources learn of it."""
        watchers = self._watchers
        watchers.stop(list(watchers.running))
        deadline = self._clock.monotonic() + _LAST_WORDS_S
        while watchers.is_up and watchers.running and self._clock.monotonic() < deadline:
            watchers.hear()
            if not self._store_seen():
                self._clock.sleep(_PAUSE_S)
        watchers.close()
        self._places.close()

    @property
    def _takes_some(self) -> bool:
        """Watchers belong to no queue: who serves queues only leaves them to others."""
        return self._options.queues is None

    def _add(self, work: WatcherWork) -> None:
        claimed, error = work.watcher, None
        try:
            kwargs = opened_kwargs(claimed, self._cipher)
        except UndecipherableSecret as refusal:
            kwargs, error = "", str(refusal)
        running = self._watchers.add(claimed, kwargs, [asset.name for asset in work.assets])
        if error is not None:
            self._watchers.fail(running, error)

        def found(code: Code | None) -> None:
            running.code = code
            running.has_code = True

        self._places.find(claimed, found)

    def _store_seen(self) -> int:
        events = self._watchers.seen[:_MOST_AT_ONCE]
        if not events:
            return 0
        now = self._clock.now()
        try:
            counted = self._store.transact(lambda tx: store_watched(tx, self.job, events, now))
        except (DatabaseUnavailable, TransactionConflict):
            raise  # all of it can be tried again
        except DatabaseError:  # what one watcher says must not keep all others waiting
            counted = self._store_one_by_one(events)
        self._watchers.seen = self._watchers.seen[len(events) :]
        self._watchers.kept(counted)
        # Whoever is not counted belongs to somebody else, who hears of it from the source.
        self._watchers.stop({event.watcher for event in events} - counted.keys())
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
                running = self._watchers.running.get(event.watcher)
                counted[event.watcher] = 0 if running is None else running.stored
                self._watchers.give_up(event.watcher, f"what it saw cannot be stored: {error}")
        return counted

    def _store_troubles(self) -> None:
        noted = self._watchers.troubles.noted
        troubles = dict(noted)
        if troubles:
            self._store.transact(lambda tx: tx.watchers.note_troubles(troubles, self.job))
            noted.clear()

    def _store_failures(self) -> None:
        if not self._watchers.failed:
            return
        failed, now = dict(self._watchers.failed), self._clock.now()

        def work(tx: Transaction) -> None:
            for key in sorted(failed):
                tx.watchers.fail(key, self.job, failed[key], now)

        self._store.transact(work)
        for key, error in failed.items():
            del self._watchers.failed[key]
            running = self._watchers.running.get(key)
            path = running.claimed.class_path if running is not None else "?"
            self._hub.emit(DutyFailed(f"watcher {key} ({path})", error.strip().splitlines()[-1] if error else ""))
