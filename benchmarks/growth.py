"""Whether a finished task costs more in a large DAG than in a small one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from benchmarks.figures import Figure, at_most
from benchmarks.harness import DEFAULT_LIMITS, Cost, Limits, Plan, World
from benchmarks.hop import WatchedExecutor
from benchmarks.shapes import chain, chains, wide
from tests.databases import DatabaseKind
from tradewind.model.dag import Dag
from tradewind.settings import CoreSettings

TARGET = at_most(2.0)
ONE_BY_ONE = replace(DEFAULT_LIMITS, name="one at a time", core=CoreSettings(parallelism=1))


@dataclass(frozen=True, slots=True)
class Pair:
    """The same tasks and edges, once in one large DAG and once in many runs of a small one."""

    shape: str
    large: Dag
    small: Dag
    small_runs: int
    limits: Limits = DEFAULT_LIMITS


def growth(plan: Plan) -> Iterator[Figure]:
    """The cost of one task in a 10,000-task DAG, divided by its cost in a 20-task DAG.

    Both sides finish the same number of tasks with the same edges between them, under the same limits, so a pass
    handles equally many tasks on either side, and only the size of the DAG differs: one DAG of 10,000 independent
    tasks against 500 runs of 20 independent tasks; one DAG of 500 chains of 20 against 500 runs of one such chain.
    Loading the large run for the first time, and starting and ending the 500 small ones, is part of what is measured.

    Where many tasks share a pass, what a pass costs by itself is spread over them. So there is a third comparison, in
    which parallelism is 1: every finished task has its passes to itself, and only some hundreds are finished.

    Two databases are used in turn, after a little work to warm up. Wall time and CPU time are compared; the latter
    includes the server's where it is known.
    """
    for kind in plan.on("sqlite", "postgres"):
        for pair in _pairs(plan):
            yield from _compare(plan, kind, pair)


def _pairs(plan: Plan) -> Iterator[Pair]:
    runs = plan.pick(500, 50, 3)
    size = f"{runs * 20:,} vs 20 tasks"
    active = DEFAULT_LIMITS.core.parallelism
    large = chains("large", runs, 20, max_active_tasks=active)
    small = chain("small", 20, max_active_tasks=active)
    yield Pair(f"{size}, chains, one at a time", large, small, runs, ONE_BY_ONE)
    if plan.pick(True, False, True):
        yield Pair(f"{size}, chains, {DEFAULT_LIMITS.name}", large, small, runs)
    wide_large = wide("large", runs * 20, max_active_tasks=active)
    wide_small = wide("small", 20, max_active_tasks=active)
    yield Pair(f"{size}, independent, {DEFAULT_LIMITS.name}", wide_large, wide_small, runs)


Repeat = Callable[[], tuple[Cost, int]]
"""Does some work; returns its cost and how many tasks it finished."""


def _compare(plan: Plan, kind: DatabaseKind, pair: Pair) -> Iterator[Figure]:
    is_alone = pair.limits is ONE_BY_ONE
    prepare = _some_tasks if is_alone else _all_tasks
    wall, cpu = [], []
    details: dict[str, float] = {}
    with plan.world(kind, pair.limits) as first, plan.world(kind, pair.limits) as second:
        for world in (first, second):
            world.publish(warm_up := chain("warm_up", plan.pick(50, 20, 1)))
            world.trigger([warm_up])
            world.finish(1)
        run_large = prepare(plan, first, pair.large, 1)
        run_small = prepare(plan, second, pair.small, pair.small_runs)
        for _ in range(plan.repetitions if is_alone else 1):
            large, large_tasks = run_large()
            small, small_tasks = run_small()
            wall.append((large.wall_s / large_tasks) / (small.wall_s / small_tasks))
            cpu.append((large.cpu_s / large_tasks) / (small.cpu_s / small_tasks))
            details = {
                "large wall ms per task": large.wall_s * 1000 / large_tasks,
                "small wall ms per task": small.wall_s * 1000 / small_tasks,
                "large CPU ms per task": large.cpu_s * 1000 / large_tasks,
                "small CPU ms per task": small.cpu_s * 1000 / small_tasks,
            }
    yield Figure("growth", f"{pair.shape}: wall", kind, "×", wall, TARGET, None, details)
    yield Figure("growth", f"{pair.shape}: CPU", kind, "×", cpu, TARGET, None, details)


def _all_tasks(_plan: Plan, world: World, dag: Dag, runs: int) -> Repeat:
    world.publish(dag)

    def repeat() -> tuple[Cost, int]:
        world.trigger([dag], runs)
        return world.finish(runs), runs * len(dag.tasks)

    return repeat


def _some_tasks(plan: Plan, world: World, dag: Dag, runs: int) -> Repeat:
    """Each time some hundreds of the tasks, after the passes that load the runs."""
    settle, count = plan.pick((40, 300), (30, 100), (2, 5))
    needed = settle + (1 + plan.repetitions) * count
    world.publish(dag)
    world.trigger([dag], min(runs, 1 + needed // len(dag.tasks)))
    executor = WatchedExecutor(world)
    world.start_scheduler(executor)
    world.work_until(lambda: len(executor.submitted_at) >= settle)

    def repeat() -> tuple[Cost, int]:
        goal = len(executor.submitted_at) + count
        return world.work_until(lambda: len(executor.submitted_at) >= goal), count

    return repeat
