"""The watchers that a triggerer has, and the processes that run them: one for all, and others for those who disturb."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from tradewind.decide.triggerers import Patience
from tradewind.decide.watchers import STEADY_S, pause_after_failures
from tradewind.model.watcher import ClaimedWatcher, WatchedEvent, WatcherKey
from tradewind.runtime.clock import Clock
from tradewind.telemetry.events import DutyFailed, Event, WatcherSaid
from tradewind.telemetry.measurements import user_measured
from tradewind.triggerer.process_host import HostKind, MakeRunner, ProcessHost
from tradewind.triggerer.protocol import (
    Blocked,
    Code,
    FrameKind,
    Kept,
    Logged,
    Stop,
    Watch,
    decode_blocked,
    decode_logged,
    decode_number,
    decode_outcome,
    decode_seen,
)
from tradewind.triggerer.runner_hosts import RunnerHosts
from tradewind.triggerer.runner_process import Frame
from tradewind.triggerer.watcher_troubles import WatcherTroubles
from tradewind.wire.metrics import decode_metrics

_LOST: Final = "the process that ran it ended while its code was running"
_KEEPS: Final = "kept holding up the others"

WatcherHost = ProcessHost[WatcherKey, "RunningWatcher"]


@dataclass(slots=True, eq=False)
class RunningWatcher:
    """A watcher that this triggerer has."""

    claimed: ClaimedWatcher
    host: WatcherHost
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
    is_moving: bool = False
    """Whether it is stopped only to go on in quarantine."""
    is_after_another: bool = False
    """Whether an earlier life of it is still being stopped."""


class RunningWatchers:
    """Has them run, whatever becomes of the processes. Without any there is no process.

    Who disturbs others goes on in quarantine until its version changes, or another triggerer has it: it may have been
    mended by then, and should it not, it disturbs the others once more.
    """

    def __init__(
        self, make_runner: MakeRunner, clock: Clock, patience: Patience, tell: Callable[[Event], object]
    ) -> None:
        self._clock = clock
        self._tell = tell
        self._hosts: RunnerHosts[WatcherHost] = RunnerHosts(
            lambda kind: ProcessHost(make_runner, clock, kind, patience)
        )
        self.troubles = WatcherTroubles(clock, patience, tell)
        self.running: dict[WatcherKey, RunningWatcher] = {}
        self.seen: list[WatchedEvent] = []
        """What is not stored yet."""
        self.failed: dict[WatcherKey, str] = {}
        """Why, and not stored yet."""

    @property
    def is_up(self) -> bool:
        """Whether there is a process."""
        return any(host.is_up for host in self._hosts)

    def next_due(self) -> float | None:
        """When something is to be done that no signal announces, on the monotonic clock."""
        hosts = [host for host in self._hosts if host.members]
        dues = [
            *(each.restart_at for each in self.running.values()),
            *(due for host in hosts for due in (host.restart_at, host.gives_way_at)),
        ]
        return min((due for due in dues if due is not None), default=None)

    def add(self, claimed: ClaimedWatcher, kwargs: str, assets: list[str]) -> RunningWatcher:
        """It is ours from now on. An earlier life of it may still be on its way out."""
        before = self.running.get(claimed.key)
        is_after_another = before is not None and (before.is_started or before.is_after_another)
        host = before.host if before is not None and is_after_another else self._hosts.main
        if before is not None:
            self._drop(before)
        running = RunningWatcher(claimed, host, kwargs, assets, claimed.stored, claimed.failures)
        running.is_after_another = is_after_another
        self.running[claimed.key] = host.members[claimed.key] = running
        return running

    def fail(self, running: RunningWatcher, error: str) -> None:
        """It is started again after a pause."""
        self.failed[running.claimed.key] = error
        running.failures += 1
        running.restart_at = self._clock.monotonic() + pause_after_failures(running.failures)

    def give_up(self, key: WatcherKey, error: str) -> None:
        """What it said is of no use, so it is stopped."""
        running = self.running.get(key)
        if running is not None:
            running.host.send(FrameKind.STOP, [Stop(key, kills=False)])
            self._broke(running.host, key, error)

    def start_due(self) -> None:
        """Start those that are to run and do not."""
        for host in self._hosts:
            if host.members:
                host.keep()
        now = self._clock.monotonic()
        unstored = {event.watcher for event in self.seen}
        for key, each in self.running.items():
            is_due = each.restart_at is None or each.restart_at <= now
            is_free = not (each.is_started or each.is_stopping or each.is_after_another)
            if is_due and each.has_code and is_free and key not in unstored and each.host.is_up:
                each.restart_at = None
                each.is_started, each.started_at = True, now
                path, kwargs = each.claimed.class_path, each.kwargs
                each.host.send(FrameKind.WATCH, Watch(key, path, kwargs, each.code, each.assets, each.stored))

    def stop(self, keys: Collection[WatcherKey]) -> None:
        """Stop these. They are over when their runner says so."""
        for key in keys:
            running = self.running.get(key)
            if running is None or running.is_stopping:
                continue
            running.is_stopping = True
            if not running.is_started:
                self._drop(running)
            elif not running.is_moving:  # else it was told already
                running.host.send(FrameKind.STOP, [Stop(key, kills=False)])

    def kept(self, counted: Mapping[WatcherKey, int]) -> None:
        """So many events of each are stored: who waited for that goes on."""
        told: dict[WatcherHost, list[Kept]] = {}
        for key, number in sorted(counted.items()):
            running = self.running.get(key)
            if running is not None:
                running.failures = 0 if number > running.stored else running.failures
                running.stored = number
                told.setdefault(running.host, []).append(Kept(key, number))
        for host, kept in told.items():
            host.send(FrameKind.KEPT, kept)

    def hear(self) -> None:
        """Take what the processes said, and see to those that are gone, or that somebody keeps standing still."""
        for host in self._hosts:
            is_gone = host.is_gone
            self._take_all(host, host.frames())
            if is_gone:
                self._lost(host, "its process ended", "ended the process that ran it")
            elif host.is_overdue:
                self._break_standstill(host)
        self._hosts.end_empty()

    def ping(self, threshold_s: float) -> None:
        """Ask whether the processes are there; end who has not answered for too long."""
        for host in self._hosts:
            self._take_all(host, host.frames())
            if not host.is_silent(threshold_s):
                continue
            if host.standstill is not None:
                self._break_standstill(host)
            else:
                host.kill()
                reason = f"its event loop stood still for {threshold_s:g} s"
                self._lost(host, reason, f"blocked the event loop for more than {threshold_s:g} s")

    def drop_all(self) -> None:
        """None of them is ours any more."""
        for host in self._hosts:
            host.kill()
        self._hosts.drop()
        for each in list(self.running.values()):
            self._drop(each)
        self.seen.clear()
        self.failed.clear()

    def close(self) -> None:
        """End the processes."""
        self._hosts.finish()
        for host in self._hosts:
            host.close()

    def _take_all(self, host: WatcherHost, frames: Sequence[Frame]) -> None:
        for kind, content in frames:
            try:
                self._take(host, kind, content)
            except (ValueError, TypeError, msgspec.MsgspecError):
                host.kill()  # it runs user code: who says what makes no sense is started anew

    def _take(self, host: WatcherHost, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.SEEN:
                seen = decode_seen(content)
                payload = json.loads(seen.payload)
                self.seen.append(WatchedEvent(WatcherKey(seen.watcher), seen.number, payload, seen.message_id))
            case FrameKind.FIRED:
                outcome = decode_outcome(content)
                self._broke(host, WatcherKey(outcome.trigger), "\n".join(json.loads(outcome.content)))
            case FrameKind.STOPPED:
                self._stopped(host, WatcherKey(decode_number(content)))
            case FrameKind.BLOCKED:
                self._blocked(host, decode_blocked(content))
            case FrameKind.METRICS:
                self._tell(user_measured(decode_metrics(content)))
            case FrameKind.LOG:
                for said in _said(host, decode_logged(content)):
                    self._tell(said)
            case _:
                host.answered()

    def _blocked(self, host: WatcherHost, blocked: Blocked) -> None:
        host.blocked(blocked)
        running = host.members.get(WatcherKey(blocked.trigger))
        if running is None:
            return
        if not blocked.is_over:
            if host.standstill is blocked:  # else it is over already
                self.troubles.blocks(running.claimed, blocked.stack)
            return
        keeps = self.troubles.blocked(running.claimed, running.assets, blocked.seconds, blocked.stack)
        is_here_to_stay = running.is_started and not running.is_stopping and not running.is_moving
        if keeps and is_here_to_stay and not host.is_quarantine:
            running.is_moving = True
            host.send(FrameKind.STOP, [Stop(blocked.trigger, kills=False)])

    def _stopped(self, host: WatcherHost, key: WatcherKey) -> None:
        """What was stopped may be wanted again already, in a newer version; or go on elsewhere."""
        running = host.members.get(key)
        if running is None:
            return
        if running.is_after_another:
            self._begin_anew(running)
        elif running.is_moving and not running.is_stopping:
            self._isolate(running, self._hosts.common_quarantine(), _KEEPS)
        else:
            self._drop(running)

    def _broke(self, host: WatcherHost, key: WatcherKey, error: str) -> None:
        running = host.members.get(key)
        if running is None or running.is_after_another:
            self._stopped(host, key)
            return
        running.is_started = False
        if running.is_stopping:
            self._drop(running)
            return
        if self._clock.monotonic() - running.started_at >= STEADY_S:
            running.failures = 0  # a source that is silent for days and away for a moment is not a broken one
        self.fail(running, error)
        if running.is_moving:
            self._isolate(running, self._hosts.common_quarantine(), _KEEPS)

    def _break_standstill(self, host: WatcherHost) -> None:
        """Nothing but its end gets a process out of what somebody's code does in it."""
        blocked, longest_s = host.standstill, host.longest_s
        host.kill()
        self._take_all(host, host.frames())
        running = None if blocked is None else host.members.get(WatcherKey(blocked.trigger))
        stack = () if blocked is None else blocked.stack
        if running is not None:
            self.troubles.blocked(running.claimed, running.assets, longest_s, stack)
        reason = f"its event loop stood still for {longest_s:g} s"
        self._lost(host, reason, f"blocked the event loop for more than {longest_s:g} s", stack)

    def _lost(self, host: WatcherHost, reason: str, fault: str, stack: Sequence[str] = ()) -> None:
        """Its process is gone. Those whose code ran wait for a while, and go on apart from the others; these go on at
        once: from what is stored."""
        suspects = host.bury()
        told = ", ".join(each.claimed.class_path for each in suspects) or "of no watcher"
        self._tell(DutyFailed("watcher runner", f"{reason}; the code that ran was {told}"))
        for each in list(host.members.values()):
            if each.is_after_another:
                self._begin_anew(each)
            elif each.is_stopping:
                self._drop(each)
            elif each in suspects:
                each.is_moving = False
                self._broke(host, each.claimed.key, "\n".join([*stack, f"{reason}: {_LOST}"]))
                self._keep_apart(each, fault)
            elif each.is_moving:
                self._isolate(each, self._hosts.common_quarantine(), _KEEPS)
            else:
                each.is_started = False

    def _keep_apart(self, running: RunningWatcher, fault: str) -> None:
        """Who does to others in quarantine what it did before is alone from then on: it never ends by itself."""
        if running.host.kind is HostKind.MAIN:
            self._isolate(running, self._hosts.common_quarantine(), fault)
        elif running.host.kind is HostKind.QUARANTINE and len(running.host.members) > 1:
            self._isolate(running, self._hosts.solitude(), fault)

    def _isolate(self, running: RunningWatcher, cell: WatcherHost, reason: str) -> None:
        """It goes on apart from the others."""
        running.is_moving = running.is_started = False
        self._move(running, cell)
        self.troubles.quarantined(running.claimed, running.assets, reason)

    def _begin_anew(self, running: RunningWatcher) -> None:
        """Its earlier life is over: what that did is not held against it."""
        running.is_after_another = False
        self._move(running, self._hosts.main)

    def _move(self, running: RunningWatcher, host: WatcherHost) -> None:
        running.host.members.pop(running.claimed.key, None)
        running.host = host
        host.members[running.claimed.key] = running

    def _drop(self, running: RunningWatcher) -> None:
        key = running.claimed.key
        self.running.pop(key, None)
        running.host.members.pop(key, None)
        self.troubles.forget(key)


def _said(host: WatcherHost, logged: Logged) -> list[WatcherSaid]:
    running = host.members.get(WatcherKey(logged.trigger))
    if running is None:
        return []
    return [WatcherSaid(class_path=running.claimed.class_path, text=_text(record)) for record in logged.records]


def _text(record: Mapping[str, object]) -> str:
    """A record for who reads only text."""
    details = record.get("error_detail")
    errors = [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []
    told = (f"{each.get('exc_type')}: {each.get('exc_value')}" for each in errors)
    return "\n".join([f"[{record.get('level')}] {record.get('event')}", *told])
