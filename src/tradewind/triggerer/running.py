"""The triggers that a triggerer has, and the runners that run them: one for all, and others for those who disturb."""

from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

import msgspec

from tradewind.decide.triggerers import USUAL_PATIENCE, Patience, Sentence, sentence
from tradewind.errors import UndecipherableSecret
from tradewind.model.assignment import Asker
from tradewind.model.ids import NO_ATTEMPT, AttemptKey, JobKey, TaskKey, TriggerKey
from tradewind.model.trigger import Broke, ClaimedTrigger, Fired, Prepared
from tradewind.operations.cipher import Cipher, opened_kwargs
from tradewind.runtime.clock import Clock
from tradewind.telemetry.events import DutyFailed, Event
from tradewind.telemetry.measurements import user_measured
from tradewind.triggerer.beginnings import UNUSABLE, Beginnings, order_of
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.disturbers import Disturbers
from tradewind.triggerer.logs import TriggerLogs
from tradewind.triggerer.outcomes import what_happened
from tradewind.triggerer.process_host import MakeRunner
from tradewind.triggerer.protocol import (
    NOBODY,
    Blocked,
    Code,
    FrameKind,
    Outcome,
    Start,
    Stop,
    TaskName,
    decode_blocked,
    decode_logged,
    decode_number,
    decode_outcome,
    decode_ready,
)
from tradewind.triggerer.runner_host import RunnerHost, RunningTrigger, Stopping
from tradewind.triggerer.runner_hosts import RunnerHosts
from tradewind.triggerer.runner_process import Frame
from tradewind.wire.metrics import decode_metrics

RUNNER: Final = "trigger runner"
_KEEPS: Final = "kept holding up the others"


class _Loss(NamedTuple):
    """How a process was lost, what its triggers may have done, and where they were."""

    reason: str
    fault: str
    stack: Sequence[str] = ()


