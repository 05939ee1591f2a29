"""The invariants of the end: nothing is stuck, nothing is missing, and every state follows from the rules."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

from tests.simulation import assets, backfills
from tests.simulation.mirror import RunRow, TaskRow
from tests.simulation.reference import FAIL, RUN, SKIP, WAIT, Reference
from tests.simulation.truth import name_of
from tests.simulation.watch import OVERDUE
from tests.simulation.world import World
from tradewind.model.dag import Dag
from tradewind.model.states import FINISHED_STATES, OCCUPYING_STATES, RunState, TaskState
from tradewind.model.timetable import Never, Once

_PASSED = (TaskState.SUCCESS, TaskState.SKIPPED)
_ENDED_BY_RULE = {TaskState.SKIPPED: SKIP, TaskState.UPSTREAM_FAILED: FAIL}
_QUIET_S = 100.0
_AT_WORK = OCCUPYING_STATES | {TaskState.DEFERRED, TaskState.AWAITING_INPUT}
_UNDECIDED = (TaskState.NONE, TaskState.UP_FOR_RETRY, TaskState.UP_FOR_RESCHEDULE)


def is_settled(world: World, quiet_since_s: float) -> bool:
    """Whether nothing more will happen: all ended, or what is left has not moved for longer than any duty takes."""
    if world.truth.is_any_executing():
        return False
    next_run_s = _next_run_s(world)
    is_any_open = world.mirror.open_runs or backfills.is_any_open(world.database.raw) or world.waiting.is_any_left()
    if not is_any_open and next_run_s is None:
        return True
    if next_run_s is not None and next_run_s > world.kernel.now_s - _QUIET_S:
        return False
    if world.kernel.now_s - max(world.watch.changed_at_s, quiet_since_s) < _QUIET_S:
        return False
    return not any(
        row.state in _AT_WORK or row.wake_at is not None
        for key in world.mirror.open_runs
        for row in world.mirror.runs[key].tasks.values()
    )


def _next_run_s(world: World) -> float | None:
    """When a timetable wants its next run."""
    query = "SELECT min(next_run_after) FROM dag WHERE next_run_after IS NOT NULL AND NOT is_paused"
    (found,) = world.database.raw.execute(query).fetchone()
    if found is None:
        return None
    return (datetime.fromisoformat(found).replace(tzinfo=UTC) - world.scenario.epoch).total_seconds()


def end_violations(world: World, *, is_settled: bool) -> Iterator[str]:
    """All that is wrong at the end."""
    for run_key in world.mirror.open_runs:
        yield from _open_run_violations(world, world.mirror.runs[run_key], is_settled=is_settled)
    yield from world.waiting.end_violations()
    yield from backfills.end_violations(world.database.raw, world.watch.paused_dags())
    yield from assets.end_violations(world)
    for run in world.mirror.runs.values():
        if not run.is_touched and run.state is not RunState.QUEUED:
            yield from _rule_violations(world.watch.dags[run.version_key], run)
    for dag in world.scenario.dags:
        if dag.catchup and not isinstance(dag.timetable, Never | Once) and dag.dag_id not in world.watch.paused_dags():
            yield from _timetable_violations(world, dag)


def is_ambiguous(world: World) -> bool:
    """Whether the rules allow more than one result, depending on what ended first."""
    for run in world.mirror.runs.values():
        reference = Reference(world.watch.dags[run.version_key], run)
        if any(len(reference.allowed(row) - {WAIT}) > 1 for row in run.tasks.values()):
            return True
    return False


def _open_run_violations(world: World, run: RunRow, *, is_settled: bool) -> Iterator[str]:
    dag = world.watch.dags[run.version_key]
    if not is_settled:
        stuck = [row for row in run.tasks.values() if row.state not in FINISHED_STATES]
        what = ", ".join(f"{name_of(row.key)} {row.state} {row.held_by or ''}" for row in stuck[:4])
        yield f"r{run.key} is still {run.state} long after all faults stopped: {what}"
    elif run.dag_id in world.watch.paused_dags():
        return
    elif run.state is RunState.QUEUED:
        places = backfills.places_left(world.database.raw, run.key)
        if places is None:
            places = dag.max_active_runs - backfills.running_outside(world.database.raw, run.dag_id)
        if places > 0:
            yield f"r{run.key} is stuck in queued: there is place for {places} more runs"
    else:
        yield from _waiting_violations(world, dag, run)


def _waiting_violations(world: World, dag: Dag, run: RunRow) -> Iterator[str]:
    """A run that does not end must have a task that waits for the run before, and others only behind it."""
    reference = Reference(dag, run)
    tasks = {task.task_id: task for task in dag.tasks}
    before = _run_before(world, dag, run)
    is_blocked = False
    for row in run.tasks.values():
        if row.state in FINISHED_STATES:
            continue
        allowed = reference.allowed(row)
        task = tasks[row.key.task_id]
        reads_past = task.depends_on_past or task.wait_for_downstream
        if row.state not in _UNDECIDED:
            yield f"{name_of(row.key)} is stuck in {row.state} ({row.held_by})"
        elif reads_past and allowed & {RUN, SKIP} and _is_blocked_by(dag, row, before):
            is_blocked = True
        elif WAIT not in allowed:
            yield f"{name_of(row.key)} is undecided, but could {' or '.join(sorted(allowed))}"
    if not is_blocked:
        yield f"r{run.key} is still running, but nothing in it waits for an earlier run"


def _run_before(world: World, dag: Dag, run: RunRow) -> RunRow | None:
    query = (
        "SELECT run_key FROM dag_run WHERE dag_id = ? AND (run_type IN ('scheduled', 'backfill') OR ?)"
        " ORDER BY ordering_at, run_key"
    )
    keys = [row[0] for row in world.database.raw.execute(query, (dag.dag_id, not dag.catchup))]
    if run.key not in keys:
        # A run by hand among scheduled ones: by date alone.
        date = "SELECT run_key FROM dag_run WHERE dag_id = ? ORDER BY ordering_at, run_key"
        order = [row[0] for row in world.database.raw.execute(date, (dag.dag_id,))]
        earlier = [key for key in order[: order.index(run.key)] if key in keys]
    else:
        earlier = keys[: keys.index(run.key)]
    return world.mirror.runs[earlier[-1]] if earlier else None


def _is_blocked_by(dag: Dag, row: TaskRow, before: RunRow | None) -> bool:
    if before is None:
        return False
    task = next(task for task in dag.tasks if task.task_id == row.key.task_id)
    past = [other.state for other in before.tasks.values() if other.key.task_id == row.key.task_id]
    if not past:
        return not task.ignore_first_depends_on_past
    if any(state not in (*_PASSED, TaskState.REMOVED) for state in past):
        return True
    behind = {other.task_id for other in dag.tasks if task.task_id in other.upstream}
    return task.wait_for_downstream and any(
        other.key.task_id in behind and other.state not in (*_PASSED, TaskState.REMOVED)
        for other in before.tasks.values()
    )


def _rule_violations(dag: Dag, run: RunRow) -> Iterator[str]:
    reference = Reference(dag, run)
    is_cut_short = (run.reason or "").startswith(("dagrun_timeout", OVERDUE))
    for row in run.tasks.values():
        if row.state not in FINISHED_STATES or (row.reason or "").startswith(("dagrun_timeout", "fail_fast")):
            continue
        allowed = reference.allowed(row)
        by_rule = _ENDED_BY_RULE.get(row.state)
        has_run = row.attempt > 0 or row.state is TaskState.SUCCESS
        if (has_run and RUN in allowed) or by_rule in allowed:
            continue
        if not (is_cut_short or dag.fail_fast):
            yield f"{name_of(row.key)} is {row.state}, but its rules say {' or '.join(sorted(allowed))}"
    for task in dag.tasks:
        copies = reference.copies(task)
        indexes = sorted(row.key.map_index for row in run.tasks.values() if row.key.task_id == task.task_id)
        is_expanded = bool(indexes) and indexes != [-1]
        if is_expanded and indexes != list(range(copies or 0)):
            yield f"r{run.key}.{task.task_id} has the map indexes {indexes}, not {copies} of them"


def _timetable_violations(world: World, dag: Dag) -> Iterator[str]:
    assert dag.start_at is not None
    query = (
        "SELECT run_after FROM dag_run WHERE dag_id = ? AND run_type IN ('scheduled', 'backfill') AND logical_date >= ?"
        " ORDER BY run_after"
    )
    since = backfills.utc_text(dag.start_at)
    found = [datetime.fromisoformat(row[0]) for row in world.database.raw.execute(query, (dag.dag_id, since))]
    steps = {(later - earlier).total_seconds() for earlier, later in pairwise(found)}
    # Where none was ever made, one that waits for the run before may have held the only place since the beginning.
    is_missing = not found and backfills.running_outside(world.database.raw, dag.dag_id) < dag.max_active_runs
    if len(steps) > 1 or is_missing:
        yield f"{dag.dag_id} owes runs: it has those of {[str(instant) for instant in found]}"
