"""The triggers that a triggerer has, and the runner that runs them."""

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from tradewind.errors import UndecipherableSecret
from tradewind.model.assignment import Asker
from tradewind.model.ids import AttemptKey, JobKey, TriggerKey
from tradewind.model.states import TaskState
from tradewind.model.trigger import Broke, ClaimedTrigger, EndedTask, Fired, Happened
from tradewind.operations.cipher import Cipher, opened_kwargs
from tradewind.runtime.clock import Clock
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.logs import TriggerLogs
from tradewind.triggerer.protocol import (
    Blocked,
    Code,
    Ending,
    FrameKind,
    Outcome,
    Start,
    Stop,
    TaskName,
    decode_blocked,
    decode_logged,
    decode_number,
    decode_outcome,
)
from tradewind.triggerer.runner_process import RunnerProcess

_SHORTEST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 30.0
_STEADY_S: Final = 60.0
"""Who lived for so long is started again as if it had never ended before."""
_STATES: Final = {
    Ending.SUCCESS: TaskState.SUCCESS,
    Ending.FAILED: TaskState.FAILED,
    Ending.SKIPPED: TaskState.SKIPPED,
}

MakeRunner = Callable[[], RunnerProcess]


@dataclass(slots=True)
class _Running:
    claimed: ClaimedTrigger
    start: Start | None = None
    """What the runner was told. None: its code is being looked for."""
    is_stopping: bool = False


