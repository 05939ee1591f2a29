"""Has attempts forked: finds the zygote of their file, starts it, replaces it where the file has changed."""

import selectors
import signal
import socket
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from tradewind.worker.protocol import (
    DagFile,
    Fork,
    Forked,
    Gone,
    Loaded,
    NotForked,
    Notice,
    Renew,
    Signal,
    Stale,
    StartAlone,
    StartZygote,
    decode_notice,
    encode,
)
from tradewind.worker.supervisor.attempt import Attempt
from tradewind.worker.supervisor.channel import Packets
from tradewind.worker.supervisor.nursery import Nursery

_KILLED: Final = -9


@dataclass(slots=True, eq=False)
class _Zygote:
    """The process that has imported a file."""

    number: int
    file: DagFile
    used_at: float
    packets: Packets | None = None
    its_end: socket.socket | None = None
    """Until its process has it."""
    is_loaded: bool = False
    is_alone: bool = False
    """Whether its file must be imported by each child: then there is no process."""
    waiting: deque[Attempt] = field(default_factory=deque)
    children: dict[int, Attempt] = field(default_factory=dict)
    """By number: forked, or about to be."""


@dataclass(slots=True)
class Events:
    """Who is told what happens to attempts."""

    forked: Callable[[Attempt, int], None]
    not_forked: Callable[[Attempt, str], None]
    """The system did not let us; it may be tried again."""
    broken: Callable[[Attempt, str], None]
    """Its file cannot be imported; the text is the traceback."""
    gone: Callable[[Attempt, Gone], None]


