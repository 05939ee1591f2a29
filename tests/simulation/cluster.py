"""Executors, the messages between them and the workers, and the workers' machines."""

from collections.abc import Callable, Collection, Sequence
from functools import partial

from tests.simulation.attempt import AttemptRun
from tests.simulation.kernel import Process, VirtualClock
from tests.simulation.truth import name_of
from tests.simulation.world import World
from tradewind.errors import DatabaseUnavailable, TransactionConflict
from tradewind.model.ids import AttemptKey, JobKey
from tradewind.model.states import TaskState
from tradewind.model.task import EndReport, Failed, TaskReport, WorkItem
from tradewind.storage.interface import Transaction


class Host:
    """A machine on which workers run: one life of it."""

    def __init__(self, cluster: "Cluster", name: str) -> None:
        self.cluster = cluster
        self.world = cluster.world
        self.rng = self.world.kernel.rng
        self.process = Process(self.world.kernel, name, "worker")
        self.store = self.world.store(self.process)
        self.runs: list[AttemptRun] = []
        self.cut_off_until_s = 0.0
        """Until then nothing that it sends arrives."""

    def take(self, item: WorkItem) -> None:
        """A work message arrived."""
        run = AttemptRun(self, item)
        self.runs.append(run)
        run.fiber = self.process.spawn(f"{self.process.name} with {name_of(item.attempt)}", lambda: self._run(run))

    def _run(self, run: AttemptRun) -> None:
        try:
            run.run()
        finally:
            self.runs.remove(run)

    def crash(self) -> None:
        """All workers on it are gone. Some executors notice."""
        self.world.kernel.say(self.process.name, "crashes")
        lost = list(self.runs)
        for run in lost:
            run.died()
        self.process.kill()
        for run in lost:
            # An executor tells of the end of a process only if it knows that the process was the one to begin.
            if self.rng.random() < 0.4 and run.has_begun:
                report = Failed(run.attempt, VirtualClock(self.process).now(), reason="its process died")
                self.cluster.copied(report, always=True)


