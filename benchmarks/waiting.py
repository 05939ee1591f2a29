"""What it costs to wait, and how late tasks go on."""

import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Final

import psutil
import sqlalchemy as sa

from benchmarks.bare_forks import bare_lateness_s
from benchmarks.figures import Figure, at_most
from benchmarks.harness import Plan, Stalled, World, cpu_s
from benchmarks.services import environ_of, read_dags, running_services
from tests.databases import DatabaseKind
from tradewind.model.ids import AttemptKey
from tradewind.model.run import Run
from tradewind.model.states import RunState, TaskState
from tradewind.model.trigger import NewTrigger
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.sdk.serde import serialize
from tradewind.storage.interface.kept_stores import StoredDeferral
from tradewind.storage.schema import dag_run, task_instance, task_trigger

_DAG_FILE: Final = Path(__file__).parent / "waiting_dags" / "waits.py"
_TRIGGER: Final = "airflow.providers.standard.triggers.temporal.DateTimeTrigger"
_POLL_S: Final = 0.05
_PATIENCE_S: Final = 180.0
_MEGA: Final = 1024 * 1024
_FAR: Final = datetime(2999, 1, 1, tzinfo=UTC)


def waiting(plan: Plan) -> Iterator[Figure]:
    """The processes of a deployment, started by the command line: a triggerer, whose triggers wait for an instant.

    Tasks that wait are put into the database as if they had deferred: a process for each would measure forking. Memory
    is the sum of the proportional shares (PSS) of the triggerer's processes, CPU theirs together, after all triggers
    have begun, while none fires. Lateness is from the instant of a trigger to the first line of what goes on with it,
    by the wall clock; for tasks that begin and end with their triggers, to their stored end.
    """
    few, most = plan.pick((1_000, 10_000), (200, 2_000), (3, 6))
    for kind in plan.on("sqlite", "postgres"):
        yield from _idle(plan, kind, few, most)
        yield from _through_workers(plan, kind)
        yield from _without_workers(plan, kind)


def _idle(plan: Plan, kind: DatabaseKind, few: int, most: int) -> Iterator[Figure]:
    window_s = plan.pick(30.0, 5.0, 0.2)
    measured = {}
    for count in (few, most):
        with _site(plan, kind, [("waits", count)], capacity=most, has_scheduler=False) as site:
            site.wait(f"waits_{count}", [_FAR] * count)
            site.until_claimed(count)
            site.until_quiet()
            measured[count] = site.watch(window_s)
    name = f"{most:,} triggers wait"
    share, memory_mb = measured[most]
    details = {f"with {few:,} triggers": measured[few][1]}
    yield Figure("waiting", f"{name}: memory", kind, "MB", [memory_mb], at_most(300), None, details)
    details = {f"with {few:,} triggers": measured[few][0]}
    yield Figure("waiting", f"{name}: CPU while idle", kind, "% of a core", [share], at_most(3.0), None, details)


def _through_workers(plan: Plan, kind: DatabaseKind) -> Iterator[Figure]:
    count, singles = plan.pick((1_000, 30), (100, 5), (2, 1))
    lead_s, gap_s = plan.pick((8.0, 0.5), (5.0, 0.4), (2.0, 0.3))
    with _site(plan, kind, [("waits", count), ("waits", 1)], capacity=count + singles) as site:
        site.run("waits_1")  # which starts the worker and imports the file
        first = _soon(lead_s)
        moments = [first + timedelta(seconds=gap_s * number) for number in range(singles)]
        for moment in moments:
            site.wait("waits_1", [moment])
        site.until_ended()
        alone_ms = [late_s * 1000 for late_s in site.lateness()]
        at = _soon(lead_s)
        site.wait(f"waits_{count}", [at] * count)
        site.until_ended()
        late_ms = [late_s * 1000 for late_s in site.lateness()]
        ended_s = site.last_end() - at.timestamp()
    yield Figure("waiting", "one trigger: lateness, p50", kind, "ms", [median(alone_ms)], at_most(25))
    name = f"{count:,} triggers fire at once, workers go on"
    bare_ms = bare_lateness_s(count) * 1000
    details = {"tasks that went on": len(late_ms), "worst ms": max(late_ms), "bare forks alone ms": bare_ms}
    yield Figure("waiting", f"{name}: lateness, p50", kind, "ms", [median(late_ms)], at_most(100), None, details)
    yield Figure("waiting", f"{name}: all ended after", kind, "s", [ended_s], at_most(10))


def _without_workers(plan: Plan, kind: DatabaseKind) -> Iterator[Figure]:
    sizes = plan.pick((1_000, 5_000), (100, 500), (2, 4))
    for count in sizes:
        lead_s = plan.pick(20.0, 10.0, 4.0)
        with _site(plan, kind, [("begins", count)], capacity=count, at=_soon(lead_s + count / 500)) as site:
            site.run(f"begins_{count}")
            late_s = max(site.last_end() - site.at.timestamp(), 0.0)
            stuck = count - site.succeeded()
        target = at_most(2.0) if count == sizes[0] else None
        name = f"{count:,} tasks of one DAG begin and end with their triggers"
        yield Figure("waiting", f"{name}: all ended after", kind, "s", [late_s], target, None, {"stuck": stuck})


