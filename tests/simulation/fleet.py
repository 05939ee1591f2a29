"""The schedulers: real ones, each in a process of its own, started anew when it is gone."""

from functools import partial

from tests.simulation.cluster import Cluster, SimulatedExecutor, jump
from tests.simulation.kernel import Process, VirtualClock, VirtualWakeup
from tests.simulation.world import World
from tradewind.runtime.service import Loop
from tradewind.scheduler.service import Scheduler
from tradewind.telemetry.hub import Hub


class Life:
    """One life of one scheduler. Its successor remembers nothing of it."""

    def __init__(self, fleet: "Fleet", name: str) -> None:
        world = fleet.world
        self.process = Process(world.kernel, name, "scheduler")
        self.is_stopping = False
        clock = VirtualClock(self.process)
        self.wakeup = VirtualWakeup(world.kernel)
        self.executors = [
            SimulatedExecutor(fleet.cluster, self.process, executor, slots)
            for executor, slots in world.scenario.executor_slots.items()
        ]
        scheduler = Scheduler(
            world.store(self.process),
            self.executors,
            clock,
            core=world.scenario.core,
            settings=world.scenario.settings,
            hub=Hub(world.heard),
        )
        self._loop = Loop(scheduler, clock, self.wakeup, lambda: self.is_stopping)
        world.wakeups[self.wakeup] = None
        self.process.spawn(name, self._run, world.kernel.latency_s())

    def _run(self) -> None:
        self._loop.run()
        self.process.kill()


class Fleet:
    """So many schedulers, most of the time."""

    def __init__(self, world: World, cluster: Cluster, size: int) -> None:
        self.world = world
        self.cluster = cluster
        self._size = size
        self.lives: list[Life] = []
        self._lives_made = 0
        for _ in range(size):
            self._start()
        world.watch.free_slots = self._free_slots
        world.kernel.after(1.0, self._each_second)

    def stop_faults(self) -> None:
        """Everybody wakes up, with the right time."""
        for life in self.lives:
            life.process.wake_up()
        self._refill()

    def _start(self) -> None:
        self._lives_made += 1
        life = Life(self, f"s{self._lives_made}")
        self.lives.append(life)
        life.process.on_death = partial(self._died, life)

    def _died(self, life: Life) -> None:
        self.lives.remove(life)
        self.world.wakeups.pop(life.wakeup, None)
        self.world.kernel.after(self.world.kernel.rng.choice((0.5, 3, 10, 30)), self._refill)

    def _refill(self) -> None:
        while len(self.lives) < self._size:
            self._start()

    def _free_slots(self, process: Process) -> dict[str, int]:
        for life in self.lives:
            if life.process is process:
                return {executor.name: executor.last_free for executor in life.executors}
        return {}

    def _each_second(self) -> None:
        faults = self.world.faults
        for life in list(self.lives):
            if faults.hit("clock jump"):
                jump(life.process)
            elif faults.hit("scheduler restart"):
                self.world.kernel.say(life.process.name, "is told to stop")
                life.is_stopping = True
                life.wakeup.wake()
        if faults.is_active:
            self.world.kernel.after(1.0, self._each_second)
