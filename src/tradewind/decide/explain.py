"""Why something is not running, answered by the very functions that decide.

Each function takes what the database knows and returns reasons in the order in which they have to go away; no reason
means that nothing holds it back. Nothing in here has a rule of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tradewind.decide.admission import Capacity, can_never_fit, hold_reason
from tradewind.decide.backfill import free_places, is_held
from tradewind.decide.cells import Cell
from tradewind.decide.progress import RunProgress
from tradewind.decide.readiness import past_verdict, reads_past
from tradewind.decide.timetables import why_no_run
from tradewind.decide.trigger_rules import Outcome, Verdict
from tradewind.model.backfill import Backfill
from tradewind.model.ids import UNMAPPED
from tradewind.model.json_value import JsonValue
from tradewind.model.pool import Pool
from tradewind.model.states import FINISHED_STATES, OCCUPYING_STATES, HeldBy, RunState, TaskState
from tradewind.model.task import Candidate, PastTask, TaskInstance
from tradewind.model.timetable import Timetable

_MOST_NAMES = 5


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that stands in the way. `code` and `details` are for programs, `text` for people."""

    code: str
    text: str
    details: Mapping[str, JsonValue] = field(default_factory=dict, compare=False)
    """What the text speaks of: names, limits, instants."""


@dataclass(frozen=True, slots=True)
class DagFacts:
    """What concerns all runs of a DAG."""

    is_paused: bool
    error: str | None
    running_runs: int
    active_runs: int
    """Running and queued."""
    max_active_runs: int
    timetable: Timetable | None
    """`None` where the DAG cannot be read, which `error` then says."""


@dataclass(frozen=True, slots=True)
class BackfillFacts:
    """What concerns all runs of a backfill."""

    backfill: Backfill
    running: int


@dataclass(frozen=True, slots=True)
class QueueFacts:
    """What concerns one task that waits for slots."""

    pool: Pool | None
    pool_free: int | None
    capacity: Capacity
    active_of_task: int
    ahead: int
    """Waiting in the same pool before it."""


def explain_dag(dag: DagFacts) -> list[Reason]:
    """Why nothing of the DAG is decided at all."""
    reasons = []
    if dag.error is not None:
        reasons.append(Reason("dag_unusable", f"the DAG cannot be used: {dag.error}"))
    if dag.is_paused:
        reasons.append(Reason("dag_paused", "the DAG is paused"))
    return reasons


def explain_next_run(dag: DagFacts, next_run_after: datetime | None, now: datetime) -> list[Reason]:
    """Why the next scheduled run does not exist yet."""
    reasons = explain_dag(dag)
    if next_run_after is None:
        return reasons if dag.timetable is None else [*reasons, Reason("not_scheduled", why_no_run(dag.timetable))]
    if next_run_after > now:
        reasons.append(_until("not_due", "the next run is due at", next_run_after))
    if dag.active_runs >= dag.max_active_runs:
        reasons.append(_runs_limit(dag, dag.active_runs, "active"))
    return reasons


def explain_run(
    dag: DagFacts, state: RunState, run_after: datetime, now: datetime, backfill: BackfillFacts | None = None
) -> list[Reason]:
    """Why a run is not running; `backfill`: that it belongs to, whose limits count in place of the DAG's."""
    match state:
        case RunState.RUNNING:
            return []
        case RunState.SUCCESS | RunState.FAILED:
            return [Reason("finished", f"the run has ended: {state}")]
        case RunState.QUEUED:
            reasons = explain_dag(dag)
            if run_after > now:
                reasons.append(_until("not_due", "the run may start at", run_after))
            if backfill is not None:
                reasons.extend(_explain_backfill(backfill))
            elif dag.running_runs >= dag.max_active_runs:
                reasons.append(_runs_limit(dag, dag.running_runs, "running"))
            return reasons


def _explain_backfill(facts: BackfillFacts) -> list[Reason]:
    key, most = facts.backfill.key, facts.backfill.plan.max_active_runs
    if is_held(facts.backfill):
        return [Reason("backfill_paused", f"its backfill {key} is paused", {"backfill": key})]
    if free_places(facts.backfill, facts.running) > 0:
        return []
    text = f"{facts.running} runs of its backfill {key} are running and max_active_runs of that is {most}"
    return [Reason("backfill_max_active_runs", text, {"backfill": key, "runs": facts.running, "limit": most})]


