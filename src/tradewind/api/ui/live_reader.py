"""Reads live changes for all clients of a server, in one thread. See decision 0013."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from tradewind.api.ui.live_events import MISSED, LiveEvent, events_of, job_event
from tradewind.errors import DatabaseError
from tradewind.model.ids import RunKey
from tradewind.model.live import LiveRow
from tradewind.runtime.clock import Clock
from tradewind.runtime.wakeup import ClosableWakeup
from tradewind.storage.interface import ReadingStore, Transaction

log = logging.getLogger(__name__)

_PAUSE_S: Final = 0.05
"""Between two looks: what happens within it is read at once."""
_AFTER_FAILURE_S: Final = 1.0
_BEAT_S: Final = 20.0
_HEALTH_S: Final = 5.0
_CERTAIN_AFTER_S: Final = 1.5
"""When all who write have surely noticed that somebody listens."""
_STILL_TOLD: Final = timedelta(seconds=45)
"""Who wrote then, writes on: they go on for twice as long, and clocks may differ by the rest."""
_KEPT_FOR: Final = timedelta(minutes=5)
_MOST_ROWS: Final = 20_000
_AT_ONCE: Final = 1_000
_WAIT_FOR_MISSING_S: Final = 30.0
_MOST_MISSING: Final = 500
_MOST_NAMES: Final = 5_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where changes are read, and what tells that there are some."""

    store: ReadingStore
    clock: Clock
    make_wakeup: Callable[[], ClosableWakeup]
    health: Callable[[Transaction], Mapping[str, str]]
    """How each kind of service is."""
    poll_s: float
    """How long a change may go unnoticed if no signal comes through."""


Publish = Callable[[Sequence[LiveEvent], int], None]