class RunningTriggers:
    """Has them run, whatever becomes of the runners."""

    def __init__(
        self,
        make_runner: MakeRunner,
        clock: Clock,
        *,
        places: CodePlaces,
        logs: TriggerLogs,
        cipher: Cipher,
        patience: Patience = USUAL_PATIENCE,
        tell: Callable[[Event], object] = lambda _: None,
    ) -> None:
        self._places = places
        self._logs = logs
        self._cipher = cipher
        self._tell = tell
        self.disturbers = Disturbers(logs, clock, patience, tell)
        self._hosts = RunnerHosts(lambda kind: RunnerHost(make_runner, clock, kind, patience))
        self._running: dict[TriggerKey, RunningTrigger] = {}
        self.beginnings = Beginnings(cipher)
        self.fired: list[Fired] = []
        """What triggers said, and is not stored yet."""
        self.stopped: set[TriggerKey] = set()
        """What was called off and is over, and is still stored."""
        self.job = JobKey(0)

    def __len__(self) -> int:
        return len(self._running)

    @property
    def keys(self) -> Collection[TriggerKey]:
        """Of those that are to run on."""
        return [key for key, each in self._running.items() if each.stopping is None]

    @property
    def held(self) -> Collection[TriggerKey]:
        """Of all that it has, and of those that are over and whose words are not stored yet."""
        return [*self._running, *(each.trigger for each in self.fired)]

    def asker(self, trigger: TriggerKey) -> tuple[AttemptKey, Asker] | None:
        """In whose name a trigger asks. From any thread."""
        if trigger == NOBODY:
            return NO_ATTEMPT, Asker(NO_ATTEMPT.task, "", "")
        running = self._running.get(trigger)
        if running is None:
            return None
        claimed = running.claimed
        return claimed.attempt, Asker(claimed.attempt.task, claimed.dag_id, claimed.run_id)

    def start(self, claimed: ClaimedTrigger) -> None:
        """Run it. What was called off meanwhile is made only to end what it waits for."""
        try:
            kwargs = opened_kwargs(claimed, self._cipher)
        except UndecipherableSecret as error:
            self.fired.append(Fired(claimed.key, claimed.attempt, Broke((f"{error}\n",))))
            return
        if not claimed.is_prepared and claimed.is_called_off:
            self.stopped.add(claimed.key)  # nobody ever knew what it was, so it never ran
            return
        if not claimed.is_prepared and claimed.assignment is None:
            self.fired.append(Fired(claimed.key, claimed.attempt, Broke((UNUSABLE,))))
            return
        host = self._hosts.common_quarantine() if claimed.is_quarantined else self._hosts.main
        running = self._running[claimed.key] = RunningTrigger(claimed, host)
        running.stopping = Stopping.KILL if claimed.is_called_off else None
        host.add(running)

        def found(code: Code | None) -> None:
            if self._running.get(claimed.key) is not running:
                return
            order = order_of(claimed)
            running.start = Start(claimed.key, claimed.class_path, kwargs, _name(claimed), code, order=order)
            running.host.begin(running)

        self._places.find(claimed, found)

    def stop(self, triggers: Collection[TriggerKey], *, kills: bool) -> None:
        """Stop these. They are over when their runner says so."""
        self.stopped |= set(triggers) - self._running.keys()
        for key in triggers:
            running = self._running.get(key)
            if running is None or running.stopping is not None:
                continue
            running.stopping = Stopping.KILL if kills else Stopping.UNWANTED
            if not kills and not running.host.is_up:
                self._over(key)  # the process is gone, and no other would say that it is over
                continue
            if not running.is_moving and (running.start is not None or not kills):
                running.host.send(FrameKind.STOP, [Stop(key, kills)])

    def begin_stored(self, prepared: Sequence[Prepared], waiting: Collection[TaskKey]) -> None:
        """What these turned out to be is stored: those whose tasks still wait may run."""
        for each in prepared:
            running = self._running.get(each.trigger)
            if running is None or running.stopping is not None or running.unstored is None:
                continue
            if each.attempt.task in waiting:
                running.start, running.unstored = running.unstored, None
                running.host.begin(running)

    def drop_all(self) -> None:
        """None of them is ours any more. Should one be so again, it must not meet what is left of it."""
        self._hosts.drop()
        for key in self._running:
            self.disturbers.forget(key)
        self._running.clear()
        self.stopped.clear()
        self.beginnings.prepared.clear()

    def hear(self) -> None:
        """Take what the runners said, and start again those that are gone, or that somebody keeps standing still."""
        for host in self._hosts:
            is_gone = host.is_gone
            self._take_all(host, host.frames())
            if is_gone:
                self._lost(host, _Loss("its process ended", "ended the process that ran it"))
            elif host.is_overdue:
                self._break_standstill(host)
            host.keep()
        self._hosts.end_empty()

    def ping(self, threshold_s: float) -> None:
        """Ask whether the runners are there; end who has not answered for too long."""
        for host in self._hosts:
            self._take_all(host, host.frames())
            if not host.is_silent(threshold_s):
                continue
            if host.standstill is not None:
                self._break_standstill(host)
            else:
                host.kill()
                fault = f"blocked the event loop for more than {threshold_s:g} s"
                self._lost(host, _Loss(f"it gave no answer for {threshold_s:g} s, and is ended", fault))

    def next_due(self) -> float | None:
        """When something is to be done that no signal announces."""
        return self._hosts.next_due()

    def close(self) -> None:
        """End the runners, and hear their last words."""
        self._places.close()
        self._hosts.finish()
        for host in self._hosts:
            self._take_all(host, host.close())
        self._logs.close()

    def _break_standstill(self, host: RunnerHost) -> None:
        """Nothing but its end gets a process out of what somebody's code does in it."""
        blocked, longest_s = host.standstill, host.longest_s
        host.kill()
        self._take_all(host, host.frames())
        running = None if blocked is None else host.members.get(TriggerKey(blocked.trigger))
        if blocked is not None and running is not None:
            self.disturbers.blocked(running.claimed, self.job, longest_s, blocked.stack)
        fault = f"blocked the event loop for more than {longest_s:g} s"
        stack = () if blocked is None else blocked.stack
        self._lost(host, _Loss(f"its event loop stood still for {longest_s:g} s, and it is ended", fault, stack))

    def _lost(self, host: RunnerHost, loss: _Loss) -> None:
        """Its process is gone. Those whose code it was in must not do that to the others again."""
        suspects = host.bury()
        told = ", ".join(_described(each.claimed) for each in suspects) or "of no trigger"
        self._tell(DutyFailed(RUNNER, f"{loss.reason}; the code that ran was {told}"))
        for each in list(host.members.values()):
            if each.stopping is Stopping.UNWANTED:
                self._over(each.claimed.key)
            elif each in suspects:
                self._sentence(each, len(suspects), loss)
            elif each.is_moving:
                self._isolate(each, self._hosts.common_quarantine(), _KEEPS)

    def _sentence(self, running: RunningTrigger, suspects: int, loss: _Loss) -> None:
        running.strikes += 1
        is_quarantine = running.host.is_quarantine
        match sentence(suspects=suspects, strikes=running.strikes, is_quarantine=is_quarantine):
            case Sentence.FAILURE:
                self._fail(running, loss)
            case Sentence.SOLITUDE:
                self._isolate(running, self._hosts.solitude(), loss.fault)
            case Sentence.QUARANTINE:
                if not is_quarantine:
                    self._isolate(running, self._hosts.common_quarantine(), loss.fault)

    def _fail(self, running: RunningTrigger, loss: _Loss) -> None:
        claimed = running.claimed
        self._drop(running)
        if running.stopping is not None:
            self.stopped.add(claimed.key)
        else:
            told = f"{claimed.class_path} {loss.fault}"
            self.fired.append(Fired(claimed.key, claimed.attempt, Broke((*loss.stack, told))))

    def _isolate(self, running: RunningTrigger, cell: RunnerHost, reason: str) -> None:
        """It goes on apart from the others."""
        running.is_moving = False
        running.host.members.pop(running.claimed.key, None)
        self.disturbers.quarantined(running.claimed, self.job, reason)
        cell.add(running)

    def _take_all(self, host: RunnerHost, frames: Sequence[Frame]) -> None:
        for kind, content in frames:
            try:
                self._take(host, kind, content)
            except (ValueError, TypeError, msgspec.MsgspecError):
                host.kill()  # it runs user code: who says what makes no sense is started anew

    def _take(self, host: RunnerHost, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.FIRED:
                self._fire(host, decode_outcome(content))
            case FrameKind.STOPPED:
                self._stopped(host, TriggerKey(decode_number(content)))
            case FrameKind.LOG:
                logged = decode_logged(content)
                running = host.members.get(TriggerKey(logged.trigger))
                if running is not None:
                    self._logs.write(running.claimed, self.job, logged.records)
            case FrameKind.BLOCKED:
                self._blocked(host, decode_blocked(content))
            case FrameKind.METRICS:
                self._tell(user_measured(decode_metrics(content)))
            case FrameKind.READY:
                ready = decode_ready(content)
                running = host.members.get(TriggerKey(ready.trigger))
                if running is not None:
                    self.beginnings.take(running, ready)
            case _:
                host.answered()

    def _blocked(self, host: RunnerHost, blocked: Blocked) -> None:
        host.blocked(blocked)
        running = host.members.get(TriggerKey(blocked.trigger))
        if running is None:
            return
        if not blocked.is_over:
            if host.standstill is blocked:  # else it is over already
                self.disturbers.blocks(running.claimed, blocked.stack)
            return
        keeps = self.disturbers.blocked(running.claimed, self.job, blocked.seconds, blocked.stack)
        if keeps and not host.is_quarantine and running.stopping is None and not running.is_moving:
            running.is_moving = True
            host.send(FrameKind.STOP, [Stop(blocked.trigger, kills=False)])

    def _fire(self, host: RunnerHost, outcome: Outcome) -> None:
        running = host.members.get(TriggerKey(outcome.trigger))
        if running is None:
            return
        what = what_happened(outcome)
        self._drop(running)
        if running.stopping is not None:
            self.stopped.add(running.claimed.key)
        else:
            self.fired.append(Fired(running.claimed.key, running.claimed.attempt, what))

    def _stopped(self, host: RunnerHost, trigger: TriggerKey) -> None:
        running = host.members.get(trigger)
        if running is None:
            return
        if running.is_moving and running.stopping is not Stopping.UNWANTED:
            self._isolate(running, self._hosts.common_quarantine(), _KEEPS)
        else:
            self._over(trigger)

    def _over(self, trigger: TriggerKey) -> None:
        running = self._running[trigger]
        self._drop(running)
        if running.stopping is not None:  # else it goes on elsewhere
            self.stopped.add(trigger)

    def _drop(self, running: RunningTrigger) -> None:
        key = running.claimed.key
        self._running.pop(key, None)
        running.host.members.pop(key, None)
        self.disturbers.forget(key)
        self._logs.ended(running.claimed, self.job)


def _described(claimed: ClaimedTrigger) -> str:
    return f"{claimed.class_path} (task {claimed.attempt.task_id!r} of DAG {claimed.dag_id!r}, run {claimed.run_id!r})"


def _name(claimed: ClaimedTrigger) -> TaskName:
    attempt = claimed.attempt
    return TaskName(
        claimed.dag_id,
        claimed.run_id,
        attempt.task_id,
        attempt.map_index,
        claimed.try_number,
        claimed.task_queue,
        claimed.started_at,
        claimed.hostname,
    )
