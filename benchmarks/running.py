"""What it costs to really run tasks: a scheduler, a worker, and a process for each task."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import Final

import psutil
import sqlalchemy as sa

from benchmarks.figures import Figure, at_least, at_most
from benchmarks.harness import Plan, Stalled, World
from benchmarks.one_process import seconds_of_fib
from tradewind.model.states import RunState, TaskState
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.storage.schema import dag, dag_run, task_instance

_DAGS: Final = Path(__file__).parent / "dags"
_POLL_S: Final = 0.05
_PATIENCE_S: Final = 300.0
_MEGA: Final = 1024 * 1024


def running(plan: Plan) -> Iterator[Figure]:
    """The processes of a deployment, started by the command line, with Airflow's default limits.

    A hop is the end of a task until the start of the next, both as they are stored. CPU is that of the scheduler, the
    worker, and all that it forked, with that of PostgreSQL for this database. Memory is the sum of the proportional
    shares (PSS) of all these processes but the server, the highest of a look every 50 ms. The first run of each is not
    counted: it starts the worker and imports the file.
    """
    for kind in plan.on("sqlite", "postgres"):
        with plan.world(kind) as world, _deployment(world) as deployment:
            deployment.run("chain")
            yield from _chain(plan, deployment, kind)
            yield from _wide(plan, deployment, kind)
            yield from _short(plan, deployment, kind)
            yield from _computing(plan, deployment, kind)
            yield from _mapped(plan, deployment, kind)


def _chain(plan: Plan, deployment: "_Deployment", kind: str) -> Iterator[Figure]:
    medians, tails = [], []
    for _ in range(plan.pick(5, 2, 1)):
        tasks = deployment.run("chain").tasks
        hops_ms = [(later.started_at - earlier.ended_at) * 1000 for earlier, later in pairwise(tasks)]
        medians.append(median(hops_ms))
        tails.append(quantiles(hops_ms, n=20)[18])
    yield Figure("running", "chain of 20 no-op tasks: hop, p50", kind, "ms", medians, at_most(6.0))
    yield Figure("running", "chain of 20 no-op tasks: hop, p95", kind, "ms", tails, at_most(15.0))


def _wide(plan: Plan, deployment: "_Deployment", kind: str) -> Iterator[Figure]:
    runs = [deployment.run("wide") for _ in range(plan.pick(4, 2, 1))][-plan.pick(3, 1, 1) :]
    # Apart from the others: to ask for the memory of a process keeps it waiting.
    watched = deployment.run("wide", watches_memory=True)
    name = "500 parallel no-op tasks"
    yield Figure("running", f"{name}: throughput", kind, "tasks/s", [run.per_second for run in runs], at_least(300))
    yield Figure("running", f"{name}: CPU a task", kind, "ms", [run.cpu_ms for run in runs], at_most(6.0))
    yield Figure("running", f"{name}: peak memory", kind, "MB", [watched.peak_mb], at_most(400))


def _short(plan: Plan, deployment: "_Deployment", kind: str) -> Iterator[Figure]:
    seconds = [deployment.run("short").span_s for _ in range(plan.pick(3, 1, 1))]
    yield Figure("running", "40 sequential tasks of 10 ms", kind, "s", seconds, at_most(1.2))


def _computing(plan: Plan, deployment: "_Deployment", kind: str) -> Iterator[Figure]:
    if plan.pick(False, True, True):
        return
    ratios = []
    for _ in range(3):
        # One after the other, several times: the machine is not equally fast at all times.
        alone_s = seconds_of_fib(10)
        ratios.append(deployment.run("computing").span_s / alone_s)
    yield Figure("running", "10 sequential fib(33), over one process", kind, "ratio", ratios, at_most(1.03))


def _mapped(plan: Plan, deployment: "_Deployment", kind: str) -> Iterator[Figure]:
    copies = plan.pick(10_000, 1_000, 20)
    run = deployment.run("mapped", {"copies": copies})
    copied = [task for task in run.tasks if task.map_index >= 0]
    tenth = max(1, len(copied) // 10)
    first, last = copied[:tenth], copied[-tenth:]
    ratio = _spacing(last) / _spacing(first)
    details = {"tasks/s": run.per_second}
    yield Figure("running", f"{copies:,} mapped tasks: the run", kind, "s", [run.wall_s], at_most(60.0), None, details)
    yield Figure("running", f"{copies:,} mapped tasks: last tenth over first", kind, "ratio", [ratio], at_most(1.1))


def _spacing(tasks: Sequence["_Task"]) -> float:
    return tasks[-1].started_at - tasks[0].started_at or 1e-9


@dataclass(frozen=True, slots=True)
class _Task:
    """When a task ran, in seconds."""

    map_index: int
    started_at: float
    ended_at: float


@dataclass(frozen=True, slots=True)
class _Run:
    """What a run took."""

    tasks: Sequence[_Task]
    wall_s: float
    cpu_s: float
    peak_mb: float

    @property
    def span_s(self) -> float:
        """From the start of the first task to the end of the last."""
        return max(task.ended_at for task in self.tasks) - self.tasks[0].started_at

    @property
    def per_second(self) -> float:
        """Tasks."""
        return len(self.tasks) / self.span_s

    @property
    def cpu_ms(self) -> float:
        """For each task."""
        return self.cpu_s * 1000 / len(self.tasks)


class _Deployment:
    """A scheduler of the command line, with what it starts."""

    def __init__(self, world: World, scheduler: psutil.Process) -> None:
        self._world = world
        self._scheduler = scheduler
        self._structures = Structures()
        self._number = 0
        # Not the engine of the product, which begins every transaction as one that writes.
        self._reading = sa.create_engine(world.wiring.database.engine.url)

    def run(self, dag_id: str, conf: Mapping[str, int] | None = None, *, watches_memory: bool = False) -> _Run:
        """Trigger a run, and wait for its end."""
        self._world.tidy()
        self._number += 1
        run_id = f"run_{self._number}"
        cpu_before, server_before = self._cpu_s(), self._world.server_cpu_s() or {}
        began = time.perf_counter()
        with self._world.wiring.database.begin() as tx:
            request = RunRequest(dag_id, run_id=run_id, conf=dict(conf or {}))
            trigger_run(tx, request, self._structures, self._world.wiring.clock.now(), suffix="benchmrk")
        peak_mb = self._watch(run_id, watches_memory=watches_memory)
        wall_s = time.perf_counter() - began
        server = self._world.server_cpu_s() or {}
        server_s = sum(spent - server_before.get(pid, 0.0) for pid, spent in server.items())
        return _Run(self._tasks(run_id), wall_s, self._cpu_s() - cpu_before + server_s, peak_mb)

    def _watch(self, run_id: str, *, watches_memory: bool) -> float:
        peak_mb, deadline = 0.0, time.monotonic() + _PATIENCE_S
        while (state := self._state(run_id)) not in (RunState.SUCCESS, RunState.FAILED):
            if time.monotonic() > deadline:
                raise Stalled(f"{run_id} does not end: {state}")
            if watches_memory:
                peak_mb = max(peak_mb, sum(map(_pss_mb, self._processes())))
            time.sleep(_POLL_S)
        if state is not RunState.SUCCESS:
            raise Stalled(f"{run_id} failed")
        return peak_mb

    def _state(self, run_id: str) -> RunState:
        with self._reading.connect() as connection:
            return RunState(
                connection.execute(sa.select(dag_run.c.state).where(dag_run.c.run_id == run_id)).scalar_one()
            )

    def _tasks(self, run_id: str) -> list[_Task]:
        columns = (task_instance.c.map_index, task_instance.c.started_at, task_instance.c.finished_at)
        query = (
            sa.select(*columns)
            .join(dag_run, dag_run.c.run_key == task_instance.c.run_key)
            .where(dag_run.c.run_id == run_id, task_instance.c.state == TaskState.SUCCESS.value)
            .order_by(task_instance.c.started_at)
        )
        with self._reading.connect() as connection:
            return [_Task(row[0], row[1].timestamp(), row[2].timestamp()) for row in connection.execute(query)]

    def _processes(self) -> list[psutil.Process]:
        """The scheduler, the worker, and all below it."""
        found = [self._scheduler]
        with suppress(psutil.NoSuchProcess):
            worker = self.worker()
            if worker is not None:
                found += [worker, *worker.children(recursive=True)]
        return found

    def worker(self) -> psutil.Process | None:
        """The one that the scheduler has started: it leads a session of its own."""
        home = str(self._world.settings.home)
        for process in psutil.process_iter(["cmdline"]):
            if "tradewind: worker of" in " ".join(process.info["cmdline"] or []):
                with suppress(psutil.Error):
                    if process.environ().get("TRADEWIND_HOME") == home:
                        return process
        return None

    def _cpu_s(self) -> float:
        """With that of the tasks, which those who forked them have waited for."""
        spent = 0.0
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                spent += times.user + times.system + times.children_user + times.children_system
        return spent


def _pss_mb(process: psutil.Process) -> float:
    try:
        return float(process.memory_full_info().pss) / _MEGA
    except psutil.Error:  # it has just ended
        return 0.0


@contextmanager
def _deployment(world: World) -> Iterator[_Deployment]:
    settings = world.settings
    environ = {
        **os.environ,
        "TRADEWIND_HOME": str(settings.home),
        "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": settings.database.sql_alchemy_conn,
        "TRADEWIND__CORE__DAGS_FOLDER": str(_DAGS),
        "TRADEWIND__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "TRADEWIND__CORE__MAX_MAP_LENGTH": "10000",
    }
    command = [sys.executable, "-m", "tradewind.cli.main"]
    subprocess.run([*command, "dag-processor", "--num-runs", "2"], env=environ, check=True, capture_output=True)
    with world.wiring.database.engine.connect() as connection:
        known = set(connection.execute(sa.select(dag.c.dag_id)).scalars())
    if "chain" not in known:
        raise Stalled("the DAG file was not read")
    scheduler = subprocess.Popen([*command, "scheduler"], env=environ)
    deployment = _Deployment(world, psutil.Process(scheduler.pid))
    try:
        yield deployment
    finally:
        worker = deployment.worker()
        for process in (scheduler, worker):
            if process is not None:
                process.send_signal(signal.SIGTERM)
                with suppress(psutil.Error, psutil.TimeoutExpired, subprocess.TimeoutExpired):
                    process.wait(20)
