"""The triggerer as a service: which duty is done when."""

import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tradewind.decide.liveness import Suspects
from tradewind.decide.triggerers import most_to_claim, silent_triggerers
from tradewind.errors import DatabaseError, DatabaseUnavailable, TransactionConflict
from tradewind.model.ids import JobKey, TriggerKey
from tradewind.model.trigger import Broke, ClaimedTrigger, Fired
from tradewind.operations.claim_triggers import (
    TRIGGERER_KIND,
    bury_triggerers,
    claim_triggers,
    find_unwanted,
    leave_triggers,
)
from tradewind.operations.fire_triggers import fire_triggers
from tradewind.operations.structures import Structures
from tradewind.runtime.clock import Clock
from tradewind.storage.interface import Store, Transaction
from tradewind.telemetry.duties import Duties
from tradewind.telemetry.events import DatabaseBack, DatabaseLost, DutyFailed, JobDied
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import Heartbeat, JobEnded, JobStarted, TriggersDone, TriggersMeasured
from tradewind.triggerer.neighbours import Neighbours
from tradewind.triggerer.options import TriggererOptions
from tradewind.triggerer.running import RunningTriggers

_BEATS_PER_SWEEP: Final = 3
_RUNNER: Final = "trigger runner"


@dataclass(slots=True)
class _Periodic:
    """A duty that is done at intervals."""

    name: str
    interval_s: float
    duty: Callable[[], object]
    due_at: float


