"""How soon an update of an asset starts the first task of who waits for it, and what many updates for one run cost."""

import json
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import sqlalchemy as sa

from benchmarks.figures import Figure, at_most
from benchmarks.harness import Plan, Stalled, World
from benchmarks.services import await_web_server, environ_of, peak_mb, read_dags, running_services, workers
from tests.acceptance.standalone import free_port
from tests.databases import DatabaseKind
from tradewind.model.states import RunState
from tradewind.operations.record_asset_events import add_asset_events
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.storage.interface.shared_stores import NewAssetEvent
from tradewind.storage.schema import dag_run, task_instance

LATENCY: Final = at_most(50.0)
GROWTH: Final = at_most(10.0)
_DAG_FILE: Final = Path(__file__).parent / "asset_dags" / "updates.py"
_DAGS: Final = {"producer", "consumer", "gatherer"}
_POLL_S: Final = 0.01
_PATIENCE_S: Final = 300.0
_AT_ONCE: Final = 1_000


def asset_runs(plan: Plan) -> Iterator[Figure]:
    """A scheduler and a web server of the command line, with Airflow's default limits, and DAGs with one task.

    By REST, the time is from before `POST /assets/events` is sent to the start of the consumer's task as it is stored;
    by a task's outlet, from the stored end of that task. One update after the other; the first few, which start the
    worker and import the file, are not counted. For the memory, one run consumes 2 updates and then one many; the
    figure is how much more each process has needed at its most (VmHWM) after that. One of its tasks does not look at
    the updates, the other at each; the web server is asked for all that caused the run.
    """
    times, many = plan.pick((40, 50_000), (10, 5_000), (2, 20))
    for kind in plan.on("sqlite", "postgres", "mysql"):
        with plan.world(kind) as world, _site(world) as site:
            for _ in range(3):
                site.by_outlet()
            yield from _latency(kind, "REST", [site.by_rest() for _ in range(times)])
            yield from _latency(kind, "a task's outlet", [site.by_outlet() for _ in range(times)])
            yield from _one_run(kind, site, many)


def _latency(kind: DatabaseKind, way: str, times_ms: Sequence[float]) -> Iterator[Figure]:
    details = {"p95 ms": quantiles(times_ms, n=20)[18], "worst ms": max(times_ms)}
    yield Figure("asset_runs", f"event by {way} to first task", kind, "ms", [median(times_ms)], LATENCY, None, details)


def _one_run(kind: DatabaseKind, site: "_Site", many: int) -> Iterator[Figure]:
    site.gather(2)
    before = site.peaks_mb()
    seconds = site.gather(many)
    after = site.peaks_mb()
    name = f"{many:,} events for one run"
    yield Figure("asset_runs", f"{name}: the run", kind, "s", [seconds])
    for process, peak in after.items():
        details = {"MB": peak}
        grown = max(peak - before[process], 0.0)
        yield Figure("asset_runs", f"{name}: more memory of {process}", kind, "MB", [grown], GROWTH, None, details)


