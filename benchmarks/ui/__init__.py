"""How quick the pages are, in a browser."""

import sys
from collections.abc import Iterator

from benchmarks.figures import Figure, at_least, at_most
from benchmarks.harness import Plan
from benchmarks.ui.changes import heap, visible_after
from benchmarks.ui.data import fill, grouped
from benchmarks.ui.looking import WATCHING, Loaded, load, scroll
from benchmarks.ui.site import CHROMIUM, Site, standing
from tradewind.model.states import TaskState

_CELL = "table [data-state]"
_SCROLLER = "div:has(> table)"


def ui(plan: Plan) -> Iterator[Figure]:
    """Chromium without a screen, and `tradewind api-server` with a database on SQLite.

    A page is there when it has its title, nothing that is still loading, and what was waited for; then comes one more
    frame. The first load is that of a browser that was never here; the others have its files. Frames are counted while
    a script scrolls, painted by the processor: a machine with a graphics card is quicker.
    """
    if CHROMIUM is None:
        print("left out: there is no Chromium", file=sys.stderr)
        return
    tasks, runs = plan.pick((500, 100), (200, 30), (30, 3))
    many = plan.pick(5_000, 1_000, 60)
    for kind in plan.on("sqlite"):
        with plan.world(kind) as world:
            fill(world, grouped("busy", tasks), runs)
            fill(world, grouped("large", many), plan.pick(10, 5, 2))
            fill(world, grouped("changing", 50), plan.pick(30, 10, 3), newest=TaskState.QUEUED)
            with standing(world) as site:
                yield from _first_load(plan, site)
                yield from _grid(plan, site, tasks, runs)
                yield from _large(plan, site, many)
                yield from visible_after(plan, site)
                yield from heap(plan, site)


def _first_load(plan: Plan, site: Site) -> Iterator[Figure]:
    loads = []
    for _ in range(plan.repetitions + 1):
        with site.page(WATCHING) as page:
            loads.append(load(page, "/"))
    cold, *warm = loads
    times = [each.ms for each in warm]
    yield Figure("ui", "first load of the overview", site.world.kind, "ms", times, at_most(1_000), cold.ms)
    size = [cold.script_bytes / 1_000]
    yield Figure("ui", "scripts of the first load, compressed", site.world.kind, "kB", size, at_most(400))


def _grid(plan: Plan, site: Site, tasks: int, runs: int) -> Iterator[Figure]:
    name = f"grid of {tasks} tasks × {runs} runs"
    with site.page(WATCHING) as page:
        cold, *warm = (load(page, f"/dags/busy?num={runs}", _CELL) for _ in range(plan.repetitions + 1))
        rate, slow_ms = scroll(page, _SCROLLER, plan.pick(300, 100, 10))
    kind = site.world.kind
    times = [each.ms for each in warm]
    yield Figure("ui", f"{name}: can be used after", kind, "ms", times, at_most(500), cold.ms, _slowest(warm))
    details = {"p95 of a frame ms": slow_ms}
    yield Figure("ui", f"{name}: scrolling", kind, "frames/s", [rate], at_least(50), None, details)


def _large(plan: Plan, site: Site, tasks: int) -> Iterator[Figure]:
    kind, name = site.world.kind, f"DAG of {tasks:,} tasks"
    with site.page(WATCHING) as page:
        grids = [load(page, "/dags/large", _CELL) for _ in range(plan.repetitions)]
        rate, _ = scroll(page, _SCROLLER, plan.pick(300, 100, 10))
    with site.page(WATCHING) as page:
        graphs = [load(page, "/dags/large/graph", ".react-flow__node") for _ in range(plan.repetitions)]
    times = [each.ms for each in grids]
    yield Figure("ui", f"{name}: its grid", kind, "ms", times, None, None, {"frames/s": rate})
    yield Figure("ui", f"{name}: its graph", kind, "ms", [each.ms for each in graphs])
    slowest = [max(each.requests[0][1] for each in (*grids, *graphs))]
    details = _slowest([*grids, *graphs])
    yield Figure("ui", f"{name}: slowest request", kind, "ms", slowest, at_most(500), None, details)


def _slowest(loads: list[Loaded]) -> dict[str, float]:
    """The worst time of each request, the three worst of them."""
    worst: dict[str, float] = {}
    for path, ms in (each for one in loads for each in one.requests):
        worst[f"{path} ms"] = max(ms, worst.get(f"{path} ms", 0.0))
    return dict(sorted(worst.items(), key=lambda each: -each[1])[:3])
