"""Why something is not running, answered by the very functions that decide.

Each function takes what the database knows and returns reasons in the order in which they have to go away; no reason
means that nothing holds it back. Nothing in here has a rule of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tradewind.decide.admission import Capacity, HoldReason, can_never_fit, hold_reason, start_hold_reason
from tradewind.decide.assets import condition_words
from tradewind.decide.backfill import free_places, is_held
from tradewind.decide.cells import Cell
from tradewind.decide.partitions import MissingKeys
from tradewind.decide.progress import RunProgress
from tradewind.decide.readiness import past_verdict, reads_past
from tradewind.decide.timetables import why_no_run
from tradewind.decide.trigger_rules import Outcome, Verdict
from tradewind.model.asset import AssetExpression
from tradewind.model.backfill import Backfill
from tradewind.model.ids import UNMAPPED
from tradewind.model.inquiry import Inquiry
from tradewind.model.json_value import JsonValue
from tradewind.model.pool import Pool
from tradewind.model.states import FINISHED_STATES, OCCUPYING_STATES, HeldBy, RunState, TaskState
from tradewind.model.task import Candidate, PastTask, TaskInstance
from tradewind.model.timetable import RunInfo, Timetable

NOT_SCHEDULED = "not_scheduled"
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
        return reasons if dag.timetable is None else [*reasons, Reason(NOT_SCHEDULED, why_no_run(dag.timetable))]
    if next_run_after > now:
        reasons.append(_until("not_due", "the next run is due at", next_run_after))
    if dag.active_runs >= dag.max_active_runs:
        reasons.append(_runs_limit(dag, dag.active_runs, "active"))
    return reasons


def explain_updates(dag: DagFacts, left: AssetExpression | None) -> list[Reason]:
    """Why updates of assets have brought no run into being. `left`: what is missing of them."""
    if left is not None:
        words = condition_words(left)
        return [Reason("assets_missing", f"the DAG waits for an update of {words}", {"missing": words})]
    return [_runs_limit(dag, dag.active_runs, "active")] if dag.active_runs >= dag.max_active_runs else []


def explain_partition(
    dag: DagFacts, target: str, left: AssetExpression | None, lacking: Mapping[str, MissingKeys]
) -> Reason:
    """Why a partition of the DAG, for which something is there, has no run yet. `lacking`: by asset, of roll-ups."""
    details: dict[str, JsonValue] = {"partition": target}
    if left is None:
        return Reason("partition_waiting", _runs_limit(dag, dag.active_runs, "active").text, details)
    if not lacking:
        words = condition_words(left)
        text = f"partition {target} waits for an update of {words}"
        return Reason("partition_waiting", text, {**details, "missing": words})
    parts = []
    for asset, missing in lacking.items():
        parts.append(_missing_keys(asset, missing))
        details[f"missing of {asset}"] = list(missing.keys)
    unreachable = [asset for asset, missing in lacking.items() if missing.is_unreachable]
    if unreachable:
        details["unreachable"] = [*unreachable]
    return Reason("partition_waiting", f"partition {target} waits for {'; '.join(parts)}", details)


def _missing_keys(asset: str, missing: MissingKeys) -> str:
    if missing.is_unreachable:
        return f"{missing.enough} keys of {asset}, which never come: its window has {missing.window}"
    named = ", ".join(missing.keys[:_MOST_NAMES]) + (", …" if len(missing.keys) > _MOST_NAMES else "")
    of = "" if missing.needed == len(missing.keys) else f" of {len(missing.keys)}"
    return f"{missing.needed}{of} {'key' if len(missing.keys) == 1 else 'keys'} of {asset}: {named}"


def explain_slot(info: RunInfo, deadline_at: datetime | None, left: AssetExpression | None) -> Reason:
    """Why a tick that has come has no run yet."""
    tick, words = info.run_after.isoformat(), None if left is None else condition_words(left)
    until = None if deadline_at is None else deadline_at.isoformat()
    what = "a scheduler to look at it" if words is None else f"an update of {words}"
    text = f"the tick of {tick} waits for {what}" + ("" if until is None else f", until {until}")
    return Reason("slot_waiting", text, {"tick": tick, "missing": words, "until": until})


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


def explain_question(*, has_import_error: bool) -> Reason:
    """Why a run by hand waits whose timetable, of the author's own, has not said yet what it is about."""
    text = "the timetable of the DAG's own is being asked what the run is about, where DAG files are read"
    if has_import_error:
        text += "; the file cannot be imported, and is asked again when it can"
    return Reason("waits_for_interval", text)


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


def explain_task(task: TaskInstance, now: datetime, inquiry: Inquiry | None = None) -> list[Reason]:
    """What its own state says; with what it asks people, if it waits for an answer."""
    if task.state in FINISHED_STATES:
        return [Reason("finished", f"the task has ended: {task.state}" + (f" ({task.reason})" if task.reason else ""))]
    if task.state in OCCUPYING_STATES:
        return [] if task.state is TaskState.RUNNING else [_by_state(task)]
    if task.state is TaskState.AWAITING_INPUT and inquiry is not None:
        return [_unanswered(task, inquiry)]
    if task.state in (TaskState.DEFERRED, TaskState.AWAITING_INPUT):
        return [_by_state(task)]
    if task.wake_at is not None and task.wake_at > now:
        return [_until(task.state, f"it is {task.state} and waits until", task.wake_at)]
    return []


def explain_waiting(candidate: Candidate, held_by: HeldBy | None, facts: QueueFacts) -> list[Reason]:
    """Why a scheduled task has no slots."""
    if held_by is HeldBy.START_FROM_TRIGGER:
        reason = start_hold_reason(facts.pool, facts.pool_free, candidate)
        return [] if reason is None else [_no_slots(candidate, reason, facts)]
    if held_by is not None:
        return [Reason(held_by, _HELD[held_by])]
    never = can_never_fit(facts.pool, candidate.pool_slots)
    if never is not None:
        return [_no_slots(candidate, never, facts)]
    reasons = []
    reason = hold_reason(candidate, facts.pool_free, facts.capacity, facts.active_of_task)
    if reason is not None:
        reasons.append(_no_slots(candidate, reason, facts))
    if facts.ahead:
        text = f"{facts.ahead} tasks before it in pool {candidate.pool!r} have higher priority or turn"
        reasons.append(Reason("priority", text, {"pool": candidate.pool, "ahead": facts.ahead}))
    return reasons


def _no_slots(candidate: Candidate, reason: HoldReason, facts: QueueFacts) -> Reason:
    details: dict[str, JsonValue] = {"pool": candidate.pool, "slots": candidate.pool_slots, "free": facts.pool_free}
    is_for_ever = reason in (HoldReason.POOL_MISSING, HoldReason.POOL_TOO_SMALL)
    told = f"{candidate.pool_slots} slots" if is_for_ever else f"free: {_free(facts)}"
    return Reason(reason.name.lower(), f"{reason} (pool {candidate.pool!r}, {told})", details)


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


def _unanswered(task: TaskInstance, inquiry: Inquiry) -> Reason:
    names = [user.name for user in inquiry.assigned_users]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    whom = f" of {', '.join(names[:_MOST_NAMES])}{more}" if names else ""
    until = None if task.wake_at is None else task.wake_at.isoformat()
    details: dict[str, JsonValue] = {"subject": inquiry.subject, "assigned_users": list(names), "until": until}
    limit = "" if until is None else f", until {until}"
    return Reason(task.state, f"it waits for an answer{whom} to {inquiry.subject!r}{limit}", details)


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
