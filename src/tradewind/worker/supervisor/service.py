"""The supervisor: which attempts run, and what became of them."""

import selectors
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from tradewind.model.assignment import WorkOrder
from tradewind.model.exchange import Exchange
from tradewind.model.ids import AttemptKey
from tradewind.model.states import TaskState
from tradewind.model.task import WorkItem
from tradewind.runtime.clock import Clock
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import Heartbeat, ProcessEnded, UserMeasured
from tradewind.wire.work import Stop
from tradewind.worker.callback_process import CallbackProcess
from tradewind.worker.engine import CallbackEngine, ConnectionTestEngine, Engine
from tradewind.worker.protocol import Gone
from tradewind.worker.supervisor.answers import Answers
from tradewind.worker.supervisor.attempt import Attempt, Phase
from tradewind.worker.supervisor.background import Background
from tradewind.worker.supervisor.callbacks import MOST_CALLBACKS, Callbacks
from tradewind.worker.supervisor.channel import dispatch
from tradewind.worker.supervisor.clients import Clients
from tradewind.worker.supervisor.ends import result_of
from tradewind.worker.supervisor.launcher import Launcher
from tradewind.worker.supervisor.options import OutsideSecrets, Places, SupervisorOptions
from tradewind.worker.supervisor.talk import Talk
from tradewind.worker.supervisor.trials import MOST_TRIALS, Trials
from tradewind.worker.supervisor.watch import Watch
from tradewind.worker.supervisor.work_queue import WorkQueue

_FEW: Final = 4
"""While no more attempts run than these, the engine hears at once of all that happens."""
_GATHERING_S: Final = 0.0007
"""For each attempt more, so much longer is gathered what the engine is to hear of."""
_LONGEST_GATHERING_S: Final = 0.02
_GOES_ON: Final = (TaskState.UP_FOR_RESCHEDULE, TaskState.DEFERRED, TaskState.AWAITING_INPUT)


