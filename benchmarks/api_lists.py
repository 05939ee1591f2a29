"""How long lists of the REST API take where there is much to list."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlencode

import sqlalchemy as sa
from fastapi import FastAPI

from benchmarks.figures import Figure, at_most
from benchmarks.harness import Plan, World
from benchmarks.shapes import wide
from tests.databases import DatabaseKind
from tradewind.api.app import make_app
from tradewind.api.auth.access import Level, Principal
from tradewind.bootstrap_api import make_services
from tradewind.model.ids import UNMAPPED
from tradewind.model.pool import DEFAULT_POOL
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.storage.listings.dag_runs import DAG_RUNS
from tradewind.storage.listings.dags import DAGS
from tradewind.storage.listings.task_instances import TASK_INSTANCES
from tradewind.storage.schema import dag_run, task_instance

TARGET: Final = at_most(100.0)
DAG_ID: Final = "big"
_SLOWEST_SHOWN: Final = 5
_BETWEEN_RUNS: Final = timedelta(minutes=10)
_RUN_STATES: Final = (*[RunState.SUCCESS] * 17, RunState.FAILED, RunState.RUNNING, RunState.QUEUED)
_TASK_STATES: Final = (
    *[TaskState.SUCCESS] * 16,
    TaskState.FAILED,
    TaskState.SKIPPED,
    TaskState.RUNNING,
    TaskState.NONE,
)
_RUNS: Final = "/api/v2/dags/{dag_id}/dagRuns"
_INSTANCES: Final = f"{_RUNS}/{{dag_run_id}}/taskInstances"
_ORDERS: Final = {"/api/v2/dags": DAGS, _RUNS: DAG_RUNS, _INSTANCES: TASK_INSTANCES}
_TOLD: Final[Mapping[str, str]] = {
    "dag_id_pattern": "bi",
    "dag_display_name_pattern": "bi",
    "run_id_pattern": "old_77",
    "run_id_prefix_pattern": "old_77",
    "run_type": "scheduled",
    "state": "failed",
    "pool": DEFAULT_POOL,
    "pool_name_pattern": "default",
    "pool_name_prefix_pattern": "default",
    "queue": "default",
    "queue_name_pattern": "default",
    "queue_name_prefix_pattern": "default",
    "dag_id_prefix_pattern": "bi",
    "operator_name_pattern": "o",
    "task_id": "task_7",
    "task_display_name_pattern": "task_77",
    "task_display_name_prefix_pattern": "task_77",
    "order_by": "",
    "cursor": "",
    "limit": "100",
    "offset": "7000",
}
"""What to ask for by name; for the others, something of their type."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, and how long it took."""

    path: str
    query: str
    ms: float

    def __str__(self) -> str:
        return f"{self.path}{'?' if self.query else ''}{self.query}"


def api_lists(plan: Plan) -> Iterator[Figure]:
    """The slowest of all lists, each asked without and with each filter and in each order.

    One DAG with 5,000 tasks and 8,000 runs; 40 of the runs have all their task instances (200,000), the others one. The
    requests go through the whole web application, in this process, one after the other; each is asked three times,
    and the quickest counts: a list shall not be slow, and the machine may be. `GET /version` shows what a request
    costs that asks the database for nothing.
    """
    runs, full_runs, tasks = plan.pick((8_000, 40, 5_000), (2_000, 10, 1_000), (20, 2, 3))
    for kind in plan.on("sqlite", "postgres"):
        with plan.world(kind) as world:
            fill(world, runs, full_runs, tasks)
            asked = asyncio.run(_ask_all(world, plan))
            yield from _figures(kind, asked, f"{tasks:,} tasks, {runs:,} runs")


def _figures(kind: DatabaseKind, asked: Sequence[Asked], size: str) -> Iterator[Figure]:
    plain, *lists = asked
    slowest = sorted(lists, key=lambda each: -each.ms)
    details: dict[str, float] = {str(each): each.ms for each in slowest[:_SLOWEST_SHOWN]}
    details["median of all"] = median(each.ms for each in lists)
    details["lists"] = len(lists)
    details["over 100 ms"] = sum(each.ms > TARGET.bound for each in lists)
    details[str(plain)] = plain.ms
    yield Figure("api lists", f"slowest list: {size}", kind, "ms", [slowest[0].ms], TARGET, None, details)


async def _ask_all(world: World, plan: Plan) -> list[Asked]:
    services = make_services(world.wiring)
    services.find_principal = lambda claim: Principal(claim.subject, Level.ADMIN)
    app = make_app(services)
    token = services.tokens.make("admin", world.wiring.clock.now())
    requests = [("/api/v2/version", ""), *_requests(app.openapi(), world.wiring.clock.now())]
    step = plan.pick(1, 1, 25)
    found = []
    for path, query in requests[::step]:
        times = [await _ask(app, path, query, token) for _ in range(3)]
        if None not in times:
            found.append(Asked(path, query, min(each for each in times if each is not None)))
    return found