class RunningTriggers:
    """Has them run, whatever becomes of the runner."""

    def __init__(
        self, make_runner: MakeRunner, clock: Clock, *, places: CodePlaces, logs: TriggerLogs, cipher: Cipher
    ) -> None:
        self._make_runner = make_runner
        self._clock = clock
        self._places = places
        self._logs = logs
        self._cipher = cipher
        self._runner: RunnerProcess | None = None
        self._started_at = 0.0
        self._unanswered_since: float | None = None
        """When the runner was asked for a sign of life that it has not given yet."""
        self._blocked: Blocked | None = None
        """Whose code it was in when it was asked."""
        self._pause_s = _SHORTEST_PAUSE_S
        self.restart_at: float | None = None
        """When the runner is started again."""
        self._running: dict[TriggerKey, _Running] = {}
        self.fired: list[Fired] = []
        """What triggers said, and is not stored yet."""
        self.stopped: set[TriggerKey] = set()
        """What a person called off and is over, and is still stored."""
        self.job = JobKey(0)

    def __len__(self) -> int:
        return len(self._running)

    def __contains__(self, trigger: TriggerKey) -> bool:
        return trigger in self._running

    @property
    def keys(self) -> Collection[TriggerKey]:
        """Of those that are to run on."""
        return [key for key, each in self._running.items() if not each.is_stopping]

    @property
    def runner_pid(self) -> int | None:
        """Of the process that runs them."""
        return None if self._runner is None else self._runner.pid

    def asker(self, trigger: TriggerKey) -> tuple[AttemptKey, Asker] | None:
        """In whose name a trigger asks. From any thread."""
        running = self._running.get(trigger)
        if running is None:
            return None
        claimed = running.claimed
        return claimed.attempt, Asker(claimed.attempt.task, claimed.dag_id, claimed.run_id)

    def start(self, claimed: ClaimedTrigger) -> None:
        """Run it."""
        try:
            kwargs = opened_kwargs(claimed, self._cipher)
        except UndecipherableSecret as error:
            self.fired.append(Fired(claimed.key, claimed.attempt, Broke((f"{error}\n",))))
            return
        running = self._running[claimed.key] = _Running(claimed)

        def found(code: Code | None) -> None:
            running.start = Start(claimed.key, claimed.class_path, kwargs, _name(claimed), code)
            if self._runner is not None:
                self._runner.send(FrameKind.START, [running.start])

        self._places.find(claimed, found)

    def stop(self, triggers: Collection[TriggerKey], *, kills: bool) -> None:
        """Stop these. They are over when the runner says so."""
        told = [key for key in triggers if key in self._running and not self._running[key].is_stopping]
        for key in told:
            self._running[key].is_stopping = True
        self.stopped |= set(triggers) - self._running.keys() if kills else set()
        if self._runner is not None and told:
            self._runner.send(FrameKind.STOP, [Stop(key, kills) for key in told])

    def send(self, kind: FrameKind, content: object) -> None:
        """Say something to the runner, if there is one. From any thread."""
        runner = self._runner
        if runner is not None:
            runner.send(kind, content)

    def drop_all(self) -> None:
        """None of them is ours any more. Should one be so again, it must not meet what is left of it."""
        if self._runner is not None:
            self._runner.close()
            self._runner = None
        self._running.clear()
        self.stopped.clear()

    def hear(self) -> str | None:
        """Take what the runner said, and start it again if it is gone. Returns why it is, if that is new."""
        runner = self._runner
        if runner is None:
            if self.restart_at is None or self._clock.monotonic() >= self.restart_at:
                self._start_runner()
            return None
        is_gone = runner.is_gone
        self._take_all(runner)
        return self._lost(runner) if is_gone else None

    def ping(self, threshold_s: float) -> str | None:
        """Ask whether the runner is there; end it if it has not answered for too long, and say so."""
        if self._runner is None:
            return None
        self._take_all(self._runner)
        now = self._clock.monotonic()
        if self._unanswered_since is None:
            self._unanswered_since = now
        elif now - self._unanswered_since > threshold_s:
            blocked = self._break_blocking(threshold_s)
            self._runner.kill()
            return f"it gave no answer for {threshold_s:g} s, and is ended; {blocked}"
        self._runner.send(FrameKind.PING)
        return None

    def _break_blocking(self, threshold_s: float) -> str:
        """The trigger that keeps all others waiting has failed: else it would do so again in the next runner."""
        blocked, self._blocked = self._blocked, None
        running = None if blocked is None else self._running.pop(TriggerKey(blocked.trigger), None)
        if blocked is None or running is None:
            return "nobody knows which trigger blocks it"
        claimed = running.claimed
        told = f"{claimed.class_path} blocked the event loop of all triggers for more than {threshold_s:g} s"
        self._logs.ended(claimed, self.job)
        self.fired.append(Fired(claimed.key, claimed.attempt, Broke((*blocked.stack, told))))
        return f"{told}: task {claimed.attempt.task_id!r} of DAG {claimed.dag_id!r}, run {claimed.run_id!r}"

    def close(self) -> None:
        """End the runner, and hear its last words."""
        self._places.close()
        if self._runner is not None:
            self._runner.close()
            self._take_all(self._runner)
            self._runner = None
        self._logs.close()

    def _start_runner(self) -> None:
        self.restart_at = None
        self._runner = self._make_runner()
        self._started_at = self._clock.monotonic()
        self._unanswered_since = self._blocked = None
        starts = [each.start for each in self._running.values() if each.start is not None and not each.is_stopping]
        if starts:
            self._runner.send(FrameKind.START, starts)

    def _lost(self, runner: RunnerProcess) -> str:
        runner.close()
        self._runner = None
        for key in [key for key, each in self._running.items() if each.is_stopping]:
            self._over(key)
        now = self._clock.monotonic()
        if now - self._started_at >= _STEADY_S:
            self._pause_s = _SHORTEST_PAUSE_S
        self.restart_at = now + self._pause_s
        told = f"its process ended; it starts again in {self._pause_s:g} s with {len(self._running)} triggers"
        self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
        return told

    def _take_all(self, runner: RunnerProcess) -> None:
        for kind, content in runner.frames():
            if kind == FrameKind.BLOCKED:
                with suppress(msgspec.MsgspecError):
                    self._blocked = decode_blocked(content)
                continue
            self._unanswered_since = self._blocked = None
            try:
                self._take(kind, content)
            except (ValueError, TypeError, msgspec.MsgspecError):
                runner.kill()  # it runs user code: who says what makes no sense is started anew

    def _take(self, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.FIRED:
                self._fire(decode_outcome(content))
            case FrameKind.STOPPED:
                self._over(TriggerKey(decode_number(content)))
            case FrameKind.LOG:
                logged = decode_logged(content)
                running = self._running.get(TriggerKey(logged.trigger))
                if running is not None:
                    self._logs.write(running.claimed, self.job, logged.records)
            case _:
                pass  # it lives

    def _fire(self, outcome: Outcome) -> None:
        running = self._running.pop(TriggerKey(outcome.trigger), None)
        if running is None:
            return
        claimed = running.claimed
        self._logs.ended(claimed, self.job)
        if running.is_stopping:
            self.stopped.add(claimed.key)
        else:
            self.fired.append(Fired(claimed.key, claimed.attempt, _what(outcome)))

    def _over(self, trigger: TriggerKey) -> None:
        running = self._running.pop(trigger, None)
        if running is not None:
            self._logs.ended(running.claimed, self.job)
            if running.is_stopping:  # else it goes on elsewhere
                self.stopped.add(trigger)


def _what(outcome: Outcome) -> Happened | Broke | EndedTask:
    content: Any = json.loads(outcome.content)
    match outcome.ending:
        case Ending.EVENT:
            return Happened(content)
        case Ending.ERROR:
            return Broke(tuple(content))
        case _:
            xcoms: Mapping[str, object] = content
            return EndedTask(_STATES[outcome.ending], xcoms)


def _name(claimed: ClaimedTrigger) -> TaskName:
    attempt = claimed.attempt
    return TaskName(claimed.dag_id, claimed.run_id, attempt.task_id, attempt.map_index, claimed.try_number)