class Zygotes:
    """All zygotes of a supervisor, and its nursery. The nursery is started when it is first needed."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        environ: Mapping[str, str],
        events: Events,
        *,
        lease_ends: Callable[[], float],
        most: int,
        idle_s: float,
    ) -> None:
        """At most `most` zygotes are kept, and none that was not used for `idle_s` seconds.

        `lease_ends` says until when attempts may live if the engine is not heard of again.
        """
        self._selector = selector
        self._environ = environ
        self._events = events
        self._lease_ends = lease_ends
        self._most = most
        self._idle_s = idle_s
        self._numbers = count(1)
        self._nursery: Nursery | None = None
        self._by_file: dict[DagFile, _Zygote] = {}
        self._by_number: dict[int, _Zygote] = {}
        self._alone: dict[int, Attempt] = {}
        """By number: children of the nursery itself."""

    def next_number(self) -> int:
        """A number that no other attempt or zygote has."""
        return next(self._numbers)

    def fork(self, attempt: Attempt, file: DagFile, now: float) -> None:
        """Give the attempt a process, from the zygote of its file."""
        zygote = self._by_file.get(file) or self._start(file, now)
        zygote.used_at = now
        if zygote.is_alone:
            self._alone[attempt.number] = attempt
            self._started_nursery().send(StartAlone(attempt.number, file), attempt.child_ends)
        elif not zygote.is_loaded:
            zygote.waiting.append(attempt)
        else:
            self._fork_from(zygote, attempt)

    def signal(self, attempt: Attempt, number: int) -> None:
        """Send a signal to the attempt's process, and to all in its group."""
        command = Signal(attempt.number, number)
        if attempt.number in self._alone:
            self._started_nursery().send(command)
        for zygote in self._by_number.values():
            if attempt.number in zygote.children and zygote.packets is not None:
                zygote.packets.send(encode(command))

    def renew(self) -> None:
        """Say until when attempts may live."""
        if self._nursery is not None:
            self._nursery.send(Renew(self._lease_ends()))

    def tend(self, now: float) -> None:
        """Let go of zygotes that nobody needs."""
        idle = sorted(
            (zygote for zygote in self._by_file.values() if not _is_busy(zygote)), key=lambda each: each.used_at
        )
        too_many = len(self._by_file) - self._most
        for position, zygote in enumerate(idle):
            if position < too_many or now - zygote.used_at > self._idle_s:
                self._replace(zygote)

    def close(self) -> None:
        """End all processes."""
        for zygote in list(self._by_number.values()):
            self._forget(zygote)
        if self._nursery is not None:
            self._nursery.close()
            self._nursery = None

    def _started_nursery(self) -> Nursery:
        if self._nursery is None:
            self._nursery = Nursery(
                self._selector, self._environ, noticed=self._noticed_by_nursery, died=self._nursery_died
            )
            self.renew()  # from its birth on: nothing may be heard any more before the next heartbeat
        return self._nursery

    def _start(self, file: DagFile, now: float) -> _Zygote:
        zygote = _Zygote(self.next_number(), file, now)
        ours, zygote.its_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        zygote.packets = Packets(ours, self._selector, lambda packet: self._heard(zygote, packet))
        self._by_file[file] = self._by_number[zygote.number] = zygote
        self._started_nursery().send(StartZygote(zygote.number, file), [zygote.its_end.fileno()])
        return zygote

    def _fork_from(self, zygote: _Zygote, attempt: Attempt) -> None:
        zygote.children[attempt.number] = attempt
        assert zygote.packets is not None
        zygote.packets.send(encode(Fork(attempt.number)), attempt.child_ends)

    def _heard(self, zygote: _Zygote, packet: bytes) -> None:
        if not packet:
            return  # the nursery says when it is over
        match decode_notice(packet):
            case Loaded(error, why_alone):
                self._loaded(zygote, error, why_alone)
            case Forked(number, pid):
                self._events.forked(zygote.children[number], pid)
            case NotForked(number, error):
                self._events.not_forked(zygote.children.pop(number), error)
            case Stale(number):
                attempt = zygote.children.pop(number)
                self._replace(zygote)
                self.fork(attempt, zygote.file, zygote.used_at)
            case Gone(number) as gone:
                self._events.gone(zygote.children.pop(number), gone)
                if self._by_file.get(zygote.file) is not zygote and not _is_busy(zygote):
                    self._let_end(zygote)
            case _:
                raise ValueError("a zygote has said something that zygotes do not say")

    def _loaded(self, zygote: _Zygote, error: str, why_alone: str) -> None:
        zygote.is_loaded = True
        zygote.is_alone = bool(why_alone) and not error
        waiting, zygote.waiting = zygote.waiting, deque()
        if error:
            self._replace(zygote)
            for attempt in waiting:
                self._events.broken(attempt, error)
        else:
            for attempt in waiting:
                self.fork(attempt, zygote.file, zygote.used_at)

    def _noticed_by_nursery(self, notice: Notice) -> None:
        number = getattr(notice, "number", 0)
        zygote = self._by_number.get(number)
        if zygote is not None:
            self._noticed_of_zygote(zygote, notice)
            return
        attempt = self._alone.get(number)
        if attempt is None:
            return
        match notice:
            case Forked(_, pid):
                self._events.forked(attempt, pid)
            case NotForked(_, error):
                del self._alone[number]
                self._events.not_forked(attempt, error)
            case Gone():
                del self._alone[number]
                self._events.gone(attempt, notice)
            case _:
                raise ValueError("the nursery has said something that it does not say")

    def _noticed_of_zygote(self, zygote: _Zygote, notice: Notice) -> None:
        if zygote.its_end is not None:
            zygote.its_end.close()
            zygote.its_end = None
        match notice:
            case NotForked(_, error):
                self._forget(zygote)
                for attempt in zygote.waiting:
                    self._events.not_forked(attempt, error)
            case Gone(_, exit_code):
                if zygote.packets is not None:
                    zygote.packets.drain()
                self._ended(zygote, exit_code)
            case _:
                pass  # it exists

    def _ended(self, zygote: _Zygote, exit_code: int) -> None:
        """The process of a zygote is over, and all that it had forked; or it was never more than a trial."""
        if zygote.is_alone:
            self._let_end(zygote)
            return
        self._forget(zygote)
        for attempt in zygote.waiting:
            self._events.broken(attempt, f"to import the DAG file ended the process: {_ended_by(exit_code)}")
        for number, attempt in zygote.children.items():
            if attempt.pid is None:
                self._events.not_forked(attempt, "its zygote has ended")
            else:
                self._events.gone(attempt, Gone(number, _KILLED, 0.0, 0))

    def _nursery_died(self) -> None:
        """All zygotes end by themselves with what they have forked, when nobody is at the other end any more."""
        self._nursery = None
        attempts = [*self._alone.values()]
        self._alone.clear()
        for zygote in list(self._by_number.values()):
            self._forget(zygote)
            attempts += [*zygote.waiting, *zygote.children.values()]
        for attempt in attempts:
            if attempt.pid is None:
                self._events.not_forked(attempt, "the nursery has ended")
            else:
                self._events.gone(attempt, Gone(attempt.number, _KILLED, 0.0, 0))

    def _replace(self, zygote: _Zygote) -> None:
        """The next attempt of the file gets a new zygote; this one goes when its last child has gone."""
        if self._by_file.get(zygote.file) is zygote:
            del self._by_file[zygote.file]
        if not _is_busy(zygote):
            self._let_end(zygote)

    def _let_end(self, zygote: _Zygote) -> None:
        """Without its other end, the process ends; the nursery says when."""
        if zygote.packets is not None:
            zygote.packets.close()
            zygote.packets = None

    def _forget(self, zygote: _Zygote) -> None:
        self._replace(zygote)
        self._let_end(zygote)
        self._by_number.pop(zygote.number, None)
        if zygote.its_end is not None:
            zygote.its_end.close()
            zygote.its_end = None


def _is_busy(zygote: _Zygote) -> bool:
    return bool(zygote.waiting or zygote.children or not zygote.is_loaded)


def _ended_by(exit_code: int) -> str:
    return f"exit code {exit_code}" if exit_code >= 0 else f"signal {signal.Signals(-exit_code).name}"
