"""Whether finished history slows the scheduler down."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from statistics import median
from time import perf_counter

import sqlalchemy as sa

from benchmarks.figures import Figure, at_most
from benchmarks.harness import DEFAULT_LIMITS, Limits, Plan, World
from benchmarks.shapes import many
from tests.databases import DatabaseKind
from tradewind.bootstrap import make_scheduler
from tradewind.executors.instant import InstantExecutor
from tradewind.model.dag import Dag
from tradewind.model.ids import UNMAPPED
from tradewind.model.pool import DEFAULT_POOL
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.scheduler.service import Scheduler
from tradewind.settings import SchedulerSettings
from tradewind.storage.schema import dag_run, task_instance

TARGET = at_most(1.10)
TASKS_PER_RUN = 10
_AT_ONCE = 20_000
_INSTANTS = ("run_after", "ordering_at", "queued_at", "started_at", "finished_at", "updated_at")
_ALWAYS_S = 1e-9

# Every poll and every duty that is done at intervals is done in every pass.
_EVERY_DUTY = SchedulerSettings(
    scheduler_idle_sleep_time=0.0,
    job_heartbeat_sec=_ALWAYS_S,
    orphaned_tasks_check_interval=_ALWAYS_S,
    task_instance_heartbeat_timeout_detection_interval=_ALWAYS_S,
    task_queued_timeout_check_interval=_ALWAYS_S,
    scheduler_health_check_threshold=3600.0,
)


def history(plan: Plan) -> Iterator[Figure]:
    """The time of the same work in a database full of finished runs, divided by that in an empty one.

    100 DAGs × 10 tasks run through in two databases in turn, so that what else the machine does hits both; the history
    is that of the same 100 DAGs. An idle pass with every poll and every periodic duty in it is compared as well.

    The history goes in as SQL. PostgreSQL then gets the VACUUM ANALYZE that its autovacuum would do in time (see
    `World.tidy`); SQLite gets nothing, since nothing does it there.
    """
    runs = plan.pick(100_000, 10_000, 100)
    size = f"{runs * TASKS_PER_RUN:,} old task instances"
    dags = many(plan.pick(100, 30, 2), TASKS_PER_RUN)
    limits = DEFAULT_LIMITS
    for kind in plan.on("sqlite", "postgres"):
        with plan.world(kind, limits) as empty, plan.world(kind, limits) as full:
            for world in (empty, full):
                world.publish(*dags)
            began = perf_counter()
            fill(full, dags, runs)
            filled_s = perf_counter() - began
            yield _compare_work(plan, kind, (empty, full), dags, size, filled_s)
            yield _compare_idle(plan, kind, (empty, full), size)


def _compare_work(
    plan: Plan, kind: DatabaseKind, worlds: tuple[World, World], dags: Sequence[Dag], size: str, filled_s: float
) -> Figure:
    times: dict[World, list[float]] = {world: [] for world in worlds}
    for repetition in range(1 + plan.pick(7, 3, 1)):
        # Whoever goes second finds the disk busier: take turns.
        for world in worlds if repetition % 2 else reversed(worlds):
            world.trigger(dags)
            times[world].append(world.finish(len(dags)).wall_s)
    empty, full = times[worlds[0]][1:], times[worlds[1]][1:]
    details = {
        "empty tasks per s": len(dags) * TASKS_PER_RUN / median(empty),
        "full tasks per s": len(dags) * TASKS_PER_RUN / median(full),
        "filling it s": filled_s,
    }
    ratios = [with_it / without for with_it, without in zip(full, empty, strict=True)]
    return Figure("history", f"{size}: {len(dags)} DAGs × 10", kind, "×", ratios, TARGET, None, details)


def _compare_idle(plan: Plan, kind: DatabaseKind, worlds: tuple[World, World], size: str) -> Figure:
    schedulers = [_idle_scheduler(world) for world in worlds]
    ratios = []
    pass_ms: list[list[float]] = [[], []]
    passes = plan.pick(100, 50, 2)
    for _ in range(plan.repetitions):
        seconds: list[list[float]] = [[], []]
        for _ in range(passes):
            for scheduler, spent in zip(schedulers, seconds, strict=True):
                began = perf_counter()
                scheduler.run_once()
                spent.append(perf_counter() - began)
        ratios.append(median(seconds[1]) / median(seconds[0]))
        for spent, ms in zip(seconds, pass_ms, strict=True):
            ms.append(median(spent) * 1000)
    for scheduler in schedulers:
        scheduler.stop()
    details = {"empty pass ms": median(pass_ms[0]), "full pass ms": median(pass_ms[1])}
    return Figure("history", f"{size}: idle pass, every duty", kind, "×", ratios, TARGET, None, details)


def _idle_scheduler(world: World) -> Scheduler:
    world.stop_scheduler()
    world.settings = Limits("every duty", scheduler=_EVERY_DUTY).applied_to(world.settings)
    world.wiring.settings = world.settings
    scheduler = make_scheduler(world.wiring, [InstantExecutor(world.wiring.clock.now)])
    scheduler.start()
    while scheduler.run_once():
        pass
    return scheduler


def fill(world: World, dags: Sequence[Dag], runs: int) -> None:
    """Put finished runs of these DAGs into the database, each with all its task instances."""
    engine = world.wiring.database.engine
    now = world.wiring.clock.now()
    with world.wiring.database.begin() as tx:
        records = [tx.dags.find(dag.dag_id) for dag in dags]
    versions = [(record.dag_id, record.version_key) for record in records if record is not None]
    for first in range(0, runs, _AT_ONCE):
        rows = []
        for number in range(first, min(runs, first + _AT_ONCE)):
            dag_id, version_key = versions[number % len(versions)]
            at = now - timedelta(minutes=runs - number)
            rows.append(
                {
                    "dag_id": dag_id,
                    "run_id": f"old_{number}",
                    "run_type": RunType.MANUAL.value,
                    "state": RunState.SUCCESS.value,
                    "version_key": version_key,
                    **dict.fromkeys(_INSTANTS, at),
                }
            )
        with engine.begin() as connection:
            connection.execute(sa.insert(dag_run), rows)
    with engine.begin() as connection:
        connection.execute(_old_tasks())
    world.tidy()


def _old_tasks() -> sa.Insert:
    """The task instances of all runs, made by the database itself."""
    run = dag_run.c
    names = sa.union_all(*(sa.select(sa.literal(f"t{i:05}").label("task_id")) for i in range(TASKS_PER_RUN)))
    tasks = names.subquery("names")
    ended = dict.fromkeys(("scheduled_at", "queued_at", "started_at", "finished_at"), run.finished_at)
    values = {
        "run_key": run.run_key,
        "task_id": tasks.c.task_id,
        "map_index": sa.literal(UNMAPPED),
        "dag_id": run.dag_id,
        "state": sa.literal(TaskState.SUCCESS.value),
        "attempt": sa.literal(1),
        "try_number": sa.literal(1),
        "max_tries": sa.literal(0),
        "queue_turn": sa.literal(0),
        "pool": sa.literal(DEFAULT_POOL),
        "pool_slots": sa.literal(1),
        "priority_weight": sa.literal(1),
        "queue": sa.literal("default"),
        "operator": sa.literal("BaseOperator"),
        "requeues": sa.literal(0),
        "reschedules": sa.literal(0),
        **ended,
    }
    chosen = sa.select(*(value.label(name) for name, value in values.items())).select_from(
        dag_run.join(tasks, sa.true())
    )
    # In the order of the key, as years of work would have left them.
    ordered = chosen.order_by(run.run_key, tasks.c.task_id)
    return sa.insert(task_instance).from_select(list(values), ordered)
