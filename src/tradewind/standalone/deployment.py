"""The course of a deployment on one machine."""

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tradewind.errors import Conflict
from tradewind.runtime.aside import done_aside
from tradewind.runtime.clock import Clock
from tradewind.runtime.descendants import end_descendants
from tradewind.runtime.environment import name_process, set_variables
from tradewind.runtime.keeper import Keeper, Listener, Part
from tradewind.runtime.lifeline import VARIABLE, Lifeline
from tradewind.runtime.memory import keep_for_good
from tradewind.runtime.subreaper import become_subreaper
from tradewind.runtime.systemd import READY, STOPPING, notify_systemd
from tradewind.settings import Settings
from tradewind.standalone.readiness import Readiness
from tradewind.standalone.terminal import Terminal

_LOCK_NAME: Final = "standalone.lock"
_FORMER_PATIENCE_S: Final = 10.0
_LAST_PATIENCE_S: Final = 8.0


@dataclass(slots=True)
class Deployment:
    """What is started together, is watched together, and ends together."""

    settings: Settings
    parts: Sequence[Part]
    clock: Clock
    prepare: Callable[[], list[str]] = lambda: []  # noqa: PIE807 - the type of `list` says too little
    """What most of them need. Returns what else to say when it is ready."""
    opened: Callable[[], object] = lambda: None
    """Called when it is ready."""

    def run(self, lifeline: Lifeline, started_at: float, *, first: str) -> None:
        """Until SIGINT, SIGTERM or SIGHUP. Nothing that was started is left afterwards.

        The part that is the `first` can start before anything is prepared.
        """
        terminal = Terminal([part.name for part in self.parts])
        name_process("tradewind: standalone")
        become_subreaper()
        keep_for_good()
        listener = Listener(
            said=lambda name, line: terminal.say(line, by=name),
            started=lambda name, pid: terminal.say(f"started, process {pid}", by=name),
            ended=lambda name, code, pause_s: terminal.say(_end_text(code, pause_s), by=name, is_alert=True),
        )
        keeper = Keeper(self.parts, self.clock, listener, prepare=lifeline.leave)
        try:
            keeper.start(first)
            greeting = done_aside(self.prepare)
            keeper.run(
                Readiness(
                    keeper.unready,
                    self.clock,
                    started_at,
                    url=self.settings.api.url,
                    web_server=first,
                    greeting=greeting,
                    say=terminal.say,
                    ready=self._ready,
                ).look
            )
            terminal.say("stopping")
            notify_systemd(STOPPING)
        finally:
            # The worker of the local executor outlives its scheduler, and has tasks to stop.
            lifeline.cut()
            end_descendants(self.clock.sleep, _LAST_PATIENCE_S)
        terminal.say("stopped; nothing is left running")

    def _ready(self) -> None:
        notify_systemd(READY)
        self.opened()


def hold_home(home: Path, clock: Clock) -> Lifeline:
    """Make sure that nobody else has this home, and that whoever is started from here ends with this process.

    Raises:
        Conflict: it is in use.
    """
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = (home / _LOCK_NAME).absolute()
    deadline = clock.monotonic() + _FORMER_PATIENCE_S
    while True:
        try:
            lifeline = Lifeline(path)
        except BlockingIOError:
            # Processes of a former one that was killed take a moment to notice.
            if clock.monotonic() > deadline:
                raise Conflict(f"{home} is in use by another tradewind standalone") from None
            clock.sleep(0.1)
            continue
        set_variables({VARIABLE: str(path)})
        return lifeline


def _end_text(code: int, pause_s: float) -> str:
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return f"{how}; starts again in {pause_s:g} s"