def explain_dependencies(progress: RunProgress, cell: Cell, past: PastTask | None) -> list[Reason]:
    """Why an undecided task instance is not scheduled: its own rules, in the order in which the engine asks them."""
    verdicts = [progress.verdict(cell)]
    if progress.structure.lengths[cell.number] is not None and cell.map_index == UNMAPPED:
        verdicts.append(progress.mapping_verdict(cell.number))
    task = progress.structure.tasks[cell.number]
    if past is not None and reads_past(task):
        verdicts.append(past_verdict(task, past))
    return [_from_verdict(progress, cell, verdict) for verdict in verdicts if verdict.outcome is not Outcome.RUN]


def explain_task(task: TaskInstance, now: datetime) -> list[Reason]:
    """What its own state says."""
    if task.state in FINISHED_STATES:
        return [Reason("finished", f"the task has ended: {task.state}" + (f" ({task.reason})" if task.reason else ""))]
    if task.state in OCCUPYING_STATES:
        return [] if task.state is TaskState.RUNNING else [_by_state(task)]
    if task.state in (TaskState.DEFERRED, TaskState.AWAITING_INPUT):
        return [_by_state(task)]
    if task.wake_at is not None and task.wake_at > now:
        return [_until(task.state, f"it is {task.state} and waits until", task.wake_at)]
    return []


def explain_waiting(candidate: Candidate, held_by: HeldBy | None, facts: QueueFacts) -> list[Reason]:
    """Why a scheduled task has no slots."""
    if held_by is not None:
        return [Reason(held_by, _HELD[held_by])]
    details: dict[str, JsonValue] = {"pool": candidate.pool, "slots": candidate.pool_slots, "free": facts.pool_free}
    never = can_never_fit(facts.pool, candidate.pool_slots)
    if never is not None:
        text = f"{never} (pool {candidate.pool!r}, {candidate.pool_slots} slots)"
        return [Reason(never.name.lower(), text, details)]
    reasons = []
    reason = hold_reason(candidate, facts.pool_free, facts.capacity, facts.active_of_task)
    if reason is not None:
        text = f"{reason} (pool {candidate.pool!r}, free: {_free(facts)})"
        reasons.append(Reason(reason.name.lower(), text, details))
    if facts.ahead:
        text = f"{facts.ahead} tasks before it in pool {candidate.pool!r} have higher priority or turn"
        reasons.append(Reason("priority", text, {"pool": candidate.pool, "ahead": facts.ahead}))
    return reasons


_HELD = {
    HeldBy.MAX_ACTIVE_TASKS: "its run has as many active tasks as max_active_tasks allows",
    HeldBy.MAX_ACTIVE_PER_RUN: "its run has as many active instances of it as max_active_tis_per_dagrun allows",
    HeldBy.DAG_PAUSED: "the DAG is paused",
}


def _until(code: str, text: str, instant: datetime) -> Reason:
    return Reason(code, f"{text} {instant.isoformat()}", {"until": instant.isoformat()})


def _runs_limit(dag: DagFacts, count: int, word: str) -> Reason:
    text = f"{count} runs are {word} and max_active_runs is {dag.max_active_runs}"
    return Reason("max_active_runs", text, {"runs": count, "limit": dag.max_active_runs})


def _free(facts: QueueFacts) -> str:
    return "without limit" if facts.pool_free is None else str(facts.pool_free)


def _by_state(task: TaskInstance) -> Reason:
    texts = {
        TaskState.QUEUED: "it has its slots and waits for its executor to start it",
        TaskState.RESTARTING: "it was cleared while running and waits for its process to stop",
        TaskState.DEFERRED: "it waits for its trigger",
        TaskState.AWAITING_INPUT: "it waits for a person",
    }
    return Reason(task.state, texts[task.state])


def _from_verdict(progress: RunProgress, cell: Cell, verdict: Verdict) -> Reason:
    code, text = f"dependencies_{verdict.outcome}", verdict.reason
    names = _unfinished_upstream(progress, cell) if verdict.outcome is Outcome.WAIT else ()
    if not names:
        return Reason(code, text)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    text = f"{text}: {', '.join(names[:_MOST_NAMES])}{more}"
    return Reason(code, text, {"unfinished_upstream": list(names)})


def _unfinished_upstream(progress: RunProgress, cell: Cell) -> Sequence[str]:
    structure = progress.structure
    numbers = dict.fromkeys((*structure.upstream[cell.number], *structure.setups_required[cell.number]))
    return [
        structure.tasks[number].task_id
        for number in numbers
        if any(state not in FINISHED_STATES for state in progress.states_of([number]))
    ]
