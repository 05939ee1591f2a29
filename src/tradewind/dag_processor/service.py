"""The DAG processor as a service: which duty is done when."""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Final

from tradewind.bundles.interface import Bundle
from tradewind.dag_processor.answers import Answerer
from tradewind.dag_processor.hear_plugins import ask_plugins, finish_plugins
from tradewind.dag_processor.look_at_bundles import BundleKeeper
from tradewind.dag_processor.meet_deadlines import finish_deadline, renew_deadlines, start_deadlines
from tradewind.dag_processor.pool import ParsePool
from tradewind.dag_processor.protocol import Outcome
from tradewind.dag_processor.read_files import (
    GATHER_S,
    LEASE_S,
    read_again,
    remove_gone,
    renew_claims,
    start_reading,
    store_results,
    take_outcome,
)
from tradewind.dag_processor.run_callbacks import (
    finish_callback,
    forget_answered,
    renew_callbacks,
    start_callbacks,
)
from tradewind.dag_processor.state import ProcessorState, environment_hash
from tradewind.dag_processor.tell_news import (
    finish_telling,
    give_back_news,
    renew_news,
    start_telling,
    tell_last_news,
)
from tradewind.dag_processor.tracked_bundle import TrackedBundle
from tradewind.dag_processor.user_metrics import tell_metrics
from tradewind.dag_processor.watch import Watcher
from tradewind.errors import DatabaseUnavailable
from tradewind.model.dag_file import FileKey
from tradewind.model.ids import JobKey
from tradewind.operations.cipher import Cipher
from tradewind.operations.publish_files import remove_files
from tradewind.operations.spread_news import spread_start
from tradewind.runtime.clock import Clock
from tradewind.runtime.wakeup import Wakeup
from tradewind.settings import Settings
from tradewind.storage.interface import Store, Transaction
from tradewind.telemetry.duties import Duties
from tradewind.telemetry.events import DatabaseBack, DatabaseLost
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import Heartbeat, JobEnded, JobStarted

PROCESSOR_KIND: Final = "dag_processor"
_LONGEST_IDLE_S: Final = 60.0
_PRUNE_TEXTS_EVERY_S: Final = 3600.0
_HEARD_EVERY_S: Final = 1.0
_ASKED_AGAIN_AFTER: Final = timedelta(seconds=60)
"""A timetable that was asked and has not said anything: who read its file died, or the file cannot be imported."""


@dataclass(slots=True)
class _Periodic:
    """A duty that is done at intervals."""

    name: str
    interval_s: float
    duty: Callable[[], object]
    due_at: float = field(default=0.0)


