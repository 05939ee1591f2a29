"""Task instances per second, scheduling only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from benchmarks.figures import Figure, Target, at_least
from benchmarks.harness import DEFAULT_LIMITS, OPEN_LIMITS, Limits, Plan, Scale
from benchmarks.shapes import layers, many, wide
from tests.databases import DatabaseKind
from tradewind.model.dag import Dag

TARGET = at_least(2_000)
_TARGET_KINDS = ("sqlite", "postgres")


@dataclass(frozen=True, slots=True)
class Case:
    """One shape of work under one set of limits."""

    name: str
    dags: Sequence[Dag]
    limits: Limits
    has_target: bool = True

    @property
    def tasks(self) -> int:
        """In one run of each DAG."""
        return sum(len(dag.tasks) for dag in self.dags)


def throughput(plan: Plan) -> Iterator[Figure]:
    """From the commit that created the runs until the last run's end is committed, by one scheduler.

    Creating the runs, that is one transaction that inserts them and all their task instances, is a figure of its own.
    Under the default limits a pass hands over 16 tasks at most. There the wide DAG is measured with its own default of
    16 active tasks, and with as many as parallelism allows; open limits mean no limit at all. The first time in a
    fresh database is the cold figure. A case stops repeating itself when it has taken long enough.
    """
    for kind in plan.kinds:
        for case in _cases(plan):
            # MySQL has no target, and its figures under both limits differ as those of PostgreSQL do.
            if kind != "mysql" or case.limits is OPEN_LIMITS or len(case.dags) > 1:
                yield from _measure(plan, kind, case)


def _cases(plan: Plan) -> Iterator[Case]:
    count = plan.pick(100, 100, 2)
    size = plan.pick(10_000, 1_000, 10)
    side = plan.pick(100, 20, 3)
    small = many(count, 10)
    named = f"{count} DAGs × 10 in a chain"
    one = f"1 DAG × {size:,} independent"
    layered = f"1 DAG × {side * side:,} in {side} layers"
    narrow = {"max_active_tasks": DEFAULT_LIMITS.core.parallelism}
    unbound = {"max_active_tasks": size}
    yield Case(named, small, DEFAULT_LIMITS)
    yield Case(named, small, OPEN_LIMITS)
    yield Case(f"{one}, max_active_tasks 32", [wide("wide", size, **narrow)], DEFAULT_LIMITS)
    if plan.scale is Scale.FULL:
        yield Case(f"{one}, max_active_tasks 16", [wide("wide", size)], DEFAULT_LIMITS)
    yield Case(one, [wide("wide", size, **unbound)], OPEN_LIMITS)
    if plan.scale is Scale.FULL:
        dag = layers("layers", side, side, **narrow)
        yield Case(f"{layered}, max_active_tasks 32", [dag], DEFAULT_LIMITS, has_target=False)
    yield Case(layered, [layers("layers", side, side, **unbound)], OPEN_LIMITS, has_target=False)


def _measure(plan: Plan, kind: DatabaseKind, case: Case) -> Iterator[Figure]:
    target: Target | None = TARGET if case.has_target and kind in _TARGET_KINDS else None
    speeds, creations, cpu_ms, server_ms = [], [], [], []
    with plan.world(kind, case.limits) as world:
        world.publish(*case.dags)
        world.start_scheduler()
        began = perf_counter()
        for repetition in range(1 + plan.repetitions):
            if repetition > 1 and perf_counter() - began > plan.patience_s:
                break
            creations.append(case.tasks / world.trigger(case.dags))
            cost = world.finish(len(case.dags))
            speeds.append(case.tasks / cost.wall_s)
            cpu_ms.append(cost.scheduler_cpu_s * 1000 / case.tasks)
            server_ms.append((cost.server_cpu_s or 0.0) * 1000 / case.tasks)
    details = {"scheduler CPU ms per task": min(cpu_ms[1:])}
    if kind == "postgres":
        details["server CPU ms per task"] = min(server_ms[1:])
    name = f"{case.name}, {case.limits.name}"
    yield Figure("throughput", name, kind, "tasks/s", speeds[1:], target, speeds[0], details)
    if case.limits is OPEN_LIMITS:  # creating runs knows no limits
        yield Figure("run creation", case.name, kind, "tasks/s", creations[1:], None, creations[0])
