"""What every benchmark stands on: a fresh database, the wired engine, runs to finish, and what they cost.

A `World` is one database with one deployment in it, wired by `bootstrap` like the product. Work is finished by
`InstantExecutor`, so what is measured is scheduling alone. `World.finish` drives a scheduler of this process;
`SchedulerProcess` starts one of its own, with the real loop and its wake-up signals.

Wall time is `perf_counter`. CPU time is that of the schedulers and, where PostgreSQL runs on this machine, of its
server processes that work for this database. MySQL serves all databases in one process, so its share is not known.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

import psutil
import sqlalchemy as sa

from tests.databases import DatabaseKind, Databases
from tradewind.bootstrap import Wiring, make_scheduler, wire
from tradewind.executors.instant import InstantExecutor
from tradewind.executors.interface import Executor
from tradewind.model.dag import Dag
from tradewind.model.pool import DEFAULT_POOL, UNLIMITED_SLOTS, Pool
from tradewind.model.states import RunState
from tradewind.operations.manage_pools import update_pool
from tradewind.operations.publish_dag import publish_dag
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.scheduler.service import Scheduler
from tradewind.settings import CoreSettings, DatabaseSettings, SchedulerSettings, Settings
from tradewind.storage.migrate import upgrade
from tradewind.storage.schema import dag_run
from tradewind.telemetry.events import DutyFailed, Event, RunMoved

T = TypeVar("T")

STALLED_AFTER_S: Final = 120.0
"""Nothing here takes so long: whoever waits longer waits in vain."""
_LOCAL_HOSTS: Final = (None, "", "127.0.0.1", "::1", "localhost")
_POLL_S: Final = 0.02


class Stalled(Exception):
    """The work does not end."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a scheduler may take on at a time."""

    name: str
    core: CoreSettings = field(default_factory=CoreSettings)
    scheduler: SchedulerSettings = field(default_factory=SchedulerSettings)
    pool_slots: int = 128

    def applied_to(self, settings: Settings) -> Settings:
        """The same deployment, with these limits."""
        return replace(settings, core=self.core, scheduler=self.scheduler)

    def environ(self) -> dict[str, str]:
        """The same, for a process that reads its settings."""
        return {
            "TRADEWIND__CORE__PARALLELISM": str(self.core.parallelism),
            "TRADEWIND__SCHEDULER__MAX_TIS_PER_QUERY": str(self.scheduler.max_tis_per_query),
            "TRADEWIND__SCHEDULER__MAX_DAGRUNS_PER_LOOP_TO_SCHEDULE": str(
                self.scheduler.max_dagruns_per_loop_to_schedule
            ),
        }


DEFAULT_LIMITS: Final = Limits("default limits")
"""Airflow's: parallelism 32, 16 task instances a query, 20 runs a loop, 128 slots in the default pool."""
OPEN_LIMITS: Final = Limits(
    "open limits",
    CoreSettings(parallelism=100_000),
    SchedulerSettings(max_tis_per_query=0, max_dagruns_per_loop_to_schedule=100),
    UNLIMITED_SLOTS,
)


class Scale(StrEnum):
    """How much work a benchmark does."""

    FULL = "full"
    QUICK = "quick"
    TINY = "tiny"
    """Only to see that the code works: no figure means anything."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What one call of the benchmarks shall measure."""

    databases: Databases
    kinds: Sequence[DatabaseKind]
    scale: Scale = Scale.FULL

    def pick(self, full: T, quick: T, tiny: T) -> T:
        """The size for this scale."""
        return {Scale.FULL: full, Scale.QUICK: quick, Scale.TINY: tiny}[self.scale]

    @property
    def repetitions(self) -> int:
        """How often each case is repeated, besides the cold first time."""
        return self.pick(3, 1, 1)

    @property
    def patience_s(self) -> float:
        """After so long, a case has been repeated often enough."""
        return self.pick(9.0, 2.0, 0.0)

    def on(self, *kinds: DatabaseKind) -> list[DatabaseKind]:
        """Those of the kinds that were asked for."""
        return [kind for kind in kinds if kind in self.kinds]

    @contextmanager
    def world(
        self, kind: DatabaseKind, limits: Limits = DEFAULT_LIMITS, *, waits_for_disk: bool = True
    ) -> Iterator["World"]:
        """A fresh database with an engine. `waits_for_disk`: schedulers of the product do not; see `Database`."""
        with (
            tempfile.TemporaryDirectory(prefix="tradewind-") as home,
            self.databases.temporary(kind) as url,
            World(kind, _settings(Path(home), url, limits), limits.pool_slots, waits_for_disk=waits_for_disk) as world,
        ):
            yield world


