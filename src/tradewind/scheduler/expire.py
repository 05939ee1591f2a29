"""Duty: what time alone brings about: retries and pokes that are due, deferrals and runs that time out, deadlines."""

from contextlib import suppress
from datetime import datetime

from tradewind.errors import DagUnusable, DatabaseUnavailable, TransactionConflict
from tradewind.model.ids import AttemptKey
from tradewind.model.states import RunState
from tradewind.operations.call_off_triggers import stop_unfinished
from tradewind.operations.deadlines import miss_deadlines
from tradewind.operations.finish_runs import finish_runs
from tradewind.operations.past import tell_next_run
from tradewind.operations.request_callbacks import request_run_callbacks
from tradewind.operations.wake_tasks import due_attempts, fail_overdue, wake_alone, wake_tasks
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import RunEnd, Transaction
from tradewind.telemetry.duties import words_of
from tradewind.telemetry.events import DutyFailed

_BATCH = 1_000


def expire_tasks(state: SchedulerState) -> int:
    """Timers of task instances. Returns how many ran out."""
    now = state.clock.now()
    longest = state.core.max_task_retry_delay
    try:
        return state.store.transact(lambda tx: wake_tasks(tx, now, _BATCH, state.structures, longest_delay_s=longest))
    except (DatabaseUnavailable, TransactionConflict):
        raise  # all of it can be tried again
    except Exception:  # one that cannot go on must not keep the timers of all others (B10)
        due = state.store.transact(lambda tx: due_attempts(tx, now, _BATCH))
        return sum(_expire_alone(state, attempt, now) for attempt in due)


def _expire_alone(state: SchedulerState, attempt: AttemptKey, now: datetime) -> bool:
    """Whether its timer is off. Who cannot go on fails."""
    longest, structures = state.core.max_task_retry_delay, state.structures
    try:
        state.store.transact(lambda tx: wake_alone(tx, attempt, now, structures, longest_delay_s=longest))
    except (DatabaseUnavailable, TransactionConflict):
        raise
    except Exception as error:
        return _fail_alone(state, attempt, now, words_of(error))
    return True


def _fail_alone(state: SchedulerState, attempt: AttemptKey, now: datetime, why: str) -> bool:
    longest, structures = state.core.max_task_retry_delay, state.structures
    try:
        state.store.transact(lambda tx: fail_overdue(tx, attempt, now, structures, why, longest_delay_s=longest))
    except (DatabaseUnavailable, TransactionConflict):
        raise
    except Exception as error:
        state.hub.emit(DutyFailed("expire tasks", f"{attempt}: {words_of(error)}"))
        return False
    return True


def expire_runs(state: SchedulerState) -> int:
    """`dagrun_timeout`: the run fails, and what was unfinished in it is skipped. Returns how many runs."""
    now = state.clock.now()

    def work(tx: Transaction) -> list[str]:
        runs = tx.runs.lock(tx.runs.overdue(now), skip_locked=True)
        runs = [run for run in runs if run.state is RunState.RUNNING and run.times_out_at is not None]
        reason = "dagrun_timeout: the run did not end in time"
        for run in runs:
            stop_unfinished(tx, run.key, now, spare=(), reason=reason, fails_running=False)
            with suppress(DagUnusable):
                tell_next_run(tx, run, state.structures.get(tx, run.version_key), now)
        ends = [(run, RunEnd(run.key, RunState.FAILED, reason)) for run in runs]
        finish_runs(tx, ends, now)
        request_run_callbacks(tx, ends, state.structures, now, heard=state.heard_of_runs)
        tx.runs.decided([run.key for run in runs], None, now)
        return [run.dag_id for run in runs]

    dag_ids = state.store.transact(work)
    state.dags_to_start.update(dag_ids)
    if dag_ids:
        state.pools_to_serve |= state.pools_starved
    return len(dag_ids)


def expire_deadlines(state: SchedulerState) -> int:
    """Deadlines of runs whose time has come. Asked only when the last look for timers has found one."""
    now = state.clock.now()
    if state.deadline_due_at is None or state.deadline_due_at > now:
        return 0
    return state.store.transact(lambda tx: miss_deadlines(tx, now))


def next_due_at(state: SchedulerState) -> datetime | None:
    """The next instant at which any timer runs out."""
    now = state.clock.now()

    def work(tx: Transaction) -> datetime | None:
        state.deadline_due_at = tx.deadlines.next_due_at()
        timers = (tx.dags.next_due_at(), tx.attempts.next_wake_at(), tx.runs.next_timer(now))
        instants = (*timers, state.deadline_due_at)
        return min((instant for instant in instants if instant is not None), default=None)

    return state.store.transact(work)