class LiveReader:
    """Runs from the first client that comes until some time after the last one has gone."""

    def __init__(self, source: Source, publish: Publish, begun: Callable[[], None]) -> None:
        """`publish` gets new events, and the key before which none is missing; `begun` is called once all changes from
        now on will come. Both from the reader's thread."""
        self._source = source
        self._publish = publish
        self._begun = begun
        self._stopping = threading.Event()
        self._wakeup: ClosableWakeup | None = source.make_wakeup()
        self._closing = threading.Lock()
        self._place = Place()
        self._health: Mapping[str, str] | None = None
        self._thread = threading.Thread(target=self._run, name="live changes", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Soon. Does not wait for it."""
        self._stopping.set()
        with self._closing:
            if self._wakeup is not None:
                self._wakeup.wake()

    def join(self) -> None:
        """Wait for the end."""
        self._thread.join()

    def _run(self) -> None:
        wakeup, has_failed = self._wakeup, False
        assert wakeup is not None
        while not self._stopping.is_set():
            try:
                wakeup.wait(0)  # from here on no signal is lost; before, some kinds do not listen
                self._begin(has_failed=has_failed)
                self._follow(wakeup)
            except DatabaseError as error:
                log.warning("live changes cannot be read: %s", error)
            except Exception:  # a stream that stands still would look as if nothing happened
                log.exception("live changes cannot be read")
            has_failed = True
            self._stopping.wait(_AFTER_FAILURE_S)
        with self._closing:
            self._wakeup = None
            wakeup.close()

    def _begin(self, *, has_failed: bool) -> None:
        now = self._source.clock.now()

        def work(tx: Transaction) -> tuple[bool, list[tuple[int, datetime]]]:
            last = tx.live.listen(now)
            is_going_on = last is not None and abs(now - last) < _STILL_TOLD
            if not is_going_on:
                tx.live.begin_anew(now)  # something happened since that nobody wrote down
            return is_going_on, tx.live.kept()

        is_going_on, kept = self._source.store.transact(work)
        moment = self._source.clock.monotonic()
        certain_at = None if is_going_on else moment + _CERTAIN_AFTER_S
        self._place = Place(deque(kept), moment + _BEAT_S, certain_at)
        self._publish([MISSED] if has_failed else [], self._place.mark)
        self._begun()

    def _follow(self, wakeup: ClosableWakeup) -> None:
        clock, place = self._source.clock, self._place
        while not self._stopping.is_set():
            self._read()
            moment = clock.monotonic()
            if place.certain_at is not None and moment >= place.certain_at:
                place.certain_at = None
                self._publish([MISSED], place.mark)
            if moment >= place.looks_at_health_at:
                place.looks_at_health_at = moment + _HEALTH_S
                self._look_at_health()
            if moment >= place.beats_at:
                place.beats_at = moment + _BEAT_S
                self._beat()
            if not self._stopping.wait(_PAUSE_S):
                wakeup.wait(self._source.poll_s)

    def _read(self) -> None:
        place = self._place
        has_more = True
        while has_more and not self._stopping.is_set():
            rows = self._source.store.read(lambda tx: self._rows(tx, place))
            has_more = len(rows) == _AT_ONCE
            place.advance(rows, self._source.clock.monotonic())
            if rows:
                self._publish(events_of(rows, place.names), place.mark)

    def _rows(self, tx: Transaction, place: "Place") -> list[LiveRow]:
        rows = tx.live.after(place.key, place.missing, _AT_ONCE)
        if len(place.names) > _MOST_NAMES:
            place.names.clear()
        place.names.update(names_for(tx, rows, place.names))
        return rows

    def _look_at_health(self) -> None:
        health = self._source.store.read(self._source.health)
        before, self._health = self._health, health
        if before is None:
            return
        now = self._source.clock.now()
        changed = [job_event(name, state, now) for name, state in health.items() if before.get(name) != state]
        self._publish(changed, self._place.mark)

    def _beat(self) -> None:
        now = self._source.clock.now()
        through = self._place.outdated(now)

        def work(tx: Transaction) -> None:
            tx.live.listen(now)
            if through is not None:
                tx.live.forget(through)

        self._source.store.transact(work)


@dataclass(slots=True)
class Place:
    """How far a reader has come."""

    kept: deque[tuple[int, datetime]] = field(default_factory=deque)
    beats_at: float = 0.0
    certain_at: float | None = None
    """When to say that changes before then may have been missed."""
    looks_at_health_at: float = 0.0
    missing: dict[int, float] = field(default_factory=dict)
    """Keys that were passed over, and when. Whoever took such a key has not committed yet, or never will."""
    names: dict[RunKey, tuple[str, str]] = field(default_factory=dict)
    key: int = 0

    def __post_init__(self) -> None:
        self.key = self.kept[-1][0] if self.kept else 0

    @property
    def mark(self) -> int:
        """The last key before which none is missing. 0: nobody knows yet."""
        if self.certain_at is not None:
            return 0
        return min(self.missing) - 1 if self.missing else self.key

    def advance(self, rows: Sequence[LiveRow], moment: float) -> None:
        """These were read."""
        for row in rows:
            self.kept.append((row.key, row.at))
            if row.key < self.key:
                self.missing.pop(row.key, None)
                continue
            # Before the first key that is seen at all, nobody knows what there was.
            passed = range(self.key + 1, row.key) if self.key else range(0)
            self.missing.update(dict.fromkeys(passed[-_MOST_MISSING:], moment))
            self.key = row.key
        self.missing = {key: at for key, at in self.missing.items() if moment - at < _WAIT_FOR_MISSING_S}

    def outdated(self, now: datetime) -> int | None:
        """The last key that nobody needs any more. The newest is kept: it shows that none came after it."""
        through = None
        while len(self.kept) > 1 and (self.kept[0][1] < now - _KEPT_FOR or len(self.kept) > _MOST_ROWS):
            through = self.kept.popleft()[0]
        return through


def names_for(
    tx: Transaction, rows: Sequence[LiveRow], known: Mapping[RunKey, tuple[str, str]]
) -> dict[RunKey, tuple[str, str]]:
    """Of the runs that rows speak of, as far as they are not known."""
    keys = {RunKey(entry.run_key) for row in rows for entry in row.entries if entry.run_key is not None}
    unknown = keys - known.keys()
    return tx.live.names_of_runs(unknown) if unknown else {}
