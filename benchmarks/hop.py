"""How long a chain stands still between two of its tasks."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import quantiles
from time import perf_counter

from benchmarks.figures import Figure
from benchmarks.harness import Plan, World
from benchmarks.shapes import chain
from tradewind.executors.instant import InstantExecutor
from tradewind.model.task import WorkItem


class WatchedExecutor(InstantExecutor):
    """Notes when each attempt was handed to it."""

    def __init__(self, world: World) -> None:
        super().__init__(world.wiring.clock.now)
        self.submitted_at: list[float] = []

    def submit(self, work: Sequence[WorkItem]) -> None:
        """See `Executor.submit`."""
        at = perf_counter()
        self.submitted_at.extend(at for _ in work)
        super().submit(work)


def hop(plan: Plan) -> Iterator[Figure]:
    """From a task's report that it ended until the next task of the chain is handed to the executor.

    The executor reports the end as soon as it has a task, so that is the time between two hand-overs: the report is
    committed, the run advanced, the next task admitted. Nothing else goes on.
    """
    for kind in plan.on("sqlite", "postgres"):
        length = plan.pick(300, 150, 10)
        dag = chain("chain", length)
        medians, tails, cold = [], [], None
        with plan.world(kind) as world:
            world.publish(dag)
            for _ in range(1 + plan.repetitions):
                executor = WatchedExecutor(world)
                world.start_scheduler(executor)
                world.trigger([dag])
                world.finish(1)
                hops_ms = [(later - earlier) * 1000 for earlier, later in pairwise(executor.submitted_at)]
                percentiles = quantiles(hops_ms, n=20)
                medians.append(percentiles[9])
                tails.append(percentiles[18])
        cold = medians[0]
        yield Figure("hop", f"chain of {length}: p50", kind, "ms", medians[1:], None, cold)
        yield Figure("hop", f"chain of {length}: p95", kind, "ms", tails[1:], None, tails[0])