def _requests(document: Mapping[str, Any], now: datetime) -> Iterator[tuple[str, str]]:
    for path, methods in document["paths"].items():
        parameters = methods.get("get", {}).get("parameters", [])
        names = {each["name"]: each for each in parameters if each["in"] == "query"}
        if path != "/api/v2/dagStats" and not {"limit", "order_by"} & names.keys():
            continue
        for place in _places(path):
            yield place, ""
            for name, parameter in names.items():
                value = _TOLD.get(name, _value(parameter["schema"], now))
                if value:
                    yield place, urlencode({name: value})
            for field in _fields(path):
                yield place, urlencode({"order_by": field})
                yield place, urlencode({"order_by": f"-{field}"})


def _fields(path: str) -> list[str]:
    listing = _ORDERS.get(path)
    return [] if listing is None else sorted({*listing.shown, *listing.hidden} - {"run_key"})


def _places(path: str) -> Iterator[str]:
    """Of one DAG and run, of all runs of a DAG, and of everything."""
    ids = {"dag_id": DAG_ID, "dag_run_id": "old_7", "task_id": "task_7", "asset_id": "1"}
    places = [ids]
    if path == _RUNS or path.startswith(_INSTANCES):
        places.append({**ids, "dag_id": "~", "dag_run_id": "~", "task_id": "~"})
    if path.startswith(_INSTANCES):
        places.append({**ids, "dag_run_id": "~"})
    for place in places:
        yield path.format(**place)


def _value(schema: Mapping[str, Any], now: datetime) -> str:
    kinds = [schema, *schema.get("anyOf", ()), schema.get("items", {})]
    if any(each.get("format") == "date-time" for each in kinds):
        return (now - timedelta(days=20)).isoformat()
    for kind, value in (("boolean", "true"), ("integer", "1"), ("number", "10"), ("string", "a"), ("array", "a")):
        if any(each.get("type") == kind for each in kinds):
            return value
    return ""


async def _ask(app: FastAPI, path: str, query: str, token: str) -> float | None:
    """How many milliseconds until all of the answer is there. None: it is refused."""
    status = 0

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": [(b"authorization", f"Bearer {token}".encode())],
        "asgi": {"version": "3.0"},
    }
    began = perf_counter()
    await app(scope, receive, send)
    return (perf_counter() - began) * 1000 if status == 200 else None


def fill(world: World, runs: int, full_runs: int, tasks: int) -> None:
    """Put runs and task instances of one DAG into the database, in all states, by SQL."""
    world.publish(wide(DAG_ID, tasks))
    now = world.wiring.clock.now()
    record = world.wiring.database.read(lambda tx: tx.dags.find(DAG_ID))
    assert record is not None
    rows = [_run(number, record.version_key, now - _BETWEEN_RUNS * (runs - number)) for number in range(runs)]
    engine = world.wiring.database.engine
    with engine.begin() as connection:
        connection.execute(sa.insert(dag_run), rows)
        keys = connection.execute(sa.select(dag_run.c.run_key).order_by(dag_run.c.ordering_at)).scalars().all()
    single: list[dict[str, object]] = []
    for number, run_key in enumerate(keys):
        at = now - _BETWEEN_RUNS * (runs - number)
        if number % (runs // full_runs):
            single.append(_instance(run_key, 0, at))
        else:
            _insert(engine, [_instance(run_key, each, at) for each in range(tasks)])
    _insert(engine, single)
    world.tidy()


def _insert(engine: sa.Engine, instances: list[dict[str, object]]) -> None:
    with engine.begin() as connection:
        connection.execute(sa.insert(task_instance), instances)


def _run(number: int, version_key: object, at: datetime) -> dict[str, object]:
    state = _RUN_STATES[number % len(_RUN_STATES)]
    return {
        "dag_id": DAG_ID,
        "run_id": f"old_{number}",
        "run_type": (RunType.SCHEDULED if number % 3 else RunType.MANUAL).value,
        "state": state.value,
        "version_key": version_key,
        "change_number": 0,
        "clear_number": 0,
        "logical_date": at,
        "interval_start": at,
        "interval_end": at + _BETWEEN_RUNS,
        **dict.fromkeys(("run_after", "ordering_at", "queued_at", "started_at", "updated_at"), at),
        "finished_at": None if state in (RunState.RUNNING, RunState.QUEUED) else at + timedelta(seconds=number % 100),
    }


def _instance(run_key: int, number: int, at: datetime) -> dict[str, object]:
    state = _TASK_STATES[(run_key + number) % len(_TASK_STATES)]
    is_over = state in (TaskState.SUCCESS, TaskState.FAILED, TaskState.SKIPPED)
    counts = dict.fromkeys(("queue_turn", "requeues", "reschedules"), 0)
    return {
        "run_key": run_key,
        "task_id": f"task_{number}",
        "map_index": UNMAPPED,
        "dag_id": DAG_ID,
        "state": state.value,
        "attempt": 1,
        "try_number": 1,
        "max_tries": 0,
        "pool": DEFAULT_POOL,
        "pool_slots": 1,
        "priority_weight": 1,
        "queue": "default",
        "operator": "PythonOperator",
        **counts,
        **dict.fromkeys(("scheduled_at", "queued_at", "started_at"), at),
        "finished_at": at + timedelta(seconds=number % 100) if is_over else None,
        "hostname": "worker",
        "pid": 1,
    }
