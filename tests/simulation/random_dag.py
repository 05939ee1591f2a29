"""Random DAGs that `check_dag` accepts: all trigger rules, mapping, groups, setups and teardowns, limits, pools."""

from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from tradewind.model.dag import Dag, Retry, Task, TaskGroup
from tradewind.model.dag_check import InvalidDag, check_dag
from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip
from tradewind.model.pool import DEFAULT_POOL
from tradewind.model.states import TaskRole, TriggerRule, WeightRule
from tradewind.model.timetable import (
    CronDataInterval,
    CronTrigger,
    Delta,
    DeltaDataInterval,
    DeltaTrigger,
    Never,
    Once,
    Timetable,
)

_RULES = tuple(TriggerRule)
_FAIL_FAST_RULES = (TriggerRule.ALL_SUCCESS, TriggerRule.ALL_DONE_SETUP_SUCCESS)


def random_dag(rng: Random, dag_id: str, epoch: datetime, pools: tuple[str, ...], *, is_calm: bool) -> Dag:
    """One DAG. A calm one has nothing in it whose result depends on when things happen."""
    while True:
        dag = _settings(rng, _shape(rng, dag_id, pools), epoch, is_calm=is_calm)
        try:
            check_dag(dag)
        except InvalidDag:
            continue
        return dag


def _shape(rng: Random, dag_id: str, pools: tuple[str, ...]) -> Dag:
    fail_fast = rng.random() < 0.1
    tasks: list[Task] = []
    for number in range(rng.choice((1, 2, 3, 3, 4, 4, 5, 6, 8))):
        names = [task.task_id for task in tasks]
        upstream = tuple(sorted(rng.sample(names, min(len(names), rng.choice((0, 1, 1, 1, 2, 2, 3))))))
        tasks.append(_task(rng, f"t{number}", upstream, pools, fail_fast=fail_fast))
    groups: tuple[TaskGroup, ...] = ()
    if len(tasks) > 2 and rng.random() < 0.25:
        tasks, groups = _grouped(rng, tasks)
    if len(tasks) > 1 and rng.random() < 0.25:
        tasks = _surrounded(rng, tasks)
    return Dag(dag_id, tuple(_mapped(rng, tasks, groups)), groups, fail_fast=fail_fast)


def _task(rng: Random, task_id: str, upstream: tuple[str, ...], pools: tuple[str, ...], *, fail_fast: bool) -> Task:
    rule = TriggerRule.ALL_SUCCESS
    if rng.random() < 0.45:
        rule = rng.choice(_FAIL_FAST_RULES if fail_fast else _RULES)
    retry = Retry(0)
    if rng.random() < 0.35:
        retry = Retry(
            rng.randint(1, 2), rng.choice((0.0, 1.0, 5.0)), rng.choice((0.0, 0.0, 2.0)), rng.choice((None, 8.0))
        )
    past = rng.random() < 0.08
    return Task(
        task_id,
        upstream=upstream,
        trigger_rule=rule,
        is_empty=rng.random() < 0.1,
        retry=retry,
        depends_on_past=past,
        ignore_first_depends_on_past=rng.random() < 0.7,
        wait_for_downstream=past and rng.random() < 0.4,
        wait_for_past_depends_before_skipping=past and rng.random() < 0.4,
        pool=rng.choice((DEFAULT_POOL, *pools)),
        pool_slots=rng.choice((1, 1, 1, 1, 2)),
        priority_weight=rng.choice((1, 1, 1, 2, 5, 10)),
        weight_rule=rng.choice(tuple(WeightRule)),
        executor=rng.choice((None, None, None, "second")),
        max_active_per_dag=rng.choice((1, 2)) if rng.random() < 0.1 else None,
        max_active_per_run=rng.choice((1, 2)) if rng.random() < 0.1 else None,
    )


