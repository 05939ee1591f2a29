"""The triggerer as a service: which duty is done when."""

import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tradewind.decide.liveness import Suspects
from tradewind.decide.triggerers import most_to_claim, silent_triggerers, stored_together
from tradewind.errors import DatabaseUnavailable, TransactionConflict
from tradewind.model.ids import AttemptKey, JobKey, TaskKey, TriggerKey
from tradewind.model.states import TaskState
from tradewind.model.trigger import Broke, ClaimedTrigger, EndedTask, Fired, Prepared
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.claim_triggers import (
    TRIGGERER_KIND,
    bury_triggerers,
    claim_triggers,
    find_called_off,
    find_unwanted,
    free_unheard_claims,
    leave_triggers,
)
from tradewind.operations.fire_triggers import fire_triggers
from tradewind.operations.prepare_starts import complete_claims, store_prepared
from tradewind.operations.spread_news import spread_start
from tradewind.operations.structures import Structures
from tradewind.runtime.clock import Clock
from tradewind.storage.interface import Store, Transaction
from tradewind.telemetry.duties import Duties, words_of
from tradewind.telemetry.events import DatabaseBack, DatabaseLost, DutyFailed, JobDied
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import Heartbeat, JobEnded, JobStarted, TriggersDone, TriggersMeasured
from tradewind.triggerer.calling_back import CallingBack
from tradewind.triggerer.neighbours import Neighbours
from tradewind.triggerer.options import TriggererOptions
from tradewind.triggerer.running import RUNNER, RunningTriggers
from tradewind.triggerer.watching import Watching

_BEATS_PER_SWEEP: Final = 3