class Supervisor:
    """Runs attempts for as long as somebody wants it to. Implements `clients.Boss`."""

    def __init__(
        self,
        engine: Engine,
        tests: ConnectionTestEngine,
        callbacks: CallbackEngine,
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
        self._hub = hub
        self._talk = Talk(engine, clock, hub)
        self._selector = selectors.DefaultSelector()
        self._background = Background(self._selector)
        self._answers = Answers(secrets, self._background)
        self._launcher = Launcher(
            self._selector,
            clock,
            self._background,
            options=options,
            places=places,
            environ=environ,
            # For as long as the engine waits for the next heartbeat, counted from the last one.
            lease_ends=lambda: self._talk.heard_at + options.heartbeat_timeout_s,
            forked=self._forked,
            gone=self._gone,
        )
        self._trials = Trials(
            tests,
            self._talk,
            Background(self._selector, MOST_TRIALS),
            clock,
            patience_s=options.trial_patience_s,
            environ=environ,
        )
        self.try_connections = self._trials.take
        self._callbacks = Callbacks(
            callbacks,
            self._talk,
            Background(self._selector, MOST_CALLBACKS),
            places=places,
            secrets=secrets,
            make=partial(
                CallbackProcess,
                clock=clock,
                environ=environ,
                plugins=options.plugins,
                patience_s=options.deadline_callback_patience_s,
            ),
            hub=hub,
        )
        self.call_back = self._callbacks.take
        self._watch = Watch(clock, options.stop_patience_s, options.callback_patience_s, self._launcher.zygotes.signal)
        self._clients: Clients | None = None
        self._queue = WorkQueue()
        self._attempts: dict[AttemptKey, Attempt] = {}
        self._results: list[Attempt] = []
        self._heartbeat_due_at = 0.0
        self._exchanged_at = 0.0
        self._idle_since = clock.monotonic()
        self._stop: Stop | None = None
        self._is_over = False

    def start(self, former: str | None, remember: Callable[[str], object]) -> None:
        """Begin, as the successor of a supervisor that is known to be dead. See `Engine.start`."""
        self._engine.start(former, remember)
        self._clients = Clients(self._folder / "socket", self._selector, self)

    def run(self) -> None:
        """Until nobody needs it any more, or it was told to stop and nothing runs."""
        while not self._is_over:
            self.turn()

    def turn(self, most_s: float = 3600.0) -> None:
        """Wait for something to happen, and do what follows from it."""
        dispatch(self._selector, min(most_s, self._patience_s()))
        self._exchange()
        self._trials.tend(begins=self._stop is None)
        self._callbacks.tend(begins=self._stop is None)
        for attempt in self._attempts.values():
            attempt.log.flush()
        self._heartbeat()
        self._watch.look(self._attempts.values())
        self._launcher.tend()
        self._look_for_the_end()

    def interrupt(self) -> None:
        """Begin nothing more; when called again, stop also what runs. For signal handlers."""
        self.asked_to_stop(Stop(kills=self._stop is not None))
        self._background.wake()

    def stop(self) -> None:
        """Leave nothing behind."""
        if self._clients is not None:
            self._clients.close()
        self._launcher.close()
        for attempt in self._attempts.values():
            attempt.drain()
            attempt.log.close()
        self._trials.close()
        self._callbacks.close()
        self._background.close()
        self._places.close()
        self._engine.stop()
        self._selector.close()

    def submit(self, work: list[WorkItem]) -> None:
        """See `Boss.submit`."""
        for item in work:
            if item.attempt not in self._attempts:
                self._queue.add(item)
            elif not self._is_unsettled(item.attempt):
                self._done([item.attempt])  # it was told before, to a connection that is gone

    def revoke(self, attempts: list[AttemptKey]) -> None:
        """See `Boss.revoke`."""
        self._done(self._queue.drop(attempts))
        for key in attempts:
            if key in self._attempts:
                self._watch.stop(self._attempts[key], "it was called off")

    def held(self, attempts: list[AttemptKey]) -> list[AttemptKey]:
        """See `Boss.held`."""
        return [key for key in attempts if key in self._queue or self._is_unsettled(key)]

    def asked_to_stop(self, how: Stop) -> None:
        """See `Boss.asked_to_stop`. Begins nothing more, and ends when the last attempt has."""
        self._stop = how
        if how.kills:
            self._trials.call_off()
            self._callbacks.call_off()
            for attempt in self._attempts.values():
                self._watch.stop(attempt, "its worker was stopped")

    def _is_unsettled(self, key: AttemptKey) -> bool:
        return key in self._attempts and self._attempts[key].phase is not Phase.SETTLED

    def _done(self, keys: list[AttemptKey]) -> None:
        if self._clients is not None and keys:
            self._clients.done(keys)

    def _exchange(self) -> None:
        """Give the engine all that there is for it, and do what it says."""
        if self._clock.monotonic() < self._gathering_until():
            return
        begins = self._queue.first(self._free_slots()) if self._stop is None else []
        given = Exchange(
            self._answers.requests(),
            [result_of(attempt, self._clock.now()) for attempt in self._results],
            begins,
        )
        exchanged = self._talk.exchange(given) if given else None
        self._exchanged_at = self._clock.monotonic()
        if exchanged is None:
            return
        self._answers.give(exchanged.answers)
        self._settled()
        self._begun(begins, exchanged.orders)

    def _gathering_until(self) -> float:
        """Where much happens, more of it goes into one exchange. Who waits for an answer does not wait for that."""
        if len(self._attempts) <= _FEW or len(self._answers):
            return 0.0
        return self._exchanged_at + min((len(self._attempts) - _FEW) * _GATHERING_S, _LONGEST_GATHERING_S)

    def _free_slots(self) -> int:
        """What has ended takes none any more: its end is stored before others begin, in the same exchange."""
        taken = sum(attempt.phase in (Phase.STARTING, Phase.RUNNING) for attempt in self._attempts.values())
        return self._options.slots - taken

    def _has_news(self) -> bool:
        """Whether there is something for the engine at once, such as work in place of what it did not let begin."""
        if len(self._answers) or self._results or self._trials.has_news or self._callbacks.has_news:
            return True
        return bool(self._stop is None and len(self._queue) and self._free_slots() > 0)

    def _settled(self) -> None:
        settled, self._results = self._results, []
        for attempt in settled:
            attempt.phase = Phase.SETTLED
            attempt.settled_at = self._clock.monotonic()
            if attempt.gone is not None:
                self._forget(attempt)
        self._done([attempt.key for attempt in settled])

    def _begun(self, begins: list[WorkItem], orders: list[WorkOrder]) -> None:
        self._queue.drop(item.attempt for item in begins)
        begun = {order.attempt for order in orders}
        self._done([item.attempt for item in begins if item.attempt not in begun])
        for order in orders:
            attempt = self._launcher.make(
                order, self._answers.ask, self._said_end, lambda metrics: self._hub.emit(UserMeasured(metrics))
            )
            self._attempts[order.attempt] = attempt
            self._launcher.launch(attempt)

    def _heartbeat(self) -> None:
        now = self._clock.monotonic()
        if now < self._heartbeat_due_at:
            return
        self._heartbeat_due_at = now + self._options.heartbeat_interval_s
        must_stop = self._talk.heartbeat([key for key in self._attempts if self._is_unsettled(key)])
        if must_stop is not None:
            self._hub.emit(Heartbeat("worker"))
        for key in must_stop or ():
            self._watch.stop(self._attempts[key], "it was cleared, marked, or given up")
        self._callbacks.renew()
        self._launcher.zygotes.renew()

    def _forked(self, attempt: Attempt) -> None:
        if attempt.stopping is not None:
            self._watch.signal(attempt)

    def _said_end(self, attempt: Attempt) -> None:
        """Its process says how it ended. If it was told to stop, that is not what counts."""
        if attempt.phase in (Phase.STARTING, Phase.RUNNING) and attempt.stopping is None:
            attempt.phase = Phase.ENDED
            self._results.append(attempt)

    def _gone(self, attempt: Attempt, gone: Gone) -> None:
        """Its process is over, or there will never be one."""
        attempt.gone = gone
        if self._hub.measures:
            task = attempt.order.asker
            self._hub.emit(ProcessEnded(task.dag_id, task.key.task_id, gone.exit_code))
        attempt.drain()
        if attempt.phase in (Phase.STARTING, Phase.RUNNING):
            attempt.phase = Phase.ENDED
            self._results.append(attempt)
            report = result_of(attempt, self._clock.now()).report
            attempt.note(f"The attempt ended: {getattr(report, 'reason', None)}", self._clock.now())
        if attempt.phase is Phase.SETTLED:
            self._forget(attempt)

    def _forget(self, attempt: Attempt) -> None:
        attempt.log.close()
        del self._attempts[attempt.key]
        goes_on = attempt.ended is not None and attempt.ended.state in _GOES_ON
        self._places.log_ended(attempt.order, is_over=not goes_on)

    def _patience_s(self) -> float:
        """How long nothing needs to be done by itself."""
        if self._talk.retry_at is None and self._has_news():
            return max(0.0, self._gathering_until() - self._clock.monotonic())
        due = (self._heartbeat_due_at, self._talk.retry_at, self._launcher.retry_at)
        until = min(each for each in due if each is not None) - self._clock.monotonic()
        return max(0.0, min(until, self._watch.patience_s(self._attempts.values())))

    def _look_for_the_end(self) -> None:
        now = self._clock.monotonic()
        is_busy = bool(self._attempts or len(self._background) or len(self._trials) or len(self._callbacks))
        if self._stop is not None:
            # Not at once by `interrupt`: a signal comes at any moment, also amid what is just being sent.
            if self._clients is not None:
                self._clients.say_ending()
            self._is_over = not is_busy
        elif is_busy or len(self._queue) or self._clients:
            self._idle_since = now
        else:
            self._is_over = now - self._idle_since >= self._options.idle_s
