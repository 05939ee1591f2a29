"""Whatever the process of a task says about its end, it ends, and its supervisor lives on (E1, B7)."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.component.world import PatientExecutor, World
from tests.databases import DatabaseKind
from tradewind.model.attempt_end import AttemptResult, Deferral, InputAwaited, OutletEvent, Usage
from tradewind.model.dag import Retry, Task
from tradewind.model.exchange import Exchange
from tradewind.model.ids import AttemptKey
from tradewind.model.states import TaskState
from tradewind.model.task import AwaitingInput, Deferred, Failed, Rescheduled, Skipped, Succeeded
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.secrets.encryption import Encryption

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NAIVE = datetime(2026, 1, 1)  # noqa: DTZ001 - what user code may say
FIRST, LAST = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
NOTHING, HALF, LONG = "nothing \x00", "half \ud800", "x" * 5_000
Made = Callable[[AttemptKey], AttemptResult]


def succeeded(map_length: int | None = None, skips: tuple[str, ...] = (), *events: OutletEvent) -> Made:
    return lambda key: AttemptResult(
        report=Succeeded(key, NOW, NOW, map_length=map_length, skips=skips), outlet_events=events
    )


def failed(reason: str | None = None, delay_s: float | None = None, at: datetime = NOW) -> Made:
    return lambda key: AttemptResult(report=Failed(key, at, at, reason=reason, retry_delay_s=delay_s))


def deferred(until: datetime | None = None, path: str = "a.b", method: str = "m", **more: object) -> Made:
    given = Deferral(trigger_path=path, trigger_kwargs=more.get("kwargs"), next_method=method, queue=more.get("queue"))  # type: ignore[arg-type]
    return lambda key: AttemptResult(report=Deferred(key, NOW, until=until, started_at=NOW), waits_for=given)


def rescheduled(until: datetime) -> Made:
    return lambda key: AttemptResult(report=Rescheduled(key, NOW, until=until, started_at=NOW))


def used(cpu_s: float, memory: int) -> Made:
    return lambda key: AttemptResult(report=Succeeded(key, NOW, NOW), usage=Usage(cpu_s, memory))


def updated(name: str | None, uri: str | None = "x://y", **more: object) -> Made:
    return succeeded(None, (), OutletEvent(name=name, uri=uri, **more))  # type: ignore[arg-type]


def awaits(key: AttemptKey) -> AttemptResult:
    waits = InputAwaited(next_method=LONG, next_kwargs=math.nan, timeout=timedelta.max)
    return AttemptResult(report=AwaitingInput(key, NOW, until=LAST, started_at=NOW), waits_for=waits)


RESULTS: dict[str, Made] = {
    "fewer than none": succeeded(map_length=-5),
    "too many": succeeded(map_length=2**62),
    "beyond counting": succeeded(map_length=2**70),
    "skips nobody": succeeded(skips=("none",)),
    "skips an odd name": succeeded(skips=(NOTHING, HALF)),
    "skips a long name": succeeded(skips=(LONG,)),
    "fails for nothing": failed(NOTHING),
    "fails for half": failed(HALF),
    "fails at length": failed("x" * 2_000_000),
    "tries again never": failed(delay_s=math.inf),
    "tries again late": failed(delay_s=1e300),
    "tries again somewhen": failed(delay_s=math.nan),
    "tries again before": failed(delay_s=-1e9),
    "failed without a zone": failed(at=NAIVE),
    "failed at the end of time": failed(at=LAST),
    "skipped for nothing": lambda key: AttemptResult(report=Skipped(key, NOW, NOW, reason=NOTHING)),
    "looks again at the end of time": rescheduled(LAST),
    "looks again before time": rescheduled(FIRST),
    "looks again without a zone": rescheduled(NAIVE),
    "waits for a long name": deferred(path=LONG),
    "waits for an odd name": deferred(path=NOTHING, method=HALF),
    "waits in a long queue": deferred(queue=LONG),
    "waits with odd arguments": deferred(kwargs={"a": [math.nan, 10**400, HALF]}),
    "waits until the end of time": deferred(until=LAST),
    "waits for a person": awaits,
    "used what is no number": used(math.nan, 1),
    "used without end": used(math.inf, 2**70),
    "used less than nothing": used(-1.0, -1),
    "updated no asset": updated(None, None),
    "updated an odd asset": updated(NOTHING, HALF),
    "updated a long asset": updated(LONG, LONG),
    "updated with odd words": updated("n", extra={"a": math.nan, HALF: 10**400}, alias=NOTHING, group=LONG),
    "updated odd partitions": updated("n", partition_keys=(NOTHING, LONG)),
}


@pytest.mark.parametrize("database_kind", ["sqlite", "postgres"], indirect=True)
def test_every_attempt_ends_whatever_is_said_about_its_end(any_world: World, database_kind: DatabaseKind) -> None:
    names = {f"t{number}": name for number, name in enumerate(RESULTS)}
    any_world.dag(
        *(Task(task_id, retry=Retry(retries=1)) for task_id in names), Task("well"), max_active_tasks=1 + len(names)
    )
    run_key = any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor, parallelism=100)
    any_world.settle()
    beginner = Beginner(any_world.structures, hostname="here", pid=1)
    engine = StoredEngine(any_world.database, any_world.clock, beginner, Encryption(), longest_delay_s=60)
    results = [RESULTS[name](executor.attempt(task_id)) for task_id, name in names.items()]

    engine.exchange(Exchange(results=[*results, succeeded()(executor.attempt("well"))]))

    with any_world.database.begin() as tx:
        states = {task.task_id: task.state for task in tx.tasks.instances(run_key)}
    assert states.pop("well") is TaskState.SUCCESS
    assert [names[task_id] for task_id, state in states.items() if state is TaskState.RUNNING] == []
