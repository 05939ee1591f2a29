"""Many schedules that are due in the same minute."""

from collections.abc import Iterator
from datetime import UTC, datetime

from benchmarks.figures import Figure, at_most
from benchmarks.harness import Cost, Meter, Plan, World
from tradewind.executors.instant import InstantExecutor
from tradewind.model.dag import Dag, Task
from tradewind.model.dag_json import encode_dag, structure_hash
from tradewind.model.timetable import CronTrigger
from tradewind.operations.publish_dag import Publication, lock_dags, publish_dags
from tradewind.scheduler.create_runs import create_runs
from tradewind.scheduler.service import Scheduler
from tradewind.settings import SchedulerSettings
from tradewind.testing.clock import FakeClock

TARGET = at_most(2.0)
IDLE_TARGET = at_most(1.5)
_START = datetime(2026, 1, 1, tzinfo=UTC)
_PUBLISHED_AT_ONCE = 500


def schedules(plan: Plan) -> Iterator[Figure]:
    """From the minute in which all DAGs are due to the commit of the last run; and a look for due runs while none is.

    Each DAG has a cron expression of every minute and one task. Minutes pass by a clock that is set; each is measured,
    with 100 runs to a transaction (`max_dagruns_to_create_per_loop`; Airflow's default is 10). Its commits wait for the
    disk as little as those of the product's scheduler do.
    """
    count = plan.pick(10_000, 1_000, 20)
    for kind in plan.on("sqlite", "postgres"):
        with plan.world(kind, waits_for_disk=False) as many, plan.world(kind, waits_for_disk=False) as few:
            clock = FakeClock(_START)
            schedulers = [_scheduler(world, clock, number) for world, number in ((many, count), (few, 5))]
            yield _minutes(plan, many, schedulers[0], clock, count)
            yield _idle(plan, [many, few], schedulers, count)
            for scheduler in schedulers:
                scheduler.stop()


def _scheduler(world: World, clock: FakeClock, count: int) -> Scheduler:
    dags = [Dag(f"dag_{number:05}", (Task("a"),), timetable=CronTrigger("* * * * *"), start_at=_START, catchup=True)
            for number in range(count)]  # fmt: skip
    for first in range(0, count, _PUBLISHED_AT_ONCE):
        with world.wiring.database.begin() as tx:
            chosen = [_publication(dag) for dag in dags[first : first + _PUBLISHED_AT_ONCE]]
            records = lock_dags(tx, chosen, (), clock.now(), is_paused_by_default=False)
            publish_dags(tx, chosen, records, clock.now())
    settings = SchedulerSettings(max_dagruns_to_create_per_loop=100)
    made = Scheduler(world.wiring.database, [InstantExecutor(clock.now)], clock, settings=settings, is_alone=True)
    made.start()
    return made


def _publication(dag: Dag) -> Publication:
    data = encode_dag(dag)
    return Publication(dag, data, structure_hash(data))


def _minutes(plan: Plan, world: World, scheduler: Scheduler, clock: FakeClock, count: int) -> Figure:
    costs = []
    for _ in range(1 + plan.repetitions):
        meter = Meter(world)
        made = 0
        while done := create_runs(scheduler.state):
            made += done
        costs.append(meter.read())
        if made != count:
            raise RuntimeError(f"{made} runs were made where {count} were due")
        clock.advance(60.0)
        # The index of what is due keeps an entry for each run of each minute, and a look goes over them, until
        # PostgreSQL's autovacuum comes. It does so once a minute; these minutes are over in seconds.
        world.tidy()
    name = f"{count:,} cron schedules due in one minute"
    seconds, last = [cost.wall_s for cost in costs], costs[-1]
    details = {"runs per s": count / last.wall_s, "CPU s": last.cpu_s, "of that the server's": last.server_cpu_s or 0.0}
    return Figure("schedules", name, world.kind, "s", seconds[1:], TARGET, seconds[0], details)


def _idle(plan: Plan, worlds: list[World], schedulers: list[Scheduler], count: int) -> Figure:
    """Polls while nothing is due: what they cost scheduler and server in CPU time. How long one takes says more about
    which core the server's process happens to be on.

    They follow the creation of all runs of a minute at once, without a vacuum between: entries of that minute are still
    in the index, and each poll goes over them.
    """
    for scheduler in schedulers:
        while create_runs(scheduler.state):
            pass
    passes = plan.pick(2_000, 500, 2)
    many, few = (_polls(world, scheduler, passes) for world, scheduler in zip(worlds, schedulers, strict=True))
    name = f"looking for due runs: {count:,} DAGs over 5"
    details = {
        "CPU ms": 1000 * many.cpu_s / passes,
        "CPU ms with 5 DAGs": 1000 * few.cpu_s / passes,
        "wall ms": 1000 * many.wall_s / passes,
        "wall ms with 5 DAGs": 1000 * few.wall_s / passes,
    }
    return Figure("schedules", name, worlds[0].kind, "×", [many.cpu_s / few.cpu_s], IDLE_TARGET, None, details)


def _polls(world: World, scheduler: Scheduler, passes: int) -> Cost:
    meter = Meter(world)
    for _ in range(passes):
        create_runs(scheduler.state)
    return meter.read()
