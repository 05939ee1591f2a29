"""Keeps processes running: starts them, starts those again that ended, ends all of them."""

import contextlib
import os
import selectors
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import FrameType
from typing import Final, NoReturn

from tradewind.runtime.clock import Clock
from tradewind.runtime.readiness import be_kept

_SHORTEST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 30.0
_STEADY_S: Final = 60.0
"""Who lived for so long is started again as if it had never ended before."""
_URGE_AFTER_S: Final = 0.5
_STOP_PATIENCE_S: Final = 10.0
_MOST_AT_ONCE: Final = 65_536
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Part:
    """A process to keep."""

    name: str
    live: Callable[[], None]
    """What it does, in a fork of this process. It ends well when this returns."""
    tells_when_ready: bool = True
    """Whether it calls `readiness.tell_ready`; another is ready when it runs."""
    must_be_urged: bool = False
    """Whether it finishes first what it has begun when it is told to end, and leaves that when it is told again. Others
    work with it: it ends last."""


@dataclass(slots=True)
class _Kept:
    part: Part
    pid: int = 0
    """0: it does not run."""
    is_ready: bool = False
    started_at: float = 0.0
    start_at: float = 0.0
    pause_s: float = _SHORTEST_PAUSE_S
    unfinished: bytes = b""
    """What it wrote since its last end of line."""


@dataclass(slots=True)
class Listener:
    """Who is told of what happens. By default nobody."""

    said: Callable[[str, str], None] | None = None
    """A line that a part wrote. Without it, parts write where this process does."""
    started: Callable[[str, int], None] = field(default=lambda _name, _pid: None)
    """A part runs, as this process."""
    ended: Callable[[str, int, float], None] = field(default=lambda _name, _code, _pause_s: None)
    """A part ended unasked, as `os.waitstatus_to_exitcode` says it; it starts again after the pause."""
    ready: Callable[[str], None] = field(default=lambda _name: None)
    """A part can do its work."""
    all_ready: Callable[[], None] = field(default=lambda: None)
    """All of them can, for the first time."""