def _settings(home: Path, url: str, limits: Limits) -> Settings:
    database = DatabaseSettings(sql_alchemy_conn=url)
    return Settings(home=home, database=database, core=limits.core, scheduler=limits.scheduler)


@dataclass(frozen=True, slots=True)
class Cost:
    """What some work took."""

    wall_s: float
    scheduler_cpu_s: float
    server_cpu_s: float | None
    """None: the database is in the scheduler's own process, or its server cannot be measured."""

    @property
    def cpu_s(self) -> float:
        """All that is known."""
        return self.scheduler_cpu_s + (self.server_cpu_s or 0.0)


class Meter:
    """Measures from its creation on, the CPU time of this process or of the given ones."""

    def __init__(self, world: "World", processes: Sequence[psutil.Process] = ()) -> None:
        self._world = world
        self._processes = processes
        self._server_s = world.server_cpu_s()
        self._scheduler_s = self._scheduler_cpu_s()
        self._began = time.perf_counter()

    def read(self) -> Cost:
        """The cost so far."""
        wall_s = time.perf_counter() - self._began
        scheduler_s = self._scheduler_cpu_s() - self._scheduler_s
        server = self._world.server_cpu_s()
        if server is None or self._server_s is None:
            return Cost(wall_s, scheduler_s, None)
        # A backend that is new began at nothing.
        server_s = sum(spent - self._server_s.get(pid, 0.0) for pid, spent in server.items())
        return Cost(wall_s, scheduler_s, server_s)

    def _scheduler_cpu_s(self) -> float:
        if not self._processes:
            return time.process_time()
        return sum(cpu_s(process) for process in self._processes)


def cpu_s(process: psutil.Process) -> float:
    """User and system time of a process."""
    times = process.cpu_times()
    return times.user + times.system


