"""Why is this not running? Gathers the facts and asks `decide.explain`."""

from datetime import datetime

from tradewind.decide.admission import Capacity, free_slots
from tradewind.decide.explain import (
    NOT_SCHEDULED,
    BackfillFacts,
    DagFacts,
    QueueFacts,
    Reason,
    explain_dag,
    explain_dependencies,
    explain_next_run,
    explain_question,
    explain_run,
    explain_slot,
    explain_task,
    explain_updates,
    explain_waiting,
)
from tradewind.decide.progress import RunProgress
from tradewind.decide.structure import Structure
from tradewind.errors import DagUnusable, UnknownDag, UnknownRun, UnknownTask
from tradewind.model.dag import Dag
from tradewind.model.ids import UNMAPPED
from tradewind.model.run import Run
from tradewind.model.states import DECIDABLE_STATES, RunState, TaskState
from tradewind.model.task import Candidate, TaskInstance
from tradewind.model.timetable import AssetAndTime, PartitionedAssets
from tradewind.operations.listen_to_assets import starts_runs
from tradewind.operations.missing_assets import missing_assets, missing_for_slots
from tradewind.operations.missing_partitions import why_partitions_wait
from tradewind.operations.past import past_of
from tradewind.operations.structures import Structures
from tradewind.storage.interface import DagRecord, Transaction


def why_no_next_run(tx: Transaction, dag_id: str, structures: Structures, now: datetime) -> list[Reason]:
    """Why the DAG's next scheduled run does not exist yet. Raises `UnknownDag`."""
    record = _record(tx, dag_id)
    if record.is_stale:
        return [Reason("dag_stale", "no file has the DAG any more")]
    next_run_after = None if record.next_run is None else record.next_run.run_after
    facts = _dag_facts(tx, record, structures)
    reasons = explain_next_run(facts, next_run_after, now)
    if facts.timetable is not None and record.version_key is not None:
        reasons = _with_assets(tx, facts, structures.get(tx, record.version_key).dag, reasons, structures)
    if record.file is not None and tx.files.has_error(record.file):
        # It goes on as it was before; perhaps that is why it does not do what its author expects.
        reasons.append(Reason("import_error", "its file cannot be imported, and what it was before counts"))
    return reasons


def _with_assets(
    tx: Transaction, facts: DagFacts, dag: Dag, reasons: list[Reason], structures: Structures
) -> list[Reason]:
    """What the DAG waits for besides a time."""
    if not starts_runs(dag):
        return reasons
    if isinstance(dag.timetable, AssetAndTime):
        slots = tx.slots.waiting([dag.dag_id])
        left = missing_for_slots(tx, slots, structures)
        return [*(explain_slot(slot.info, slot.deadline_at, left.get(slot.key)) for slot in slots), *reasons]
    others = [reason for reason in reasons if reason.code != NOT_SCHEDULED]
    if isinstance(dag.timetable, PartitionedAssets):
        return [*others, *why_partitions_wait(tx, facts, dag, dag.timetable)]
    return [*others, *explain_updates(facts, missing_assets(tx, dag))]


def why_run_waits(tx: Transaction, dag_id: str, run_id: str, structures: Structures, now: datetime) -> list[Reason]:
    """Why the run is not running. Raises `UnknownDag` and `UnknownRun`."""
    record, run = _record_and_run(tx, dag_id, run_id)
    return _why_run_waits(tx, record, _dag_facts(tx, record, structures), run, now)


