"""The course of a deployment on one machine."""

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tradewind.errors import Conflict
from tradewind.runtime.clock import Clock
from tradewind.runtime.descendants import end_descendants
from tradewind.runtime.environment import name_process, set_variables
from tradewind.runtime.keeper import Keeper, Listener, Part
from tradewind.runtime.lifeline import VARIABLE, Lifeline
from tradewind.runtime.memory import keep_for_good
from tradewind.runtime.subreaper import become_subreaper
from tradewind.settings import Settings
from tradewind.standalone.probe import answers
from tradewind.standalone.terminal import Terminal

_LOCK_NAME: Final = "standalone.lock"
_FORMER_PATIENCE_S: Final = 10.0
_LAST_PATIENCE_S: Final = 8.0
_PROBE_INTERVAL_S: Final = 0.1
_NEVER_S: Final = 3600.0


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
            greeting = self.prepare()
            keeper.run(_Readiness(self, terminal, greeting, started_at).look)
            terminal.say("stopping")
        finally:
            # The worker of the local executor outlives its scheduler, and has tasks to stop.
            lifeline.cut()
            end_descendants(self.clock.sleep, _LAST_PATIENCE_S)
        terminal.say("stopped; nothing is left running")


class _Readiness:
    """Says once that the deployment can be used."""

    def __init__(self, deployment: Deployment, terminal: Terminal, greeting: Sequence[str], started_at: float) -> None:
        self._deployment = deployment
        self._greeting = greeting
        self._terminal = terminal
        self._started_at = started_at
        self._is_told = False

    def look(self) -> float:
        """How long to wait before the next look."""
        deployment = self._deployment
        if self._is_told:
            return _NEVER_S
        if not answers(deployment.settings.api.host, deployment.settings.api.port):
            return _PROBE_INTERVAL_S
        self._is_told = True
        took_s = deployment.clock.monotonic() - self._started_at
        self._terminal.say(f"ready after {took_s:.1f} s: {deployment.settings.api.url}   (Ctrl-C stops it)")
        for line in self._greeting:
            self._terminal.say(line)
        deployment.opened()
        return _NEVER_S


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