class Keeper:
    """Runs in a process that has no threads and no connections: its parts are forks of it."""

    def __init__(
        self,
        parts: Sequence[Part],
        clock: Clock,
        listener: Listener | None = None,
        *,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        """`prepare` is called in each process of a part before anything else."""
        self._kept = [_Kept(part) for part in parts]
        self._clock = clock
        self._listener = listener or Listener()
        self._prepare = prepare
        self._selector = selectors.DefaultSelector()
        self._is_stopping = False
        self._were_ready = False

    def start(self, name: str) -> None:
        """Start one part before the others. If it ends, `run` starts it again."""
        for kept in self._kept:
            if kept.part.name == name:
                self._start(kept)

    def unready(self) -> list[str]:
        """The names of those that cannot do their work yet, or not at the moment."""
        return [kept.part.name for kept in self._kept if not kept.is_ready]

    def run(self, tick: Callable[[], float] = lambda: 3600.0) -> None:
        """Until SIGINT, SIGTERM or SIGHUP; then no part is left.

        Args:
            tick: called whenever something has happened; returns after how many seconds at most to call it again.
        """
        with self._signals():
            while not self._is_stopping:
                self._start_due()
                self._turn(min(tick(), self._patience_s()))
            self._stop()

    def _start_due(self) -> None:
        for kept in self._kept:
            if not kept.pid and kept.start_at <= self._clock.monotonic():
                self._start(kept)

    def _patience_s(self) -> float:
        due = [kept.start_at for kept in self._kept if not kept.pid]
        return max(0.0, min(due, default=float("inf")) - self._clock.monotonic())

    def _start(self, kept: _Kept) -> None:
        reading, writing = os.pipe() if self._listener.said else (-1, -1)
        waiting, telling = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        kept.started_at = self._clock.monotonic()
        kept.pid = os.fork()
        if not kept.pid:
            os.close(waiting)
            be_kept(telling)
            self._be(kept.part, reading, writing)
        self._listener.started(kept.part.name, kept.pid)
        os.close(telling)
        self._await(waiting, partial(self._heed, kept, kept.pid))
        if self._listener.said:
            os.close(writing)
            self._await(reading, partial(self._hear, kept))
        if not kept.part.tells_when_ready:
            self._is_ready(kept)

    def _await(self, reading: int, heed: Callable[[int], None]) -> None:
        os.set_blocking(reading, False)
        self._selector.register(reading, selectors.EVENT_READ, heed)

    def _leave(self, reading: int) -> None:
        self._selector.unregister(reading)
        os.close(reading)

    def _be(self, part: Part, reading: int, output: int) -> NoReturn:
        """The life of a part."""
        code = 1
        try:
            os.setsid()  # a key pressed in the terminal is the keeper's to hear
            signal.set_wakeup_fd(-1)
            for number in (*_SIGNALS, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            if output >= 0:
                os.close(reading)  # else it could write to nobody for ever
                for standard in (1, 2):
                    os.dup2(output, standard)
            for key in list(self._selector.get_map().values()):
                os.close(key.fd)
            self._prepare()
            part.live()
            code = 0
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 0
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _turn(self, most_s: float) -> None:
        for key, _ in self._selector.select(most_s):
            key.data(key.fd)
        self._bury()

    def _heed(self, kept: _Kept, pid: int, waiting: int) -> None:
        """Who ends without a word was never ready, and who has ended since is so no longer."""
        is_told = bool(os.read(waiting, 1))
        self._leave(waiting)
        if is_told and kept.pid == pid:
            self._is_ready(kept)

    def _is_ready(self, kept: _Kept) -> None:
        kept.is_ready = True
        self._listener.ready(kept.part.name)
        if not self._were_ready and all(each.is_ready for each in self._kept):
            self._were_ready = True
            self._listener.all_ready()

    def _hear(self, kept: _Kept, reading: int) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(reading, _MOST_AT_ONCE)
            *lines, kept.unfinished = (kept.unfinished + data).split(b"\n")
            if not data:
                # A process that the part started may have had its output too; now nobody has.
                self._leave(reading)
                lines, kept.unfinished = [kept.unfinished] if kept.unfinished else [], b""
            for line in lines:
                self._say(kept.part.name, line.decode(errors="replace"))

    def _say(self, name: str, line: str) -> None:
        if self._listener.said is not None:
            self._listener.said(name, line)

    def _bury(self) -> None:
        """Whatever ended, also orphans that this process was given."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                for kept in self._kept:
                    if kept.pid == pid:
                        self._ended(kept, os.waitstatus_to_exitcode(status))

    def _ended(self, kept: _Kept, code: int) -> None:
        kept.pid = 0
        kept.is_ready = False
        if self._is_stopping:
            return
        now = self._clock.monotonic()
        if now - kept.started_at >= _STEADY_S:
            kept.pause_s = _SHORTEST_PAUSE_S
        kept.start_at = now + kept.pause_s
        self._listener.ended(kept.part.name, code, kept.pause_s)
        kept.pause_s = min(2 * kept.pause_s, _LONGEST_PAUSE_S)

    def _stop(self) -> None:
        first = [kept for kept in self._kept if not kept.part.must_be_urged]
        last = [kept for kept in self._kept if kept.part.must_be_urged]
        self._end(first, signal.SIGTERM, _STOP_PATIENCE_S)
        self._end(last, signal.SIGTERM, _URGE_AFTER_S)
        self._end(last, signal.SIGTERM, _STOP_PATIENCE_S)
        self._end(self._kept, signal.SIGKILL, _STOP_PATIENCE_S)

    def _end(self, those: Sequence[_Kept], number: signal.Signals, patience_s: float) -> None:
        for kept in those:
            if kept.pid:
                os.kill(kept.pid, number)
        deadline = self._clock.monotonic() + patience_s
        while any(kept.pid for kept in those) and self._clock.monotonic() < deadline:
            self._turn(deadline - self._clock.monotonic())

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        reading, writing = os.pipe()
        for end in (reading, writing):
            os.set_blocking(end, False)
        self._selector.register(reading, selectors.EVENT_READ, _drain)

        def stop(_number: int, _frame: FrameType | None) -> None:
            self._is_stopping = True

        handlers = {number: signal.signal(number, stop) for number in _SIGNALS}
        handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        former = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(former)
            for number, handler in handlers.items():
                signal.signal(number, handler)
            self._selector.unregister(reading)
            self._selector.close()
            os.close(reading)
            os.close(writing)


def _drain(reading: int) -> None:
    """It has done its work: a signal woke whoever waited."""
    with contextlib.suppress(BlockingIOError):
        os.read(reading, _MOST_AT_ONCE)