class _Site:
    """A deployment, and what is told to it."""

    def __init__(self, world: World, url: str, scheduler: int, server: int) -> None:
        self._world = world
        self._url = url
        self._pids = {"the scheduler": scheduler, "the web server": server}
        self._structures = Structures()
        self._number = 0
        self._peaks = world.settings.home / "peaks.txt"
        # Not the engine of the product, which begins every transaction as one that writes.
        self._reading = sa.create_engine(world.wiring.database.engine.url)
        self._token = self._get(f"{url}/auth/token")["access_token"]
        self._assets = {each["name"]: each["id"] for each in self._ask("/assets?limit=10")["assets"]}

    def by_rest(self) -> float:
        """Tell of an update. Returns after how many milliseconds the consumer's task started."""
        began = time.time()
        with self._awaited("consumer") as started:
            self._ask("/assets/events", {"asset_id": self._assets["updated"], "extra": {}})
        return (started().timestamp() - began) * 1000

    def by_outlet(self) -> float:
        """Have a task update the asset. Returns how many milliseconds after its end the consumer's task started."""
        self._number += 1
        request = RunRequest("producer", run_id=f"run_{self._number}")
        with self._awaited("consumer") as started, self._world.wiring.database.begin() as tx:
            trigger_run(tx, request, self._structures, self._world.wiring.clock.now(), suffix="benchmrk")
        return (started() - self._last("producer", task_instance.c.finished_at)).total_seconds() * 1000

    def gather(self, number: int) -> float:
        """So many updates, and one more, which has a run consume all of them. Returns the seconds from the last
        update to the end of the run."""
        event = NewAssetEvent(asset_key=self._assets["many"], extra={"place": "here"})
        for first in range(0, number, _AT_ONCE):
            with self._world.wiring.database.begin() as tx:
                add_asset_events(tx, [event] * min(_AT_ONCE, number - first), self._world.wiring.clock.now())
        self._world.tidy()
        began = time.perf_counter()
        with self._awaited("gatherer"):
            self._ask("/assets/events", {"asset_id": self._assets["enough"], "extra": {}})
        seconds = time.perf_counter() - began
        runs = self._ask("/dags/gatherer/dagRuns?order_by=-id&limit=1")["dag_runs"]
        caused = self._ask(f"/dags/gatherer/dagRuns/{runs[0]['dag_run_id']}/upstreamAssetEvents")
        if caused["total_entries"] != number + 1 or self._noted()["count"][1] != number:
            raise Stalled(f"the run consumed {caused['total_entries']} updates, where {number + 1} waited")
        return seconds

    def peaks_mb(self) -> dict[str, float]:
        """The most memory that each process has needed so far; of tasks, those of the last run."""
        (worker,) = workers(self._world.settings.home)
        pids = {**self._pids, "the worker": worker.pid}
        tasks = {f"a task that does {name}": self._noted()[name][0] for name in ("ignore", "count")}
        return {**{name: peak_mb(pid) for name, pid in pids.items()}, **tasks}

    def _noted(self) -> dict[str, tuple[float, int]]:
        """What each task said last: the most memory it needed, and how many updates it saw."""
        lines = [line.split() for line in self._peaks.read_text().splitlines()]
        return {name: (int(kilobytes) / 1024, int(number)) for name, kilobytes, number in lines}

    @contextmanager
    def _awaited(self, dag_id: str) -> Iterator[Callable[[], datetime]]:
        """Until the next run of the DAG has ended. Yields who says when its last task started."""
        goal = self._ended(dag_id) + 1
        yield lambda: self._last(dag_id, task_instance.c.started_at)
        deadline = time.monotonic() + _PATIENCE_S
        while self._ended(dag_id) < goal:
            if time.monotonic() > deadline:
                raise Stalled(f"no run of {dag_id} ends")
            time.sleep(_POLL_S)

    def _ended(self, dag_id: str) -> int:
        is_ended = sa.and_(dag_run.c.dag_id == dag_id, dag_run.c.state == RunState.SUCCESS.value)
        with self._reading.connect() as connection:
            return int(connection.execute(sa.select(sa.func.count()).where(is_ended)).scalar_one())

    def _last(self, dag_id: str, column: "sa.Column[datetime]") -> datetime:
        with self._reading.connect() as connection:
            found = sa.select(sa.func.max(column)).where(task_instance.c.dag_id == dag_id)
            at: datetime = connection.execute(found).scalar_one()
        return at

    def _ask(self, path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._token}"}
        return self._get(urllib.request.Request(f"{self._url}/api/v2{path}", content, headers))

    def _get(self, request: str | urllib.request.Request) -> Any:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


@contextmanager
def _site(world: World) -> Iterator[_Site]:
    home, port = world.settings.home, free_port()
    folder = home / "dags"
    folder.mkdir()
    shutil.copy(_DAG_FILE, folder)
    environ = environ_of(world, folder, TRADEWIND__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS="True")
    read_dags(world, environ, _DAGS)
    commands = [["scheduler"], ["api-server", "--port", str(port)]]
    with running_services(environ, commands, home) as (scheduler, server):
        url = f"http://127.0.0.1:{port}"
        await_web_server(url, server)
        yield _Site(world, url, scheduler.pid, server.pid)
