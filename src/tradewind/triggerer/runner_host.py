"""A runner and the triggers that it has, whatever becomes of its process."""

from dataclasses import dataclass
from enum import Enum, auto

from msgspec.structs import replace

from tradewind.model.ids import TriggerKey
from tradewind.model.trigger import ClaimedTrigger
from tradewind.triggerer.process_host import ProcessHost
from tradewind.triggerer.protocol import FrameKind, Start


class Stopping(Enum):
    """Why a trigger is stopped."""

    UNWANTED = auto()
    """Nobody waits for it any more."""
    KILL = auto()
    """A person called it off: what it waits for is to be ended as well."""


@dataclass(slots=True, eq=False)
class RunningTrigger:
    """A trigger that a triggerer has."""

    claimed: ClaimedTrigger
    host: "RunnerHost"
    start: Start | None = None
    """What the runner is told. None: its code is being looked for."""
    stopping: Stopping | None = None
    is_moving: bool = False
    """Whether it is stopped only to go on in quarantine."""
    unstored: Start | None = None
    """What its task, which began with it, turned out to wait for: it runs when that is stored."""
    strikes: int = 0
    """How often its code ran when its process died, or stood still for too long."""


class RunnerHost(ProcessHost[TriggerKey, RunningTrigger]):
    """Tells each of its processes what to run."""

    def add(self, running: RunningTrigger) -> None:
        """Have it run here."""
        running.host = self
        self.members[running.claimed.key] = running
        self.begin(running)

    def begin(self, running: RunningTrigger) -> None:
        """Tell the process of it, if there is one."""
        start = _start(running)
        if start is not None:
            self.send(FrameKind.START, [start])

    def keep(self) -> bool:
        """See `ProcessHost.keep`. A new process is told of all triggers."""
        is_new = super().keep()
        starts = [start for each in self.members.values() if (start := _start(each)) is not None] if is_new else []
        if starts:
            self.send(FrameKind.START, starts)
        return is_new


def _start(running: RunningTrigger) -> Start | None:
    """What the process is told, if it is to run."""
    start = running.start
    if start is None or running.stopping is Stopping.UNWANTED:
        return None
    if running.stopping is Stopping.KILL:
        return replace(start, is_called_off=True)
    return start if running.unstored is None else None
