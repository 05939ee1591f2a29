"""Whether a scheduler grows with the runs it has seen."""

from collections.abc import Iterator

from benchmarks.figures import Figure, at_most
from benchmarks.harness import Plan, SchedulerProcess, await_runs
from benchmarks.idle import MEGABYTE
from benchmarks.shapes import chain

TARGET = at_most(1.05)
_BATCH = 100


def memory(plan: Plan) -> Iterator[Figure]:
    """Resident memory of a scheduler process after 1,000 runs of a 20-task DAG, divided by that after 100 runs.

    The process does nothing but schedule and keeps its memory to itself. SQLite, whose page cache is in the same
    process and counts as well.
    """
    few, many_runs = plan.pick((100, 1_000), (50, 200), (2, 4))
    dag = chain("chain", 20)
    for kind in plan.on("sqlite"):
        with plan.world(kind) as world:
            world.publish(dag)
            with SchedulerProcess(world) as scheduler:
                resident: list[float] = []
                unshared: list[float] = []
                for goal, done in ((few, 0), (many_runs, few)):
                    for first in range(done, goal, _BATCH):
                        world.trigger([dag], min(_BATCH, goal - first))
                        await_runs(world, [scheduler])
                    info = scheduler.process.memory_full_info()
                    resident.append(info.rss / MEGABYTE)
                    unshared.append(info.uss / MEGABYTE)
        details = {
            f"after {few} runs MB": resident[0],
            f"after {many_runs} runs MB": resident[1],
            f"unshared after {few} runs MB": unshared[0],
            f"unshared after {many_runs} runs MB": unshared[1],
        }
        ratio = [resident[1] / resident[0]]
        yield Figure("memory", f"{many_runs:,} vs {few} runs × 20 tasks", kind, "×", ratio, TARGET, None, details)
