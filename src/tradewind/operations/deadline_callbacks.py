"""Callbacks of missed deadlines: handed to executors or taken by triggerers, begun, ended, and given to another one
when their holder falls silent."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from tradewind.decide.deadlines import why_given_up
from tradewind.errors import DagUnusable
from tradewind.model.deadline import Deadline, DeadlineState, rules_of
from tradewind.model.deadline_callback import LONGEST_OUTPUT, CallbackEnd, CallbackItem, CallbackOrder
from tradewind.model.run import Run
from tradewind.operations.structures import Structures
from tradewind.operations.task_requests.runs import as_result
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import DeadlineCallbackLost

_BATCH: Final = 100
_NO_FILE: Final = "its DAG came from no file, so there is no code that could be called"


def hand_out_callbacks(
    tx: Transaction, why_not: Callable[[str | None], str | None], structures: Structures, until: datetime
) -> list[tuple[str | None, CallbackItem]]:
    """Those that go to their executors now, with the name of each. `why_not`: why the executor of this name cannot call
    any, if so."""
    chosen = []
    for deadline, run in _with_runs(tx, tx.deadline_callbacks.waiting(is_async=False, limit=_BATCH)):
        try:
            executor = _executor(tx, deadline, run, structures)
        except DagUnusable as error:
            tx.deadline_callbacks.refuse(deadline.key, str(error))
            continue
        reason = _NO_FILE if deadline.file is None else why_not(executor)
        if reason is None:
            chosen.append((executor, CallbackItem(deadline.key, deadline.attempts + 1)))
        else:
            tx.deadline_callbacks.refuse(deadline.key, reason)
    tx.deadline_callbacks.hand_out([item.key for _, item in chosen], DeadlineState.QUEUED, until)
    return chosen


def begin_callbacks(tx: Transaction, items: Sequence[CallbackItem], until: datetime) -> list[CallbackOrder]:
    """Those of these that are for the caller to call now; the others were begun before, or given to another one."""
    return [_order(*each) for each in _with_runs(tx, tx.deadline_callbacks.begin(items, until))]


def take_callbacks(tx: Transaction, limit: int, until: datetime) -> list[CallbackOrder]:
    """Those that are for a triggerer to call now."""
    waiting = tx.deadline_callbacks.waiting(is_async=True, limit=limit)
    for deadline in waiting:
        if deadline.file is None:
            tx.deadline_callbacks.refuse(deadline.key, _NO_FILE)
    usable = [deadline for deadline in waiting if deadline.file is not None]
    tx.deadline_callbacks.hand_out([each.key for each in usable], DeadlineState.RUNNING, until)
    return [_order(deadline, run, deadline.attempts + 1) for deadline, run in _with_runs(tx, usable)]


def end_callbacks(tx: Transaction, ends: Sequence[CallbackEnd]) -> None:
    """What came of them. What a process says whose callback was given to another one by then is stored nowhere."""
    for end in sorted(ends, key=lambda each: each.key):
        kept = end._replace(output=end.output[-LONGEST_OUTPUT:])
        tx.deadline_callbacks.end(kept, DeadlineState.SUCCESS if end.error is None else DeadlineState.FAILED)


def rescue_callbacks(tx: Transaction, now: datetime) -> int:
    """Those whose holders fell silent: for another one, or given up. Returns how many."""
    lapsed = tx.deadline_callbacks.lapsed(now, _BATCH)
    reasons = {deadline.key: why_given_up(deadline) for deadline in lapsed}
    for key, reason in reasons.items():
        if reason is not None:
            tx.deadline_callbacks.refuse(key, reason)
    if lapsed:
        tx.deadline_callbacks.put_back([key for key, reason in reasons.items() if reason is None])
        tx.emit(*(DeadlineCallbackLost(each.dag_id, each.key, each.attempts, reasons[each.key]) for each in lapsed))
    return len(lapsed)


def _with_runs(tx: Transaction, deadlines: Sequence[Deadline]) -> list[tuple[Deadline, Run]]:
    """A deadline goes with its run, so that each has one."""
    if not deadlines:
        return []
    runs = {run.key: run for run in tx.runs.read({each.run_key for each in deadlines})}
    return [(each, runs[each.run_key]) for each in deadlines]


def _executor(tx: Transaction, deadline: Deadline, run: Run, structures: Structures) -> str | None:
    rules = rules_of(structures.get(tx, run.version_key).dag)
    return rules[deadline.number].executor if deadline.number < len(rules) else None


def _order(deadline: Deadline, run: Run, attempt: int | None = None) -> CallbackOrder:
    assert deadline.file is not None, "nobody is given a callback whose file is not known"
    return CallbackOrder(
        key=deadline.key,
        attempt=deadline.attempts if attempt is None else attempt,
        file=deadline.file,
        bundle_version=run.bundle_version,
        number=deadline.number,
        due_at=deadline.due_at,
        dag_run=as_result(run),
    )