class World:
    """One deployment in a fresh database."""

    def __init__(self, kind: DatabaseKind, settings: Settings, pool_slots: int, *, waits_for_disk: bool = True) -> None:
        self.kind = kind
        self.settings = settings
        url = settings.database.sql_alchemy_conn
        upgrade(url)
        self.wiring: Wiring = wire(settings, waits_for_disk=waits_for_disk)
        self.wiring.hub.attach(self._watch)
        self.runs_ended = 0
        self._runs_triggered = 0
        self._failures: list[DutyFailed] = []
        self._structures = Structures()
        self._scheduler: Scheduler | None = None
        self._is_local = sa.make_url(url).host in _LOCAL_HOSTS
        if pool_slots == UNLIMITED_SLOTS:
            with self.wiring.database.begin() as tx:
                update_pool(tx, Pool(DEFAULT_POOL, UNLIMITED_SLOTS))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop_scheduler()
        self.wiring.close()

    def publish(self, *dags: Dag) -> None:
        """Make DAGs known, unpaused."""
        now = self.wiring.clock.now()
        with self.wiring.database.begin() as tx:
            for dag in dags:
                publish_dag(tx, dag, now, is_paused_by_default=False)

    def trigger(self, dags: Sequence[Dag], runs: int = 1) -> float:
        """Create runs of each DAG in one transaction. Returns how many seconds that took, the commit included."""
        self.tidy()
        began = time.perf_counter()
        now = self.wiring.clock.now()
        with self.wiring.database.begin() as tx:
            for _ in range(runs):
                self._runs_triggered += 1
                for dag in dags:
                    request = RunRequest(dag.dag_id, run_id=f"run_{self._runs_triggered}")
                    trigger_run(tx, request, self._structures, now, suffix="benchmrk")
        return time.perf_counter() - began

    def tidy(self) -> None:
        """What PostgreSQL's autovacuum does between two bursts of work, here at a time that nobody measures.

        Otherwise each repetition would find more dead rows than the one before, or be the one that is disturbed.
        SQLite and MySQL need nothing of the kind.
        """
        engine = self.wiring.database.engine
        if engine.dialect.name == "postgresql":
            with engine.connect() as connection:
                connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("VACUUM ANALYZE")

    def start_scheduler(self, executor: Executor | None = None) -> Scheduler:
        """The scheduler of this process; the one there was, stops."""
        self.stop_scheduler()
        clock = self.wiring.clock
        self._scheduler = make_scheduler(self.wiring, [executor or InstantExecutor(clock.now)])
        self._scheduler.start()
        # In the product the loop waits before there is work, so the signals of its own commits reach it. Here too.
        self.wiring.wakeup.wait(0)
        return self._scheduler

    def stop_scheduler(self) -> None:
        """If there is one."""
        if self._scheduler is not None:
            self._scheduler.stop()
            self._scheduler = None

    def finish(self, runs: int) -> Cost:
        """Let the scheduler of this process work until so many more runs have ended."""
        goal = self.runs_ended + runs
        return self.work_until(lambda: self.runs_ended >= goal)

    def work_until(self, is_done: Callable[[], bool]) -> Cost:
        """Let the scheduler of this process work until then."""
        scheduler = self._scheduler or self.start_scheduler()
        meter = Meter(self)
        deadline = time.monotonic() + STALLED_AFTER_S
        while not is_done():
            if not scheduler.run_once():
                self.wiring.wakeup.wait(scheduler.idle_s())
            if self._failures or time.monotonic() > deadline:
                raise Stalled(f"the work does not end; duties that failed: {self._failures}")
        return meter.read()

    def unfinished_runs(self) -> int:
        """As the database has it."""
        unfinished = dag_run.c.state.in_([RunState.QUEUED.value, RunState.RUNNING.value])
        with self.wiring.database.engine.connect() as connection:
            return int(connection.execute(sa.select(sa.func.count()).where(unfinished)).scalar_one())

    def server_cpu_s(self) -> dict[int, float] | None:
        """The CPU time of each server process that works for this database, by process id."""
        if self.kind != "postgres" or not self._is_local:
            return None
        with self.wiring.database.engine.connect() as connection:
            query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            pids = connection.exec_driver_sql(query).scalars().all()
        spent: dict[int, float] = {}
        for pid in pids:
            with suppress(psutil.NoSuchProcess):
                spent[pid] = cpu_s(psutil.Process(pid))
        return spent

    def _watch(self, event: Event) -> None:
        if isinstance(event, RunMoved) and event.state in (RunState.SUCCESS, RunState.FAILED):
            self.runs_ended += 1
        elif isinstance(event, DutyFailed):
            self._failures.append(event)


class SchedulerProcess:
    """A scheduler in a process of its own, up and idle when the constructor returns."""

    def __init__(self, world: World, environ: Mapping[str, str] | None = None) -> None:
        settings = world.settings
        variables = {
            **os.environ,
            **(environ or {}),
            "TRADEWIND_HOME": str(settings.home),
            "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": settings.database.sql_alchemy_conn,
        }
        command = [sys.executable, "-m", "benchmarks.scheduler_process"]
        self._child = subprocess.Popen(command, env=variables)
        self.process = psutil.Process(self._child.pid)
        self._await_lease(world)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.send_signal(signal.SIGTERM)
        try:
            self._child.wait(10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()

    def check(self) -> None:
        """Raises if it has died."""
        if self._child.poll() is not None:
            raise Stalled(f"the scheduler process ended with exit code {self._child.returncode}")

    def _await_lease(self, world: World) -> None:
        deadline = time.monotonic() + STALLED_AFTER_S
        while time.monotonic() < deadline:
            self.check()
            with world.wiring.database.begin() as tx:
                if any(job.pid == self._child.pid for job in tx.jobs.live("scheduler")):
                    return
            time.sleep(_POLL_S)
        raise Stalled("the scheduler process does not start")


def await_runs(world: World, schedulers: Sequence[SchedulerProcess]) -> Cost:
    """Until the processes have ended every run. To be called at once after the commit that made the runs."""
    meter = Meter(world, [scheduler.process for scheduler in schedulers])
    deadline = time.monotonic() + STALLED_AFTER_S
    while world.unfinished_runs():
        for scheduler in schedulers:
            scheduler.check()
        if time.monotonic() > deadline:
            raise Stalled(f"{world.unfinished_runs()} runs left")
        time.sleep(_POLL_S)
    return meter.read()
