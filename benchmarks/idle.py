"""What a scheduler costs that has nothing to do."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

import psutil

from benchmarks.figures import Figure, at_most
from benchmarks.harness import Plan, SchedulerProcess, cpu_s
from benchmarks.shapes import many
from tests.databases import DatabaseKind
from tradewind.model.timetable import CronTrigger

MEGABYTE = 1_000_000
_FAR = datetime(2999, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class _Sleeper:
    kind: DatabaseKind
    process: psutil.Process
    cpu_s: float


def idle(plan: Plan) -> Iterator[Figure]:
    """A scheduler process with its real loop and wake-up signals, 1,000 scheduled DAGs, none of them due for long.

    Its start, in which it looks for what other schedulers left behind, is over before the measurement begins. The
    databases are measured at the same time: sleeping processes do not disturb each other. CPU is the scheduler's own;
    memory is what it holds resident, shared libraries included, at the end.
    """
    count = plan.pick(1_000, 200, 3)
    settle_s, window_s = plan.pick((3.0, 30.0), (2.0, 4.0), (0.2, 0.3))
    dags = many(count, 3, timetable=CronTrigger("0 0 * * *"), start_at=_FAR)
    with ExitStack() as stack:
        sleepers = []
        for kind in plan.kinds:
            world = stack.enter_context(plan.world(kind))
            world.publish(*dags)
            child = stack.enter_context(SchedulerProcess(world))
            sleepers.append(_Sleeper(kind, child.process, 0.0))
        time.sleep(settle_s)
        for sleeper in sleepers:
            sleeper.cpu_s = cpu_s(sleeper.process)
        time.sleep(window_s)
        for sleeper in sleepers:
            spent_s = cpu_s(sleeper.process) - sleeper.cpu_s
            memory = sleeper.process.memory_full_info()
            name = f"{count:,} DAGs, nothing due, {window_s:g} s"
            share = 100 * spent_s / window_s
            yield Figure("idle", f"{name}: CPU", sleeper.kind, "% of a core", [share], at_most(1.0))
            details = {"unshared MB": memory.uss / MEGABYTE}
            used = [memory.rss / MEGABYTE]
            yield Figure("idle", f"{name}: memory", sleeper.kind, "MB", used, at_most(100.0), None, details)
