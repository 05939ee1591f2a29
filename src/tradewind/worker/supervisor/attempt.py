"""An attempt as its supervisor sees it: the three ends of its process, its log, and what became of it."""

import os
import selectors
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from functools import partial
from typing import Final

import msgspec

from tradewind.model.assignment import WorkOrder
from tradewind.model.ids import AttemptKey
from tradewind.model.masking import hide
from tradewind.task_logs.writer import AttemptLog
from tradewind.task_logs.writer import Stream as StreamName
from tradewind.telemetry.measurements import UserMetric
from tradewind.wire.frames import FrameReader, pack
from tradewind.wire.metrics import LONGEST_METRIC_NAME, Measured, decode_metrics
from tradewind.worker.protocol import (
    Answer,
    Ended,
    FrameKind,
    Gone,
    Question,
    decode_ended,
    decode_question,
    decode_records,
    decode_texts,
)
from tradewind.worker.supervisor.channel import Output, Stream

_LOGGER: Final = "tradewind.worker"


class Phase(Enum):
    """How far an attempt has come."""

    STARTING = auto()
    """The engine knows that it runs; its process does not exist yet."""
    RUNNING = auto()
    ENDED = auto()
    """How it ended is known, and the engine is being told."""
    SETTLED = auto()
    """The engine knows how it ended. Its process may still call the author's callbacks."""


@dataclass(slots=True)
class Stopping:
    """An attempt is being ended from outside."""

    reason: str
    may_retry: bool
    kill_at: float
    """When patience ends."""
    is_killed: bool = False


@dataclass(slots=True, eq=False)
class Attempt:
    """One attempt."""

    number: int
    """What it is called between the supervisor and those who fork."""
    order: WorkOrder
    asked: Callable[["Attempt", Question, bool], None]
    """Called with each question of the task, and whether it waits for the answer."""
    said_end: Callable[["Attempt"], None]
    """Called when the process has said how it ended."""
    measured: Callable[[list[UserMetric]], None]
    """Called with what its code has measured."""
    log: AttemptLog = field(init=False)
    phase: Phase = Phase.STARTING
    pid: int | None = None
    ended: Ended | None = None
    gone: Gone | None = None
    stopping: Stopping | None = None
    spoiled: str | None = None
    """Why something that the task said could not be stored, so that it cannot succeed."""
    time_limit_s: float = 0.0
    time_limit_at: float | None = None
    is_mute: bool = False
    """Whether its process can say nothing any more: it has closed its stream, or we have."""
    mute_since: float | None = None
    settled_at: float = 0.0
    forks_failed: int = 0
    child_ends: tuple[int, ...] = ()
    """The child's ends of its descriptors, until its process has them."""
    max_memory_bytes: int = 0
    memory_kills_before: int = 0
    """How often the kernel had killed a process of this worker for want of memory when the attempt began."""
    is_memory_kill: bool = False
    """Whether that is how it ended."""
    _stream: Stream | None = None
    _outputs: list[Output] = field(default_factory=list)
    _reader: FrameReader = field(default_factory=FrameReader)
    _hidden: set[str] = field(default_factory=set)

    @property
    def key(self) -> AttemptKey:
        """Which attempt it is."""
        return self.order.attempt

    def open(self, selector: selectors.BaseSelector) -> None:
        """Make its descriptors, and write its order into the stream, where its process will find it."""
        ours, theirs = socket.socketpair()
        self._stream = Stream(ours, selector, self._heard)
        ends = [theirs.detach()]
        names: tuple[StreamName, ...] = ("stdout", "stderr")
        for name in names:
            reading, writing = os.pipe()
            self._outputs.append(Output(reading, selector, partial(self.log.output, name)))
            ends.append(writing)
        self.child_ends = tuple(ends)
        self._stream.send(pack(FrameKind.ORDER, msgspec.json.encode(self.order.assignment)))

    def forked(self, pid: int) -> None:
        """Its process exists, and has its descriptors."""
        self.pid = pid
        if self.phase is Phase.STARTING:  # its own word may come sooner than the news that it exists
            self.phase = Phase.RUNNING
        self.close_child_ends()

    def close_child_ends(self) -> None:
        """They belong to the process now, or to nobody."""
        for descriptor in self.child_ends:
            os.close(descriptor)
        self.child_ends = ()

    def answer(self, answer: Answer) -> None:
        """Let the task go on."""
        if self._stream is not None:
            self._stream.send(pack(FrameKind.ANSWER, answer))

    def hide(self, text: str) -> str:
        """What was printed, without what the task has as secrets."""
        return hide(text, self._hidden) if self._hidden else text

    def note(self, event: str, now: datetime) -> None:
        """Say something about the attempt in its log."""
        self.log.line({"timestamp": now, "level": "error", "event": event, "logger": _LOGGER})

    def drain(self) -> None:
        """Read the last words of a process that is gone."""
        self.close_child_ends()
        if self._stream is not None:
            self._stream.drain()
            self._stream.close()
        for output in self._outputs:
            output.drain()

    def _heard(self, data: bytes) -> None:
        """Take what the process says. It runs user code: what makes no sense ends it."""
        self.is_mute = not data
        try:
            for kind, content in self._reader.feed(data):
                self._take(kind, content)
        except (ValueError, msgspec.MsgspecError) as error:
            self.spoiled = self.spoiled or f"its process said something that makes no sense: {error}"
            assert self._stream is not None
            self._stream.close()
            self.is_mute = True

    def _metric(self, said: Measured) -> UserMetric:
        """Without what the task has as secrets, wherever it may stand."""
        tags = {self.hide(key): self.hide(value[:LONGEST_METRIC_NAME]) for key, value in said.tags.items()}
        return UserMetric(said.kind, self.hide(said.name), said.value, tags)

    def _take(self, kind: int, content: bytes) -> None:
        match kind:
            case FrameKind.LOG:
                for record in decode_records(content):
                    self.log.line(record)
            case FrameKind.QUESTION | FrameKind.TELL:
                self.asked(self, decode_question(content), kind == FrameKind.QUESTION)
            case FrameKind.ENDED:
                self.ended = self.ended or decode_ended(content)
                self.said_end(self)
            case FrameKind.TIME_LIMIT:
                self.time_limit_s = msgspec.msgpack.decode(content, type=float)
                self.time_limit_at = None
            case FrameKind.METRICS:
                self.measured([self._metric(each) for each in decode_metrics(content)])
            case FrameKind.HIDE:
                self._hidden.update(decode_texts(content))
            case _:
                raise ValueError(f"a frame of kind {kind}")