def _grouped(rng: Random, tasks: list[Task]) -> tuple[list[Task], tuple[TaskGroup, ...]]:
    """Some neighbours become a group, mapped more often than not; sometimes with a plain group inside."""
    first = rng.randrange(len(tasks) - 1)
    end = min(len(tasks), first + rng.randint(2, 3))
    groups = [TaskGroup("g")]
    before = [task.task_id for task in tasks[:first]]
    if rng.random() < 0.75:
        length = _length(rng, before)
        groups[0] = replace(groups[0], mapping=length)
        sources = {source for source in before if _uses(length, source)}
        tasks = [
            replace(task, upstream=tuple(sorted({*task.upstream, *sources}))) if first <= number < end else task
            for number, task in enumerate(tasks)
        ]
    if rng.random() < 0.3:
        groups.append(TaskGroup("inner", "g"))
    tasks = [
        replace(task, group_id=rng.choice(groups).group_id) if first <= number < end else task
        for number, task in enumerate(tasks)
    ]
    return tasks, tuple(groups)


def _surrounded(rng: Random, tasks: list[Task]) -> list[Task]:
    """A setup before some tasks and a teardown behind them."""
    number = rng.randrange(len(tasks))
    setup = Task("setup", role=TaskRole.SETUP, pool=tasks[0].pool, retry=tasks[0].retry)
    chosen = tasks[number]
    chosen = replace(chosen, upstream=tuple(sorted({*chosen.upstream, "setup"})), trigger_rule=TriggerRule.ALL_SUCCESS)
    last = rng.choice(tasks[number:]).task_id
    teardown = Task(
        "teardown",
        role=TaskRole.TEARDOWN,
        upstream=tuple(sorted({"setup", chosen.task_id, last})),
        trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS,
        fails_run=rng.random() < 0.4,
        pool=tasks[0].pool,
    )
    return [setup, *tasks[:number], chosen, *tasks[number + 1 :], *([teardown] if rng.random() < 0.8 else [])]


def _mapped(rng: Random, tasks: list[Task], groups: tuple[TaskGroup, ...]) -> list[Task]:
    is_group_mapped = any(group.mapping is not None for group in groups)
    result = []
    for task in tasks:
        may_map = task.role is TaskRole.WORK and not (task.group_id is not None and is_group_mapped)
        if may_map and rng.random() < 0.25:
            task = replace(task, mapping=_length(rng, list(task.upstream)))
        result.append(task)
    return result


def _length(rng: Random, sources: list[str], depth: int = 0) -> MapLength:
    kind = rng.random()
    if sources and kind < 0.5:
        return OutputLength(rng.choice(sources))
    if kind < 0.75 or depth:
        return FixedLength(rng.choice((0, 1, 2, 2, 3)))
    parts = tuple(_length(rng, sources, depth + 1) for _ in range(2))
    shape = rng.choice(("product", "zip", "longest", "concat"))
    if shape == "product":
        return Product(parts)
    return Concat(parts) if shape == "concat" else Zip(parts, longest=shape == "longest")


def _uses(length: MapLength, source: str) -> bool:
    match length:
        case FixedLength():
            return False
        case OutputLength(task_id=task_id):
            return task_id == source
        case Product(parts=parts) | Zip(parts=parts) | Concat(parts=parts):
            return any(_uses(part, source) for part in parts)


def _settings(rng: Random, dag: Dag, epoch: datetime, *, is_calm: bool) -> Dag:
    timetable: Timetable = Never()
    start_at = end_at = None
    catchup = False
    if rng.random() < 0.3:
        step_s = rng.choice((15, 40))
        timetable = _timetable(rng, step_s)
        start_at = epoch + timedelta(seconds=rng.choice((0, 5, -60)))
        end_at = epoch + timedelta(seconds=rng.choice((60, 130)))
        catchup = is_calm or rng.random() < 0.7
    return replace(
        dag,
        timetable=timetable,
        start_at=start_at,
        end_at=end_at,
        catchup=catchup,
        max_active_tasks=rng.choice((16, 16, 3, 2, 1)),
        max_active_runs=rng.choice((16, 2, 1)),
        max_consecutive_failed_runs=0 if is_calm else rng.choice((0, 0, 0, 0, 0, 2)),
        run_timeout_s=None if is_calm or rng.random() > 0.1 else rng.choice((8.0, 20.0, 50.0)),
        fail_fast=dag.fail_fast and not is_calm,
    )


def _timetable(rng: Random, step_s: int) -> Timetable:
    step = Delta(seconds=step_s)
    cron = ("* * * * *", rng.choice(("UTC", "Europe/Berlin", "America/New_York")))
    return rng.choice(
        (DeltaTrigger(step), DeltaDataInterval(step), CronTrigger(*cron), CronDataInterval(*cron), Once())
    )