def why_task_waits(
    tx: Transaction,
    dag_id: str,
    run_id: str,
    task_id: str,
    structures: Structures,
    now: datetime,
    *,
    map_index: int = UNMAPPED,
    capacity: Capacity | None = None,
) -> list[Reason]:
    """Why the task instance is not running; an empty list if it is, or if nothing holds it back any more.

    `capacity` is what a scheduler has free, where the caller knows it.

    Raises:
        UnknownDag, UnknownRun, UnknownTask: as the name says.
    """
    record, run = _record_and_run(tx, dag_id, run_id)
    task = next((each for each in tx.tasks.instances(run.key, [task_id]) if each.map_index == map_index), None)
    if task is None:
        raise UnknownTask(dag_id, task_id, map_index)
    asks = task.state is TaskState.AWAITING_INPUT
    own = explain_task(task, now, tx.inquiries.find(task.key, task.try_number) if asks else None)
    if own or task.state is TaskState.RUNNING:
        return own
    facts = _dag_facts(tx, record, structures)
    if run.state is not RunState.RUNNING:
        return _why_run_waits(tx, record, facts, run, now)
    if task.state in DECIDABLE_STATES:
        return explain_dag(facts) + _dependencies(tx, run, task, structures.get(tx, run.version_key))
    return explain_dag(facts) + _waiting(tx, task, capacity)


def _record(tx: Transaction, dag_id: str) -> DagRecord:
    record = tx.dags.find(dag_id)
    if record is None:
        raise UnknownDag(dag_id)
    return record


def _record_and_run(tx: Transaction, dag_id: str, run_id: str) -> tuple[DagRecord, Run]:
    record = _record(tx, dag_id)
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    return record, run


def _dag_facts(tx: Transaction, record: DagRecord, structures: Structures) -> DagFacts:
    counts = tx.runs.count_active([record.dag_id])[record.dag_id]
    error, limit, timetable = record.error, counts.active + 1, None
    if record.version_key is None:
        error = error or "it was never parsed"
    else:
        try:
            dag = structures.get(tx, record.version_key).dag
            limit, timetable = dag.max_active_runs, dag.timetable
        except DagUnusable as unusable:
            error = error or unusable.reason
    return DagFacts(record.is_paused, error, counts.running, counts.active, limit, timetable)


def _why_run_waits(tx: Transaction, record: DagRecord, dag: DagFacts, run: Run, now: datetime) -> list[Reason]:
    backfill = None if run.backfill_key is None else tx.backfills.find(run.backfill_key)
    if backfill is None:
        return [*explain_run(dag, run.state, run.run_after, now), *_question(tx, record, run)]
    running, _ = tx.backfills.count_active(backfill.key)
    return explain_run(dag, run.state, run.run_after, now, BackfillFacts(backfill, running))


def _question(tx: Transaction, record: DagRecord, run: Run) -> list[Reason]:
    """Where the author's own timetable has yet to say what a run by hand is about."""
    if run.state is not RunState.QUEUED or all(each.run_key != run.key for each in tx.plans.questions([run.dag_id])):
        return []
    return [explain_question(has_import_error=record.file is not None and tx.files.has_error(record.file))]


def _dependencies(tx: Transaction, run: Run, task: TaskInstance, structure: Structure) -> list[Reason]:
    progress = RunProgress(structure, tx.tasks.of_runs([run.key]))
    number = structure.index.get(task.task_id)
    if number is None:
        return [Reason("removed", "the DAG version of this run no longer has the task")]
    cell = progress.cells[number][task.map_index]
    return explain_dependencies(progress, cell, past_of(tx, run, structure, [number])[number])


def _waiting(tx: Transaction, task: TaskInstance, capacity: Capacity | None) -> list[Reason]:
    candidate = Candidate(
        run_key=task.run_key,
        task_id=task.task_id,
        map_index=task.map_index,
        attempt=task.attempt,
        dag_id=task.dag_id,
        pool=task.pool,
        pool_slots=task.pool_slots,
        priority_weight=task.priority_weight,
        queue_turn=0,
        max_active_per_dag=task.max_active_per_dag,
        executor=task.executor,
        queue=task.queue,
        try_number=task.try_number,
    )
    pool = tx.pools.find(task.pool)
    free = None
    if pool is not None:
        free = free_slots(pool, tx.queue.occupied_slots(pool.name, include_deferred=pool.include_deferred))
    executor = task.executor or "default"
    facts = QueueFacts(
        pool=pool,
        pool_free=free,
        capacity=capacity or Capacity(1, {executor: 1}, executor),
        active_of_task=tx.queue.count_active(task.dag_id, task.task_id),
        ahead=tx.queue.count_ahead(task.key),
    )
    return explain_waiting(candidate, task.held_by, facts)
