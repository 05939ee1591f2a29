"""Triggerers: real ones, each with a runner whose triggers fire in virtual time, started anew when it is gone."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tests.simulation.cluster import jump
from tests.simulation.kernel import Process, VirtualClock, VirtualWakeup
from tests.simulation.starts import ready
from tests.simulation.world import World
from tradewind.decide.triggerers import USUAL_PATIENCE
from tradewind.model.ids import JobKey
from tradewind.runtime.service import Loop
from tradewind.telemetry.events import DutyFailed, Event
from tradewind.telemetry.hub import Hub
from tradewind.triggerer.code_places import CodePlaces
from tradewind.triggerer.logs import TriggerLogs
from tradewind.triggerer.neighbours import Neighbours
from tradewind.triggerer.protocol import Ending, FrameKind, Outcome, Start, Stop
from tradewind.triggerer.runner_process import Frame, RunnerProcess
from tradewind.triggerer.running import RUNNER, RunningTriggers
from tradewind.triggerer.service import Triggerer


class SimulatedRunner(RunnerProcess):
    """The process with the event loop. It lives on while its supervisor stands still, and dies with it."""

    def __init__(self, world: World, wakeup: VirtualWakeup) -> None:
        # Not `super().__init__`, which would start a process.
        self._world = world
        self._wakeup = wakeup
        self._frames_said: list[Frame] = []
        self._running: dict[int, dict[str, Any]] = {}
        self._stands_still_until_s = 0.0
        self.is_gone = False

    @property
    def pid(self) -> int:
        """See `RunnerProcess.pid`."""
        return 0

    def send(self, kind: FrameKind, content: object = b"") -> None:
        """See `RunnerProcess.send`."""
        if not self.is_gone:
            delay_s = max(self._stands_still_until_s - self._world.kernel.now_s, 0.0)
            self._world.kernel.after(delay_s, partial(self._obey, kind, content))

    def frames(self) -> list[Frame]:
        """See `RunnerProcess.frames`."""
        said, self._frames_said = self._frames_said, []
        return said

    def executing(self) -> set[int]:
        """See `RunnerProcess.executing`. What ends a process here comes from outside."""
        return set()

    def finish(self) -> None:
        """See `RunnerProcess.finish`."""

    def close(self) -> None:
        """See `RunnerProcess.close`. Those that can still say how they ended do so; the others are cut off."""
        for trigger in list(self._running):
            if not self.is_gone and self._world.kernel.rng.random() < 0.8:
                self._stop(trigger)
        self.is_gone = True

    def starved_s(self) -> float:
        """See `RunnerProcess.starved_s`."""
        return 0.0

    def kill(self) -> None:
        """See `RunnerProcess.kill`."""
        self.is_gone = True
        self._wakeup.wake()

    def stand_still(self, seconds: float) -> None:
        """A trigger blocks the loop."""
        self._stands_still_until_s = self._world.kernel.now_s + seconds

    def _obey(self, kind: FrameKind, content: object) -> None:
        if self.is_gone:
            return
        match kind, content:
            case FrameKind.START, list(starts):
                for start in starts:
                    self._start(start)
            case FrameKind.STOP, list(stops):
                for stop in stops:
                    self._obey_stop(stop)
            case FrameKind.PING, _:
                self._say(FrameKind.PONG, b"")
            case _:
                pass

    def _start(self, start: Start) -> None:
        if start.is_called_off:
            self._obey_stop(Stop(start.trigger, kills=True))
        elif start.trigger not in self._running:
            if start.order:
                # It runs when that is stored, and another `START` says so.
                self._say(FrameKind.READY, ready(self._world.scenario.seed, start))
                return
            self._running[start.trigger] = awaited = json.loads(start.kwargs)
            if awaited["ending"] != "never":
                now_s = self._world.kernel.now_s
                at_s = awaited.get("at_s", now_s + awaited.get("after_s", 0.0))
                self._world.kernel.after(at_s - now_s, partial(self._fire, start.trigger, awaited))

    def _fire(self, trigger: int, awaited: dict[str, Any]) -> None:
        kernel = self._world.kernel
        if self.is_gone or self._running.get(trigger) is not awaited:
            return
        if self._stands_still_until_s > kernel.now_s:
            kernel.after(self._stands_still_until_s - kernel.now_s, partial(self._fire, trigger, awaited))
            return
        del self._running[trigger]
        says = awaited["says"]
        content = {"event": says, "error": [says]}.get(awaited["ending"], {"return_value": says})
        # With something to map over, for those that are.
        outcome = Outcome(trigger, Ending(awaited["ending"]), json.dumps(content), map_length=2)
        self._say(FrameKind.FIRED, outcome)
        if self._world.faults.hit("event doubled"):
            self._say(FrameKind.FIRED, outcome)

    def _obey_stop(self, stop: Stop) -> None:
        if stop.kills:
            self._world.kernel.say("runner", f"kills trigger {stop.trigger}")
        self._stop(stop.trigger)

    def _stop(self, trigger: int) -> None:
        self._running.pop(trigger, None)
        self._say(FrameKind.STOPPED, trigger)

    def _say(self, kind: FrameKind, content: object) -> None:
        self._frames_said.append((kind, msgspec.msgpack.encode(content)))
        self._wakeup.wake()


class SimulatedNeighbours(Neighbours):
    """Some triggerers share a machine: those that were killed there are known to be dead at once."""

    def __init__(self, killed: list[JobKey]) -> None:
        # Not `super().__init__`, which has a folder.
        self._killed = killed

    def enter(self, job: JobKey) -> None:
        """See `Neighbours.enter`."""

    def leave(self) -> None:
        """See `Neighbours.leave`."""

    def dead(self) -> set[JobKey]:
        """See `Neighbours.dead`."""
        found = set(self._killed)
        self._killed.clear()
        return found


class _NoFolders:
    """Of DAGs that come from no file."""

    def known_folder(self, _bundle: str, _version: str | None) -> Path | None:
        """See `Folders.known_folder`."""
        return None

    def folder(self, bundle: str, _version: str | None) -> Path:
        """See `Folders.folder`."""
        raise AssertionError(bundle)


class Life:
    """One life of one triggerer."""

    def __init__(self, triggerers: "Triggerers", name: str) -> None:
        self._world = world = triggerers.world
        self.process = Process(world.kernel, name, "triggerer")
        self.is_stopping = False
        self.wakeup = VirtualWakeup(world.kernel)
        self.runner: SimulatedRunner | None = None
        clock = VirtualClock(self.process)
        self.triggerer = Triggerer(
            world.store(self.process),
            clock,
            RunningTriggers(
                self._make_runner,
                clock,
                places=CodePlaces(_NoFolders(), ""),
                logs=TriggerLogs(Path("nowhere"), now=clock.now, limit_bytes=0),
                cipher=world.cipher,
                patience=USUAL_PATIENCE,
                tell=self._heard,
            ),
            options=world.scenario.triggerer,
            neighbours=SimulatedNeighbours(triggerers.known_dead),
            structures=world.structures,
            hub=Hub(self._heard),
        )
        self._loop = Loop(self.triggerer, clock, self.wakeup, lambda: self.is_stopping)
        world.triggerer_wakeups[self.wakeup] = None
        self.process.spawn(name, self._run, world.kernel.latency_s())

    def _run(self) -> None:
        self._loop.run()
        self.process.kill()

    def _make_runner(self) -> SimulatedRunner:
        self.runner = SimulatedRunner(self._world, self.wakeup)
        return self.runner

    def _heard(self, event: Event) -> None:
        if not (isinstance(event, DutyFailed) and event.duty == RUNNER):  # runners may end: that is a fault
            self._world.heard(event)


class Triggerers:
    """So many triggerers, most of the time. None where no task of the seed ever defers."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._size = world.scenario.triggerers
        self._lives: list[Life] = []
        self._lives_made = 0
        self.known_dead: list[JobKey] = []
        self._refill()
        world.kernel.after(1.0, self._each_second)

    def stop_faults(self) -> None:
        """Everybody wakes up, with the right time."""
        for life in self._lives:
            life.process.wake_up()
        self._refill()

    def _refill(self) -> None:
        while len(self._lives) < self._size:
            self._lives_made += 1
            life = Life(self, f"t{self._lives_made}")
            self._lives.append(life)
            life.process.on_death = partial(self._died, life)

    def _died(self, life: Life) -> None:
        self._lives.remove(life)
        self.world.triggerer_wakeups.pop(life.wakeup, None)
        if life.runner is not None:
            life.runner.is_gone = True
        rng = self.world.kernel.rng
        if not life.is_stopping and rng.random() < 0.3:
            self.known_dead.append(life.triggerer.job)
        self.world.kernel.after(rng.choice((0.5, 3, 10, 30)), self._refill)

    def _each_second(self) -> None:
        faults, kernel = self.world.faults, self.world.kernel
        for life in list(self._lives):
            if faults.hit("clock jump"):
                jump(life.process)
            elif faults.hit("triggerer restart"):
                kernel.say(life.process.name, "is told to stop")
                life.is_stopping = True
                life.wakeup.wake()
            elif faults.hit("triggerer pause"):
                seconds = kernel.rng.choice((3, 15, 25, 50))
                kernel.say(life.process.name, f"stands still for {seconds} s")
                life.process.paused_until = kernel.now_s + seconds
            elif life.runner is not None and faults.hit("runner crash"):
                kernel.say(life.process.name, "loses its runner")
                life.runner.kill()
            elif life.runner is not None and faults.hit("runner blocked"):
                life.runner.stand_still(kernel.rng.choice((5, 15, 40)))
        if faults.is_active:
            kernel.after(1.0, self._each_second)