class DagProcessor:
    """Implements `runtime.service.Service`.

    A pass costs next to nothing unless a file changed, a child has brought something, or an interval is over.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        wakeup: Wakeup,
        *,
        settings: Settings,
        bundles: Sequence[Bundle],
        environ: dict[str, str],
        executors: Mapping[str, str] | None = None,
        answer: Answerer = lambda _method, _arguments: None,
        cipher: Cipher | None = None,
        hub: Hub | None = None,
    ) -> None:
        """`environ` is what authors' files get to see: it must hold no secrets. `executors`: see `name_executors`;
        `answer` is asked for variables and connections while files are read and callbacks run."""
        core, options = settings.core, settings.dag_processor
        environment = environment_hash(environ, executors)
        self.state = ProcessorState(
            store=store,
            clock=clock,
            settings=settings,
            hub=hub or Hub(),
            pool=ParsePool(
                processes=options.parsing_processes,
                environ=environ,
                preloads=options.parsing_pre_import_modules,
                wake=wakeup.wake,
                answer=answer,
            ),
            bundles=[
                TrackedBundle(
                    bundle, environment, syntax=core.dag_ignore_file_syntax, safe_mode=core.dag_discovery_safe_mode
                )
                for bundle in bundles
            ],
            job=JobKey(0),
            wake=wakeup.wake,
            executors=executors,
            cipher=cipher,
        )
        self._do = Duties(PROCESSOR_KIND, self.state.hub, clock.monotonic)
        self._wakeup = wakeup
        self._watcher = Watcher(wakeup.wake)
        self._keeper = BundleKeeper(self.state, self._watcher)
        self._periodic: list[_Periodic] = []

    def start(self) -> None:
        """Take a lease, learn what is stored, and start the warm process."""
        state, options = self.state, self.state.settings.dag_processor
        state.store.transact(self._prepare)
        heartbeat_s = state.settings.scheduler.job_heartbeat_sec
        now = state.clock.monotonic()
        self._periodic = [
            _Periodic("heartbeat", heartbeat_s, self._heartbeat, now + heartbeat_s),
            _Periodic("hear requests", _HEARD_EVERY_S, self.hear_requests, now + _HEARD_EVERY_S),
            _Periodic("renew claims", LEASE_S / 3, self._renew, now),
            _Periodic("ask plugins", options.bundle_refresh_check_interval, lambda: ask_plugins(state), now),
            _Periodic("call back", options.bundle_refresh_check_interval, lambda: start_callbacks(state), now),
            _Periodic("tell news", options.bundle_refresh_check_interval, lambda: start_telling(state), now),
            _Periodic("meet deadlines", options.bundle_refresh_check_interval, lambda: start_deadlines(state), now),
            _Periodic("measure files", heartbeat_s, self._measure, now),
            _Periodic("prune sources", _PRUNE_TEXTS_EVERY_S, self._prune_texts, now + _PRUNE_TEXTS_EVERY_S),
        ]
        if options.stale_bundle_cleanup_interval:
            interval_s = options.stale_bundle_cleanup_interval
            self._periodic.append(_Periodic("prune versions", interval_s, self._keeper.prune, now + interval_s))
        if state.pool.pid is None:
            state.pool.start()

    def run_once(self) -> bool:
        """One pass. True: something was done, so there may be more to do at once."""
        state = self.state
        for periodic in self._periodic:
            if state.clock.monotonic() >= periodic.due_at:
                periodic.due_at = state.clock.monotonic() + periodic.interval_s
                self._do(periodic.name, periodic.duty)
        done = self._do("look at bundles", self._keeper.keep)
        done += self._do("remove gone files", lambda: remove_gone(state))
        done += self._do("start reading", lambda: start_reading(state))
        done += self._take_outcomes()
        done += self._do("store results", lambda: store_results(state))
        answered = self._do("forget answered callbacks", lambda: forget_answered(state))
        if answered:  # there may be others in their place
            self._do("call back", lambda: start_callbacks(state))
        done += answered
        done += self._do("advance versions", self._advance_versions)
        return done > 0

    def idle_s(self) -> float:
        """Until something is due that no signal announces."""
        now = self.state.clock.monotonic()
        dues = [periodic.due_at for periodic in self._periodic]
        dues.append(self._keeper.next_due_at())
        if self.state.finished:
            dues.append(self.state.finished_since + GATHER_S)
        dues += [due for bundle in self.state.bundles if (due := bundle.next_due_at()) is not None and due > now]
        return max(0.0, min(*dues, now + _LONGEST_IDLE_S) - now)

    @property
    def is_settled(self) -> bool:
        """Whether all that the files say is stored, as far as they could be had."""
        state = self.state
        if (
            state.readings
            or state.calls
            or state.deadlines
            or (state.plugins is not None and state.plugins.number is not None)
            or state.news is not None
            or state.answered
            or state.finished
            or self._keeper.is_waiting()
        ):
            return False
        return all(bundle.is_settled or bundle.error is not None for bundle in state.bundles)

    def settle(self, *, is_forced: bool = False, is_stopping: Callable[[], bool] = lambda: False) -> None:
        """Work until everything is stored, or told to stop; with `is_forced`, read every file, changed or not."""
        is_left_to_force = is_forced
        while not is_stopping():
            is_busy = self.run_once()
            if is_left_to_force and not self._keeper.is_waiting():
                is_left_to_force = False
                for bundle in self.state.bundles:
                    bundle.verify(is_forced=True)
            elif self.is_settled and not is_busy:
                return
            elif not is_busy:
                self.wait()

    def wait(self) -> None:
        """Until there is something to do."""
        self._wakeup.wait(self.idle_s())

    def look_soon(self) -> None:
        """Look at all files in the next pass, whether or not there was a hint."""
        self._keeper.look_soon()

    def refresh_soon(self) -> None:
        """Refresh all bundles in the next pass."""
        self._keeper.refresh_soon()

    def call_back(self) -> int:
        """Take requests to call callbacks. Also done every few seconds. Returns how many."""
        return start_callbacks(self.state)

    def meet_deadlines(self) -> int:
        """Take deadlines that are for authors' code. Also done every few seconds. Returns how many."""
        return start_deadlines(self.state)

    def hear_requests(self) -> None:
        """See whether anybody asked to have files read again, or to have a timetable say what a run by hand is about.
        Also done every second: people wait for it."""
        names = [bundle.name for bundle in self.state.bundles]
        asked_before = self.state.clock.now() - _ASKED_AGAIN_AFTER

        def requested(tx: Transaction) -> list[FileKey]:
            return [*(file.key for file in tx.files.requested(names)), *tx.plans.files_to_ask(names, asked_before)]

        read_again(self.state, self.state.store.transact(requested))

    def stop(self) -> None:
        """Give back what was claimed, and the lease; end the children."""
        state = self.state
        self._watcher.close()
        self._keeper.close()
        try:
            tell_last_news(state, self._wakeup)
        finally:
            state.pool.close()
        keys = [reading.file.key for reading in state.readings.values() if reading.file.key is not None]
        now = state.clock.now()

        def leave(tx: Transaction) -> None:
            tx.files.release(keys, state.job)
            give_back_news(state, tx)
            tx.jobs.stop(state.job, now)
            tx.emit(JobEnded(PROCESSOR_KIND))

        state.store.transact(leave)

    def database_lost(self, error: DatabaseUnavailable) -> None:
        """See `Service.database_lost`."""
        self.state.hub.emit(DatabaseLost(str(error)))

    def database_back(self, after_s: float) -> None:
        """See `Service.database_back`. What was read but not stored is still here, and is stored now."""
        self.state.hub.emit(DatabaseBack(after_s))

    def _prepare(self, tx: Transaction) -> None:
        state = self.state
        configured = [each.name for each in state.settings.dag_processor.dag_bundle_config_list]
        for name in tx.bundles.sync(configured):
            remove_files(tx, [file.key for file in tx.files.of_bundle(name)])
        versions = {bundle.name: bundle.version for bundle in tx.bundles.all()}
        for bundle in state.bundles:
            bundle.load(tx.files.of_bundle(bundle.name))
            bundle.stored_version = versions.get(bundle.name)
        state.heard_of_runs = tx.bundles.heard()  # until plugins have been asked again
        self._take_lease(tx)

    def _take_lease(self, tx: Transaction) -> None:
        now = self.state.clock.now()
        tx.emit(JobStarted(PROCESSOR_KIND))
        self.state.job = tx.jobs.start(PROCESSOR_KIND, hostname=socket.gethostname(), pid=os.getpid(), now=now)
        spread_start(tx, self.state.job, now)

    def _heartbeat(self) -> None:
        state = self.state

        def beat(tx: Transaction) -> None:
            is_known = tx.jobs.heartbeat(state.job, state.clock.now())
            tx.emit(Heartbeat(PROCESSOR_KIND, is_late=not is_known))
            if not is_known:
                self._take_lease(tx)  # taken for dead: go on as somebody new

        state.store.transact(beat)

    def _measure(self) -> None:
        """For whoever draws curves of it."""
        state = self.state
        if not state.hub.measures:
            return
        waiting = sum(len(bundle.dirty) for bundle in state.bundles)
        stored = state.store.transact(lambda tx: tx.measures.files())
        state.hub.emit(replace(stored, waiting=waiting, reading=state.pool.in_flight))

    def _renew(self) -> None:
        renew_claims(self.state)
        renew_callbacks(self.state)
        renew_deadlines(self.state)
        renew_news(self.state)

    def _take_outcomes(self) -> int:
        """Each by itself: one that makes trouble must not take the others with it."""
        state = self.state
        outcomes = state.pool.outcomes()
        for outcome in outcomes:
            if state.hub.measures:
                self._do("tell metrics", partial(tell_metrics, state.hub, outcome))
            take = _taker_of(state, outcome)
            self._do("take outcome", partial(take, state, outcome))
        return len(outcomes)

    def _prune_texts(self) -> None:
        self.state.store.transact(lambda tx: tx.versions.prune_texts())

    def _advance_versions(self) -> int:
        """New runs are pinned to a version once all that it changed is stored."""
        state = self.state
        is_off = state.settings.dag_processor.disable_bundle_versioning
        busy = {id(reading.bundle) for reading in state.readings.values()} | {id(each) for each, _ in state.finished}
        count = 0
        for bundle in state.bundles:
            version = None if is_off else bundle.version
            if version != bundle.stored_version and bundle.is_settled and id(bundle) not in busy:
                _store_version(state.store, bundle.name, version)
                bundle.stored_version = version
                count += 1
        return count


def _taker_of(state: ProcessorState, outcome: Outcome) -> Callable[[ProcessorState, Outcome], None]:
    if outcome.number in state.calls:
        return finish_callback
    if state.plugins is not None and outcome.number == state.plugins.number:
        return finish_plugins
    if state.news is not None and outcome.number == state.news.request.number:
        return finish_telling
    return finish_deadline if outcome.number in state.deadlines else take_outcome


def _store_version(store: Store, name: str, version: str | None) -> None:
    store.transact(lambda tx: tx.bundles.set_version(name, version))