class Triggerer:
    """Implements `runtime.service.Service`. It passes when a trigger is new, called off, or says something."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        running: RunningTriggers,
        *,
        options: TriggererOptions,
        neighbours: Neighbours,
        structures: Structures,
        hub: Hub | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._running = running
        self._options = options
        self._neighbours = neighbours
        self._structures = structures
        self._hub = hub or Hub()
        self._do = Duties(TRIGGERER_KIND, self._hub, clock.monotonic)
        self._suspects = Suspects(options.threshold_s)
        self._periodic: list[_Periodic] = []
        self.job = JobKey(0)

    def start(self) -> None:
        """Take a lease. What those had who are known to be dead is free at once."""
        self._store.transact(self._take_lease)
        self._neighbours.enter(self.job)
        now, beat_s = self._clock.monotonic(), self._options.heartbeat_s
        self._periodic = [
            _Periodic("heartbeat", beat_s, self._heartbeat, now + beat_s),
            _Periodic("bury dead triggerers", beat_s, self._bury, now),
            _Periodic("look for unwanted triggers", _BEATS_PER_SWEEP * beat_s, self._sweep, now),
        ]

    def run_once(self) -> bool:
        """One pass. True: there may be more to do at once."""
        for periodic in self._periodic:
            if self._clock.monotonic() >= periodic.due_at:
                periodic.due_at = self._clock.monotonic() + periodic.interval_s
                self._do(periodic.name, periodic.duty)
        self._do(_RUNNER, self._hear)
        return self._do("exchange", self._exchange) > 0

    def idle_s(self) -> float:
        """Until something is due that no signal announces."""
        dues = [periodic.due_at for periodic in self._periodic]
        if self._running.restart_at is not None:
            dues.append(self._running.restart_at)
        return max(0.0, min(dues) - self._clock.monotonic())

    def stop(self) -> None:
        """Store the last words, and leave the triggers to others."""
        self._running.close()
        now = self._clock.now()
        self._store_said()

        def leave(tx: Transaction) -> None:
            leave_triggers(tx, self.job, now)
            tx.emit(JobEnded(TRIGGERER_KIND))

        self._store.transact(leave)
        self._neighbours.leave()

    def database_lost(self, error: DatabaseUnavailable) -> None:
        """See `Service.database_lost`. Triggers run on: what they say meanwhile is stored afterwards."""
        self._hub.emit(DatabaseLost(str(error)))

    def database_back(self, after_s: float) -> None:
        """See `Service.database_back`."""
        self._hub.emit(DatabaseBack(after_s))

    def _take_lease(self, tx: Transaction) -> None:
        now = self._clock.now()
        tx.emit(JobStarted(TRIGGERER_KIND))
        self.job = tx.jobs.start(TRIGGERER_KIND, hostname=socket.gethostname(), pid=os.getpid(), now=now)
        self._running.job = self.job

    def _heartbeat(self) -> None:
        def beat(tx: Transaction) -> bool:
            is_alive = tx.jobs.heartbeat(self.job, self._clock.now())
            tx.emit(Heartbeat(TRIGGERER_KIND, is_late=not is_alive))
            running = len(self._running)
            tx.emit(TriggersMeasured(socket.gethostname(), running, self._options.capacity - running))
            if not is_alive:
                self._take_lease(tx)
            return is_alive

        if not self._store.transact(beat):
            # Taken for dead: others have our triggers. Go on as somebody new.
            self._running.drop_all()
            self._neighbours.enter(self.job)
        self._tell_of_runner(self._running.ping(self._options.runner_threshold_s))

    def _bury(self) -> None:
        """Only who lives may keep triggers."""
        live = self._store.transact(lambda tx: tx.jobs.live(TRIGGERER_KIND))
        others = [record for record in live if record.job_key != self.job]
        heard = [(record.job_key, record.heartbeat_at) for record in others]
        dead = silent_triggerers(heard, self._neighbours.dead(), self._suspects, self._clock.monotonic())
        chosen = [record for record in others if record.job_key in dead]
        now = self._clock.now()
        buried = self._store.transact(lambda tx: bury_triggerers(tx, chosen, now))
        for record in chosen:
            if record.job_key in buried:
                self._hub.emit(JobDied(record.job_key, record.hostname))

    def _sweep(self) -> None:
        keys = self._running.keys
        unwanted = self._store.transact(lambda tx: find_unwanted(tx, self.job, keys))
        called_off = self._store.transact(lambda tx: tx.triggers.called_off(self.job))
        self._running.stop(unwanted - called_off, kills=False)

    def _hear(self) -> None:
        self._tell_of_runner(self._running.hear())

    def _tell_of_runner(self, trouble: str | None) -> None:
        if trouble is not None:
            self._hub.emit(DutyFailed(_RUNNER, trouble))

    def _exchange(self) -> int:
        """Store what triggers said, and learn what there is to do: all in one transaction."""
        self._store_said()
        options, running = self._options, self._running
        most = most_to_claim(options.capacity, len(running), options.claimed_at_once)

        def work(tx: Transaction) -> tuple[set[TriggerKey], list[ClaimedTrigger]]:
            return tx.triggers.called_off(self.job), claim_triggers(tx, self.job, most, options.queues)

        called_off, claimed = self._store.transact(work)
        running.stop(called_off, kills=True)
        for each in claimed:
            running.start(each)
        return int(len(claimed) == most > 0 or bool(running.fired or running.stopped))

    def _store_said(self) -> None:
        running = self._running
        if not running.fired and not running.stopped:
            return
        fired, stopped = list(running.fired), set(running.stopped)
        try:
            self._settle(fired, stopped)
        except (DatabaseUnavailable, TransactionConflict):
            raise  # all of it can be tried again
        except DatabaseError:  # what one trigger says must not keep all others waiting
            for each in fired:
                self._settle_alone(each)
            self._settle((), stopped)
        running.fired = running.fired[len(fired) :]
        running.stopped -= stopped

    def _settle(self, fired: Sequence[Fired], stopped: set[TriggerKey]) -> None:
        now, longest = self._clock.now(), self._options.longest_retry_delay_s

        def work(tx: Transaction) -> None:
            fire_triggers(tx, fired, now, self._structures, longest_delay_s=longest)
            tx.triggers.delete(stopped, self.job)
            failed = sum(isinstance(each.what, Broke) for each in fired)
            tx.emit(TriggersDone(succeeded=len(fired) - failed, failed=failed))

        self._store.transact(work)

    def _settle_alone(self, fired: Fired) -> None:
        try:
            self._settle([fired], set())
        except (DatabaseUnavailable, TransactionConflict):
            raise
        except DatabaseError as error:
            broke = Broke((f"what the trigger said cannot be stored: {error}\n",))
            self._settle([Fired(fired.trigger, fired.attempt, broke)], set())