@dataclass(slots=True)
class _Periodic:
    """A duty that is done at intervals."""

    name: str
    interval_s: float
    duty: Callable[[], object]
    due_at: float

    def set_next(self, now_s: float) -> None:
        """Duties of the same rhythm stay together: each pass that is made for one of them alone is one too many."""
        self.due_at += self.interval_s
        if self.due_at <= now_s:
            self.due_at = now_s + self.interval_s


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
        watching: Watching | None = None,
        calling: CallingBack | None = None,
        hub: Hub | None = None,
    ) -> None:
        """`watching`: the watchers of assets, if it shall run any; `calling`: so with callbacks of missed deadlines."""
        self._store = store
        self._clock = clock
        self._running = running
        self._options = options
        self._neighbours = neighbours
        self._structures = structures
        self._watching = watching
        self._calling = calling
        self._hub = hub or Hub()
        self._do = Duties(TRIGGERER_KIND, self._hub, clock.monotonic)
        self._suspects = Suspects(options.threshold_s)
        self._periodic: list[_Periodic] = []
        self._beginner = Beginner(structures, socket.gethostname(), os.getpid())
        self.job = JobKey(0)

    def start(self) -> None:
        """Take a lease. What those had who are known to be dead is free at once."""
        self._live_as(self._store.transact(self._take_lease))
        now, beat_s = self._clock.monotonic(), self._options.heartbeat_s
        self._periodic = [
            _Periodic("heartbeat", beat_s, self._heartbeat, now + beat_s),
            _Periodic("bury dead triggerers", beat_s, self._bury, now),
            _Periodic("look for unwanted triggers", _BEATS_PER_SWEEP * beat_s, self._sweep, now),
        ]
        if self._watching is not None:
            self._periodic.append(_Periodic("look for unwanted watchers", beat_s, self._watching.sweep, now))
        if self._calling is not None:
            self._periodic += [
                _Periodic("take deadline callbacks", beat_s, self._calling.take, now),
                _Periodic("renew deadline callbacks", beat_s, self._calling.renew, now),
            ]

    def run_once(self) -> bool:
        """One pass. True: there may be more to do at once."""
        for periodic in self._periodic:
            if self._clock.monotonic() >= periodic.due_at:
                periodic.set_next(self._clock.monotonic())
                self._do(periodic.name, periodic.duty)
        self._do(RUNNER, self._running.hear)
        has_seen = 0 if self._watching is None else self._do("watch assets", self._watching.work)
        if self._calling is not None and self._do("end deadline callbacks", self._calling.store_ended):
            self._do("take deadline callbacks", self._calling.take)
        return self._do("exchange", self._exchange) + has_seen > 0

    def idle_s(self) -> float:
        """Until something is due that no signal announces."""
        due = self._running.next_due()
        restart = None if self._watching is None else self._watching.next_due()
        dues = [*(each for each in (due, restart) if each is not None), *(each.due_at for each in self._periodic)]
        return max(0.0, min(dues) - self._clock.monotonic())

    def stop(self) -> None:
        """Store the last words, and leave the triggers to others."""
        self._running.close()
        if self._watching is not None:
            self._do("watch assets", self._watching.close)
        if self._calling is not None:
            self._do("end deadline callbacks", self._calling.close)
        now = self._clock.now()
        self._store_said()
        while self._running.fired:
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
        """See `Service.database_back`. The answer to a claim may have been lost: that is found by the sweep."""
        self._hub.emit(DatabaseBack(after_s))
        for periodic in self._periodic:
            periodic.due_at = self._clock.monotonic()

    def _take_lease(self, tx: Transaction) -> JobKey:
        tx.emit(JobStarted(TRIGGERER_KIND))
        now = self._clock.now()
        job = tx.jobs.start(TRIGGERER_KIND, hostname=socket.gethostname(), pid=os.getpid(), now=now)
        spread_start(tx, job, now)
        return job

    def _live_as(self, job: JobKey) -> None:
        """Only once it is committed: the number of a lease that was rolled back may become somebody else's."""
        self.job = self._running.job = job
        if self._watching is not None:
            self._watching.job = job
        self._neighbours.enter(job)

    def _heartbeat(self) -> None:
        def beat(tx: Transaction) -> JobKey | None:
            is_alive = tx.jobs.heartbeat(self.job, self._clock.now())
            tx.emit(Heartbeat(TRIGGERER_KIND, is_late=not is_alive))
            running = len(self._running)
            tx.emit(TriggersMeasured(socket.gethostname(), running, self._options.capacity - running))
            return None if is_alive else self._take_lease(tx)

        new = self._store.transact(beat)
        if new is not None:
            # Taken for dead: others have our triggers. Go on as somebody new.
            self._running.drop_all()
            if self._watching is not None:
                self._watching.drop_all()
            self._live_as(new)
        self._running.ping(self._options.runner_threshold_s)
        if self._watching is not None:
            self._watching.ping(self._options.runner_threshold_s)

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
        keys, held = self._running.keys, self._running.held

        def work(tx: Transaction) -> set[TriggerKey]:
            unwanted = find_unwanted(tx, self.job, keys)
            free_unheard_claims(tx, self.job, held)
            return unwanted - tx.triggers.called_off(self.job).keys() - tx.triggers.orphans.held(self.job)

        self._running.stop(self._store.transact(work), kills=False)

    def _exchange(self) -> int:
        """Store what triggers said, and learn what there is to do: all in one transaction."""
        self._store_said()
        options, running = self._options, self._running
        most = most_to_claim(options.capacity, len(running), options.claimed_at_once)

        now, held = self._clock.now(), {*running.held, *running.stopped}

        def work(tx: Transaction) -> tuple[dict[TriggerKey, bool], list[ClaimedTrigger]]:
            claimed = claim_triggers(tx, self.job, most, now, options.queues)
            called_off = find_called_off(tx, self.job, held=held, claimed=claimed, queues=options.queues)
            return called_off.known, [*complete_claims(tx, claimed, self._beginner, now), *called_off.orphans]

        called_off, claimed = self._store.transact(work)
        for kills in (True, False):
            running.stop([key for key, is_killed in called_off.items() if is_killed is kills], kills=kills)
        for each in claimed:
            running.start(each)
        return int(len(claimed) >= most > 0 or bool(running.fired or running.stopped))

    def _store_said(self) -> None:
        running = self._running
        self._store_troubles()
        self._store_prepared()
        if not running.fired and not running.stopped:
            return
        fired, later = stored_together(running.fired)
        stopped = set(running.stopped)
        try:
            self._settle(fired, stopped)
        except (DatabaseUnavailable, TransactionConflict):
            raise  # all of it can be tried again
        except Exception:  # what one trigger says must not keep all others waiting, whatever goes wrong with it
            for each in fired:
                self._settle_alone(each)
            self._settle((), stopped)
        running.fired = later
        running.stopped -= stopped

    def _store_prepared(self) -> None:
        prepared = list(self._running.beginnings.prepared)
        if not prepared:
            return
        try:
            waiting = self._store.transact(lambda tx: store_prepared(tx, self.job, prepared))
        except (DatabaseUnavailable, TransactionConflict):
            raise
        except Exception:  # as in `_store_said`
            waiting = set().union(*map(self._store_prepared_alone, prepared))
        del self._running.beginnings.prepared[: len(prepared)]
        self._running.begin_stored(prepared, waiting)

    def _store_prepared_alone(self, prepared: Prepared) -> set[TaskKey]:
        try:
            return self._store.transact(lambda tx: store_prepared(tx, self.job, [prepared]))
        except (DatabaseUnavailable, TransactionConflict):
            raise
        except Exception as error:
            self._running.stop([prepared.trigger], kills=False)
            self._fail_alone(
                prepared.trigger, prepared.attempt, f"what the task waits for cannot be stored: {words_of(error)}"
            )
            return set()

    def _store_troubles(self) -> None:
        noted = self._running.disturbers.noted
        troubles = dict(noted)
        if troubles:
            self._store.transact(lambda tx: tx.triggers.note_troubles(troubles, self.job))
            noted.clear()

    def _settle(self, fired: Sequence[Fired], stopped: set[TriggerKey]) -> None:
        now, options = self._clock.now(), self._options

        def work(tx: Transaction) -> None:
            changed = fire_triggers(
                tx,
                fired,
                now,
                self._structures,
                longest_delay_s=options.longest_retry_delay_s,
                longest_mapped=options.longest_mapped,
            )
            tx.triggers.delete(stopped, self.job)
            late = {each.trigger for each in fired if each.attempt.task not in changed}
            tx.triggers.orphans.delete(stopped | late)
            failed = sum(isinstance(each.what, Broke) for each in fired)
            tx.emit(TriggersDone(succeeded=len(fired) - failed, failed=failed))

        self._store.transact(work)

    def _settle_alone(self, fired: Fired) -> None:
        problem = self._why_unstored(fired)
        if problem is not None:
            self._fail_alone(fired.trigger, fired.attempt, f"what the trigger said cannot be stored: {problem}")

    def _fail_alone(self, trigger: TriggerKey, attempt: AttemptKey, why: str) -> None:
        """In a worker, as after every other failure of a trigger; where even that cannot be stored, without one."""
        problem = self._why_unstored(Fired(trigger, attempt, Broke((f"{why}\n",))))
        if problem is not None:
            problem = self._why_unstored(Fired(trigger, attempt, EndedTask(TaskState.FAILED, {}, reason=why)))
        if problem is not None:
            # The sweep gives it back, and whoever takes it tries again: nobody else has to wait for that.
            self._hub.emit(DutyFailed("exchange", f"{attempt}: {problem}"))

    def _why_unstored(self, fired: Fired) -> str | None:
        """Store it alone. None: it is stored."""
        try:
            self._settle([fired], set())
        except (DatabaseUnavailable, TransactionConflict):
            raise
        except Exception as error:
            return words_of(error)
        return None
