"""How soon a change is seen, and what an hour of them leaves behind."""

import time
from collections.abc import Iterator
from statistics import quantiles
from typing import Any, Final

import sqlalchemy as sa
from playwright.sync_api import CDPSession

from benchmarks.figures import Figure, at_most
from benchmarks.harness import Plan
from benchmarks.ui.looking import WATCHING, load
from benchmarks.ui.site import Site
from tradewind.model.ids import UNMAPPED, AttemptKey, RunKey
from tradewind.model.states import TaskState
from tradewind.model.task import Started
from tradewind.operations.report_tasks import report_tasks
from tradewind.operations.structures import Structures
from tradewind.storage.schema import dag_run, task_instance

DAG_ID: Final = "changing"
_MEGABYTE: Final = 1024 * 1024
_PAUSE_S: Final = 0.1
_SEEING: Final = """
window.seen = [];
new MutationObserver((records) => {
    for (const {target} of records) {
        if (target.dataset.state === "running") window.seen.push(performance.timeOrigin + performance.now());
    }
}).observe(document, {subtree: true, attributes: true, attributeFilter: ["data-state"]});
"""
"""When something came to be shown as running."""
_FAST: Final = """
const sources = [];
window.EventSource = class extends EventTarget {
    readyState = 1;
    constructor(url) { super(); this.url = url; sources.push(this); setTimeout(() => this.tell("open")); }
    tell(kind, data) {
        const event = data === undefined ? new Event(kind) : new MessageEvent(kind, {data: JSON.stringify(data)});
        this.dispatchEvent(event);
        this[`on${kind}`]?.(event);
    }
    close() { this.readyState = 2; }
};
const slowly = window.setTimeout;
window.setTimeout = (work, ms, ...rest) => slowly(work, (ms ?? 0) / 50, ...rest);
const asked = window.fetch;
window.answers = 0;
window.fetch = async (...request) => {
    const answer = await asked(...request);
    window.answers += 1;
    return answer;
};
window.batch = async (changes) => {
    const before = window.answers;
    for (const change of changes) for (const source of sources) source.tell("task_instance", change);
    while (window.answers === before) await new Promise((resolve) => slowly(resolve, 1));
    await new Promise(requestAnimationFrame);
};
"""
"""Events come from the benchmark, and what waits for a tenth of a second waits for a fiftieth of it."""


def visible_after(plan: Plan, site: Site) -> Iterator[Figure]:
    """From just before a transaction that starts a task to the change of its cell in the grid."""
    run_key, task_ids = _newest_run(site)
    structures = Structures()
    times = []
    with site.page(WATCHING + _SEEING) as page:
        load(page, f"/dags/{DAG_ID}", "table [data-state]")
        for number, task_id in enumerate(task_ids[: plan.pick(21, 11, 2)]):
            # The first one is not counted: whoever writes looks once a second whether somebody watches.
            time.sleep(2.0 if number == 0 else 0.3)
            page.evaluate("() => { window.seen = []; }")
            started = Started(AttemptKey(run_key, task_id, UNMAPPED, 1), site.world.wiring.clock.now())
            began = time.time()
            with site.world.wiring.database.begin() as tx:
                report_tasks(tx, [started], started.at, structures)
            seen = page.wait_for_function("() => window.seen[0]").json_value()
            times.append(float(seen) - began * 1000)
    tail = {"p95 ms": quantiles(times[1:], n=20)[18]} if len(times) > 2 else {}
    name = "a task starts: seen in the grid after"
    yield Figure("ui", name, site.world.kind, "ms", times[1:], at_most(300), times[0], tail)


def heap(plan: Plan, site: Site) -> Iterator[Figure]:
    """What a page holds after as many changes as an hour has seconds, over what it held after a fifth of them: until
    then the browser still compiles what it runs often.

    Each time some tasks of the newest run have another state, and the page is told of it: it loads the grid anew.
    """
    batches = plan.pick(3_600, 400, 10)
    run_key, task_ids = _newest_run(site)
    held = []
    with site.page(WATCHING + _FAST) as page:
        load(page, f"/dags/{DAG_ID}", "table [data-state]")
        debugger = page.context.new_cdp_session(page)
        debugger.send("HeapProfiler.enable")
        for number in range(1, batches + 1):
            changed = task_ids[number % 10 :: 10]
            _turn(site, run_key, changed, (TaskState.RUNNING, TaskState.SUCCESS)[number // 10 % 2])
            told = [{"kind": "task_instance", "dag_id": DAG_ID, "task_id": task_id} for task_id in changed]
            page.evaluate("(changes) => window.batch(changes)", told)
            if number in (batches // 5, batches):
                held.append(_held(debugger))
    early, late = held
    details = {
        "MB early": early["MB"],
        "MB late": late["MB"],
        "nodes early": early["nodes"],
        "nodes late": late["nodes"],
    }
    ratio = [late["MB"] / early["MB"]]
    yield Figure("ui", f"heap after {batches:,} changes", site.world.kind, "×", ratio, at_most(1.1), None, details)


def _held(debugger: CDPSession) -> dict[str, float]:
    """The least of some looks: at any moment, the page may be in the middle of a change."""
    looks = []
    for _ in range(5):
        time.sleep(_PAUSE_S)
        debugger.send("HeapProfiler.collectGarbage")
        nodes = debugger.send("Memory.getDOMCounters")["nodes"]
        looks.append((debugger.send("Runtime.getHeapUsage")["usedSize"] / _MEGABYTE, nodes))
    megabytes, nodes = min(looks)
    return {"MB": megabytes, "nodes": nodes}


def _turn(site: Site, run_key: RunKey, task_ids: list[str], state: TaskState) -> None:
    here = sa.and_(task_instance.c.run_key == run_key, task_instance.c.task_id.in_(task_ids))
    with site.world.wiring.database.engine.begin() as connection:
        connection.execute(sa.update(task_instance).where(here).values(state=state.value))


def _newest_run(site: Site) -> tuple[RunKey, list[str]]:
    newest = sa.select(sa.func.max(dag_run.c.run_key)).where(dag_run.c.dag_id == DAG_ID)
    with site.world.wiring.database.engine.connect() as connection:
        key: Any = connection.execute(newest).scalar_one()
        tasks = sa.select(task_instance.c.task_id).where(task_instance.c.run_key == key)
        return RunKey(key), sorted(connection.execute(tasks).scalars())
