"""Whether a second scheduler helps."""

from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

import psutil

from benchmarks.figures import Figure, at_least
from benchmarks.harness import DEFAULT_LIMITS, OPEN_LIMITS, Cost, Limits, Plan, SchedulerProcess, await_runs
from benchmarks.shapes import many
from tradewind.model.dag import Dag

ENOUGH = 1.5
NEVER_SLOWER = 1.0


def two_schedulers(plan: Plan) -> Iterator[Figure]:
    """The time one scheduler process takes for the same work on PostgreSQL, divided by the time two take.

    All runs are made by one commit, which wakes the schedulers; the time is over when the last run has ended. The
    same processes do the work several times, the first time does not count.

    What the cores allow: if one scheduler keeps `s` cores busy and the server `p` cores for it, two could at best be
    `cores / (s + p)` times as fast, and never more than twice. Where that is below 1.5, the target is not to be
    slower.
    """
    if "postgres" not in plan.kinds:
        return
    dags = many(plan.pick(200, 40, 2), plan.pick(50, 10, 3))
    for limits in plan.pick((DEFAULT_LIMITS, OPEN_LIMITS), (DEFAULT_LIMITS,), (DEFAULT_LIMITS,)):
        alone = _costs(plan, limits, dags, 1)
        together = _costs(plan, limits, dags, 2)
        yield _compare(f"{len(dags)} DAGs × {len(dags[0].tasks)}, {limits.name}", alone, together)


def _costs(plan: Plan, limits: Limits, dags: list[Dag], count: int) -> list[Cost]:
    costs = []
    with plan.world("postgres", limits) as world, ExitStack() as stack:
        world.publish(*dags)
        schedulers = [stack.enter_context(SchedulerProcess(world, limits.environ())) for _ in range(count)]
        for _ in range(1 + plan.pick(2, 1, 1)):
            world.trigger(dags)
            costs.append(await_runs(world, schedulers))
    return costs[1:]


def _compare(name: str, alone: list[Cost], together: list[Cost]) -> Figure:
    cores = psutil.cpu_count() or 1
    used_alone = _cores_used(alone)
    allowed = min(2.0, cores / max(sum(used_alone), 1e-9))
    ratios = [one.wall_s / two.wall_s for one, two in zip(alone, together, strict=True)]
    details = {
        "one scheduler s": median(cost.wall_s for cost in alone),
        "two schedulers s": median(cost.wall_s for cost in together),
        "cores used by one": used_alone[0],
        "cores used by its server": used_alone[1],
        "cores used by two": _cores_used(together)[0],
        "cores used by their server": _cores_used(together)[1],
        "cores allow ×": allowed,
    }
    target = at_least(ENOUGH if allowed >= ENOUGH else NEVER_SLOWER)
    return Figure("two_schedulers", name, "postgres", "×", ratios, target, None, details)


def _cores_used(costs: list[Cost]) -> tuple[float, float]:
    """CPU seconds of the schedulers, and of the server, per second."""
    return (
        median(cost.scheduler_cpu_s / cost.wall_s for cost in costs),
        median((cost.server_cpu_s or 0.0) / cost.wall_s for cost in costs),
    )