def _soon(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


class _Site:
    """A deployment with tasks that wait."""

    def __init__(self, world: World, triggerer: psutil.Process, at: datetime) -> None:
        self._world = world
        self._triggerer = triggerer
        self.at = at
        """When triggers fire that tasks begin with."""
        self._structures = Structures()
        self._heard = world.settings.home / "heard.txt"
        self._runs = 0
        # Not the engine of the product, which begins every transaction as one that writes.
        self._reading = sa.create_engine(world.wiring.database.engine.url)

    def run(self, dag_id: str) -> None:
        """Trigger a run, and wait for its end."""
        now = self._world.wiring.clock.now()
        with self._world.wiring.database.begin() as tx:
            self._runs += 1
            request = RunRequest(dag_id, run_id=f"run_{self._runs}")
            trigger_run(tx, request, self._structures, now, suffix="benchmrk")
        self.until_ended()

    def wait(self, dag_id: str, moments: Sequence[datetime]) -> None:
        """A run whose tasks all wait for these instants, as if each had deferred itself."""
        now = self._world.wiring.clock.now()
        with self._world.wiring.database.begin() as tx:
            self._runs += 1
            request = RunRequest(dag_id, run_id=f"run_{self._runs}")
            run = trigger_run(tx, request, self._structures, now, suffix="benchmrk")
            of_run = task_instance.c.run_key == run.key
            deferred = {"state": TaskState.DEFERRED.value, "attempt": 1, "try_number": 1, "started_at": now}
            tx.connection.execute(sa.update(task_instance).where(of_run).values(deferred))
            running = {"state": RunState.RUNNING.value, "started_at": now}
            tx.connection.execute(sa.update(dag_run).where(dag_run.c.run_key == run.key).values(running))
            attempts = _attempts(run, len(moments))
            tx.deferrals.put([StoredDeferral(attempt=each, next_method="go_on", created_at=now) for each in attempts])
            tx.triggers.add([_trigger(*each, now) for each in zip(attempts, moments, strict=True)])

    def until_claimed(self, count: int) -> None:
        """All triggers have found their triggerer."""
        claimed = task_trigger.c.triggerer.is_not(None)
        self._until(lambda: self._count(claimed) == count, "triggers to be claimed")

    def until_quiet(self) -> None:
        """What was to be begun has begun: nobody computes any more."""
        spent = [self._cpu_s()]

        def is_quiet() -> bool:
            time.sleep(1.0)
            spent.append(self._cpu_s())
            return spent[-1] - spent[-2] < 0.1

        self._until(is_quiet, "triggers to begin")

    def until_ended(self) -> None:
        """No run is left."""
        self._until(lambda: not self._world.unfinished_runs(), "runs to end")

    def watch(self, seconds: float) -> tuple[float, float]:
        """How much of a core the triggerer takes, in percent, and how much memory, in MB."""
        before = self._cpu_s()
        time.sleep(seconds)
        spent = self._cpu_s() - before
        return 100 * spent / seconds, sum(process.memory_full_info().pss for process in self._processes()) / _MEGA

    def lateness(self) -> list[float]:
        """How late tasks went on since the last look, in seconds."""
        lines = self._heard.read_text().splitlines()
        self._heard.unlink()
        return [float(heard) - float(at) for at, heard in map(str.split, lines)]

    def last_end(self) -> float:
        """When the last task ended."""
        with self._reading.connect() as connection:
            ended: datetime = connection.execute(sa.select(sa.func.max(task_instance.c.finished_at))).scalar_one()
        return (ended if ended.tzinfo is not None else ended.replace(tzinfo=UTC)).timestamp()

    def succeeded(self) -> int:
        """How many tasks did."""
        return self._count(task_instance.c.state == TaskState.SUCCESS.value)

    def _count(self, which: "sa.ColumnElement[bool]") -> int:
        with self._reading.connect() as connection:
            return int(connection.execute(sa.select(sa.func.count()).where(which)).scalar_one())

    def _processes(self) -> list[psutil.Process]:
        return [self._triggerer, *self._triggerer.children(recursive=True)]

    def _cpu_s(self) -> float:
        return sum(map(cpu_s, self._processes()))

    def _until(self, is_so: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not is_so():
            if time.monotonic() > deadline:
                raise Stalled(f"waited for {what} in vain")
            time.sleep(_POLL_S)


def _attempts(run: Run, count: int) -> list[AttemptKey]:
    return [AttemptKey(run.key, f"t{number:05d}", -1, 1) for number in range(count)]


def _trigger(attempt: AttemptKey, moment: datetime, now: datetime) -> NewTrigger:
    kwargs = json.dumps(serialize({"moment": moment, "end_from_trigger": False}))
    return NewTrigger(attempt=attempt, class_path=_TRIGGER, kwargs=kwargs, is_encrypted=False, created_at=now)


@contextmanager
def _site(
    plan: Plan,
    kind: DatabaseKind,
    dags: Sequence[tuple[str, int]],
    *,
    capacity: int,
    at: datetime = _FAR,
    has_scheduler: bool = True,
) -> Iterator[_Site]:
    with plan.world(kind) as world:
        home = world.settings.home
        folder = home / "dags"
        folder.mkdir()
        (folder / "sizes.txt").write_text("\n".join(f"{name} {size}" for name, size in dags))
        (folder / "at.txt").write_text(at.isoformat())
        shutil.copy(_DAG_FILE, folder)
        environ = environ_of(world, folder, TRADEWIND__TRIGGERER__CAPACITY=str(capacity))
        read_dags(world, environ, {f"{name}_{size}" for name, size in dags})
        commands = [["triggerer"], *([["scheduler"]] if has_scheduler else [])]
        with running_services(environ, commands, home) as services:
            yield _Site(world, psutil.Process(services[0].pid), at)