class Cluster:
    """The machines, and what is under way to them. Outlives any scheduler."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.kernel = world.kernel
        self.executors: list[SimulatedExecutor] = []
        self.hosts: list[Host] = []
        self.network = Process(self.kernel, "network", "worker")
        self._store = world.store(self.network)
        self._under_way: dict[AttemptKey, int] = {}
        self._hosts_made = 0
        self._workers_made = 1_000_000
        for _ in range(world.scenario.workers):
            self._add_host()
        self.kernel.after(1.0, self._each_second)

    def _add_host(self) -> None:
        self._hosts_made += 1
        self.hosts.append(Host(self, f"w{self._hosts_made}"))

    def next_worker(self) -> JobKey:
        """A number for who handles one message: no service has it."""
        self._workers_made += 1
        return JobKey(self._workers_made)

    def send(self, item: WorkItem, delay_s: float) -> None:
        """A work message on its way."""
        self._under_way[item.attempt] = self._under_way.get(item.attempt, 0) + 1
        self.kernel.after(delay_s, lambda: self._deliver(item))

    def _deliver(self, item: WorkItem) -> None:
        if item.attempt not in self._under_way:
            return  # revoked
        if not self.hosts:
            self.kernel.after(2.0, lambda: self._deliver(item))
            return
        self._under_way[item.attempt] -= 1
        if not self._under_way[item.attempt]:
            del self._under_way[item.attempt]
        self.kernel.rng.choice(self.hosts).take(item)

    def knows(self, attempt: AttemptKey) -> bool:
        """Whether a message of it is under way, or a worker has it."""
        return attempt in self._under_way or any(run.attempt == attempt for host in self.hosts for run in host.runs)

    def revoke(self, attempt: AttemptKey) -> None:
        """Call a message back, or stop the worker."""
        self._under_way.pop(attempt, None)
        for host in self.hosts:
            for run in host.runs:
                if run.attempt == attempt:
                    run.revoke()

    def copied(self, report: EndReport, *, always: bool = False) -> None:
        """An executor hears of an end as well, sooner or later than the database: twice told is harmless."""
        rng = self.kernel.rng
        if not always and rng.random() > 0.15:
            return
        for executor in self.executors:
            if executor.has(report.attempt):
                self.kernel.after(rng.choice((0.0, 1.0, 20.0)) * rng.random(), partial(executor.hear, report))
                return

    def ghost(self, work: Callable[[Transaction], object], delay_s: float) -> None:
        """The second copy of a doubled message arrives, from nobody."""

        def run() -> None:
            try:
                self._store.transact(work)
            except (DatabaseUnavailable, TransactionConflict):
                return

        self.network.spawn("a doubled message", run, delay_s)

    def stop_faults(self) -> None:
        """Everybody wakes up, with the right time."""
        for host in self.hosts:
            host.process.wake_up()
            host.cut_off_until_s = 0.0
        while len(self.hosts) < self.world.scenario.workers:
            self._add_host()

    def _each_second(self) -> None:
        faults, rng = self.world.faults, self.kernel.rng
        for host in list(self.hosts):
            if faults.hit("worker crash"):
                self.hosts.remove(host)
                host.crash()
                self.kernel.after(rng.uniform(1, 15), self._replace_host)
            elif faults.hit("worker pause"):
                seconds = rng.choice((3, 11, 14, 30, 50))
                host.process.paused_until = self.kernel.now_s + seconds
                self.kernel.say(host.process.name, f"stands still for {seconds} s")
            elif faults.hit("worker cut off"):
                seconds = rng.choice((5, 11, 16, 30, 50))
                host.cut_off_until_s = self.kernel.now_s + seconds
                self.kernel.say(host.process.name, f"is cut off for {seconds} s")
            elif faults.hit("clock jump"):
                jump(host.process)
        if faults.is_active:
            self.kernel.after(1.0, self._each_second)

    def _replace_host(self) -> None:
        if len(self.hosts) < self.world.scenario.workers:
            self._add_host()


class SimulatedExecutor:
    """Implements `executors.interface.Executor` for one life of one scheduler, over messages that may be lost."""

    def __init__(self, cluster: Cluster, owner: Process, name: str, slots: int) -> None:
        self._cluster = cluster
        self._world = cluster.world
        self._owner = owner
        self._name = name
        self._slots = slots
        self._sent: dict[AttemptKey, float] = {}
        self._reports: list[TaskReport] = []
        self.last_free = slots
        """What it last answered: admission is judged by it."""
        cluster.executors.append(self)

    @property
    def name(self) -> str:
        """See `Executor.name`."""
        return self._name

    def has(self, attempt: AttemptKey) -> bool:
        """Whether it was given this, and can still report."""
        return attempt in self._sent and not self._owner.is_dead

    def hear(self, report: EndReport) -> None:
        """Word from a worker, to be passed on."""
        if not self._owner.is_dead:
            self._reports.append(report)

    def free_slots(self) -> int:
        """See `Executor.free_slots`. What ended frees its slot; what was lost does so after a while."""
        now_s = self._world.kernel.now_s
        row_of = self._world.mirror.find
        for attempt, sent_s in list(self._sent.items()):
            if not self._cluster.knows(attempt):
                row = row_of(attempt.task)
                is_over = row is None or row.attempt != attempt.attempt or row.state is not TaskState.QUEUED
                if is_over or now_s - sent_s > 80:
                    del self._sent[attempt]
        self.last_free = self._slots - len(self._sent)
        return self.last_free

    def submit(self, work: Sequence[WorkItem]) -> None:
        """See `Executor.submit`."""
        faults, rng = self._world.faults, self._world.kernel.rng
        for item in work:
            if item.attempt in self._sent:
                continue
            self._sent[item.attempt] = self._world.kernel.now_s
            if faults.hit("submit lost"):
                continue
            late_s = rng.choice((3, 10, 15, 35)) * (0.5 + rng.random() / 2) if faults.hit("submit late") else 0.0
            self._cluster.send(item, self._world.kernel.latency_s() + late_s)
            if faults.hit("submit doubled"):
                self._cluster.send(item, rng.choice((0.1, 3, 20)) * rng.random())

    def reports(self) -> Sequence[TaskReport]:
        """See `Executor.reports`."""
        reports, self._reports = self._reports, []
        return reports

    def holds(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """See `Executor.holds`. A message that was lost is believed to be there."""
        return {attempt for attempt in attempts if attempt in self._sent}

    def adopt(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """See `Executor.adopt`."""
        found = {attempt for attempt in attempts if self._cluster.knows(attempt)}
        self._sent.update((attempt, self._world.kernel.now_s) for attempt in sorted(found))
        return found

    def revoke(self, attempts: Collection[AttemptKey]) -> None:
        """See `Executor.revoke`."""
        for attempt in attempts:
            self._sent.pop(attempt, None)
            if not self._world.faults.hit("revoke lost"):
                kernel = self._cluster.kernel
                kernel.after(kernel.latency_s(), partial(self._cluster.revoke, attempt))

    def close(self) -> None:
        """See `Executor.close`. The cluster goes on."""


def jump(process: Process) -> None:
    """Somebody sets the clock of a machine."""
    seconds = process.kernel.rng.choice((-150, -35, -10, 10, 35, 150))
    process.offset_s += seconds
    process.kernel.say(process.name, f"its clock jumps by {seconds} s")
