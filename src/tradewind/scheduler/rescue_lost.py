"""Duty: take care of what fell silent: tasks without a heartbeat, tasks that no executor starts, dead schedulers."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from tradewind.decide.liveness import StuckAction, Suspects, decide_stuck
from tradewind.model.ids import AttemptKey, JobKey
from tradewind.model.states import TaskState
from tradewind.model.task import Failed, TaskInstance
from tradewind.operations.report_tasks import report_tasks
from tradewind.operations.request_callbacks import request_task_callbacks
from tradewind.operations.reset_run_limits import reset_run_limits
from tradewind.operations.tell_moves import tell_moves
from tradewind.scheduler.admit_tasks import submit
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.job_store import JobRecord
from tradewind.telemetry.events import AttemptLost, JobDied, LostBy
from tradewind.telemetry.measurements import OrphansAdopted

SCHEDULER_KIND = "scheduler"
_QUEUED = (TaskState.QUEUED,)
_WITH_PROCESS = (TaskState.RUNNING, TaskState.RESTARTING)
_WATCHED_FROM = 0.1
"""After which part of its timeout, by the wall clock, somebody silent is watched. Those that are often heard of so
stay out of every look; the timeout itself is measured by the monotonic clock."""


class Rescuer:
    """Remembers whom it suspects between two looks. See `decide.liveness` for why age alone is not enough."""

    def __init__(self, state: SchedulerState) -> None:
        self._state = state
        settings = state.settings
        # A worker stops by itself when it could not send a heartbeat for as long. Not sooner must another one start.
        self._silent_tasks = Suspects(settings.task_instance_heartbeat_timeout)
        self._stuck_tasks = Suspects(settings.task_queued_timeout)
        self._silent_jobs = Suspects(settings.scheduler_health_check_threshold)

    def fail_silent_tasks(self) -> int:
        """Attempts whose worker sends no heartbeat: failed, and so retried if tries are left."""
        state = self._state
        now = state.clock.now()
        timeout_s = state.settings.task_instance_heartbeat_timeout
        before = now - timedelta(seconds=_WATCHED_FROM * timeout_s)
        silent = state.store.transact(lambda tx: tx.attempts.silent_since(before))
        seen = [(task.attempt_key, task.heartbeat_at) for task in silent]
        lost = self._silent_tasks.confirm(seen, state.clock.monotonic())
        chosen = [task for task in silent if task.attempt_key in lost]
        reason = f"no heartbeat for {timeout_s:g} s: its worker is taken to be lost"
        given_up = self._fail(chosen, _WITH_PROCESS, reason, LostBy.SILENCE, now)
        self._revoke(given_up)  # and no sooner: the executor would end whoever was heard of meanwhile
        return len(given_up)

    def rescue_stuck_tasks(self) -> int:
        """Attempts that their executor does not start: back in line, and failed if that helps nothing."""
        state = self._state
        now = state.clock.now()
        timeout_s = state.settings.task_queued_timeout
        before = now - timedelta(seconds=_WATCHED_FROM * timeout_s)
        queued = state.store.transact(lambda tx: tx.queue.queued_before(before))
        seen = [(task.attempt_key, task.queued_at) for task in queued]
        confirmed = self._stuck_tasks.confirm(seen, state.clock.monotonic())
        stuck = [task for task in queued if task.attempt_key in confirmed]
        failing: list[TaskInstance] = []
        requeuing: list[AttemptKey] = []
        for task in stuck:
            decision = decide_stuck(task.requeues, state.settings.num_stuck_in_queued_retries, timeout_s)
            if decision.action is StuckAction.FAIL:
                failing.append(task)
            else:
                requeuing.append(task.attempt_key)
        self._requeue(requeuing, f"not started within {timeout_s:g} s of being queued", LostBy.QUEUE)
        reason = f"not started within {timeout_s:g} s of being queued, several times"
        self._revoke([task.attempt_key for task in failing])  # so that none of them begins now
        self._fail(failing, _QUEUED, reason, LostBy.QUEUE, now)
        return len(stuck)

    def bury_dead_schedulers(self) -> int:
        """End the leases of schedulers that fell silent. Returns how many this one ended."""
        state = self._state
        now = state.clock.now()
        # They are few: all are watched, so their own clocks do not matter at all.
        others = [
            job for job in state.store.transact(lambda tx: tx.jobs.live(SCHEDULER_KIND)) if job.job_key != state.job
        ]
        seen = [(job.job_key, job.heartbeat_at) for job in others]
        silent = self._silent_jobs.confirm(seen, state.clock.monotonic())
        if not silent:
            return 0
        chosen = [job for job in others if job.job_key in silent]
        return state.store.transact(lambda tx: _bury(tx, chosen, now))

    def adopt_orphans(self) -> int:
        """Attempts of schedulers that are gone: what runs goes on under us, what waits is taken over or put back."""
        state = self._state
        live, orphans = state.store.transact(_orphans)
        if state.job not in live or not orphans:
            return 0
        attempts = [task.attempt_key for task in orphans]
        found: set[AttemptKey] = set()
        for executor in state.executors:
            own = [
                key for task, key in zip(orphans, attempts, strict=True) if state.executor(task.executor) is executor
            ]
            found |= executor.adopt(own)
        # A worker that is at it needs no executor: it reports by itself, and if it does not, it will be missed.
        running = {task.attempt_key for task in orphans if task.state is not TaskState.QUEUED}
        keep = [(task.attempt_key, task.queued_by) for task in orphans if task.attempt_key in found | running]
        adopting = [(key, former) for key, former in keep if former is not None]
        state.store.transact(lambda tx: _adopt(tx, adopting, state.job))
        self._requeue([key for key in attempts if key not in found | running], "its scheduler died", LostBy.SCHEDULER)
        return len(orphans)

    def resubmit_forgotten(self) -> int:
        """What we queued but no executor of ours knows: a hand-over that was cut short between commit and submit."""
        state = self._state
        queued = state.store.transact(lambda tx: tx.queue.queued_work(state.job))
        held: set[AttemptKey] = set()
        for executor in state.executors:
            held |= executor.holds([item.attempt for item in queued])
        forgotten = [item for item in queued if item.attempt not in held]
        submit(state, forgotten)
        return len(forgotten)

    def _requeue(self, attempts: Sequence[AttemptKey], reason: str, cause: LostBy) -> None:
        if not attempts:
            return
        self._revoke(attempts)

        def work(tx: Transaction) -> None:
            back = tx.queue.requeue(attempts)
            tell_moves(tx, ((TaskState.SCHEDULED, key) for key in sorted(back)))
            tx.emit(*(AttemptLost(key, reason, cause) for key in sorted(back)))

        self._state.store.transact(work)

    def _revoke(self, attempts: Collection[AttemptKey]) -> None:
        if attempts:
            for executor in self._state.executors:
                executor.revoke(attempts)

    def _fail(
        self, tasks: Sequence[TaskInstance], expected: Collection[TaskState], reason: str, cause: LostBy, now: datetime
    ) -> list[AttemptKey]:
        """Returns those that were given up."""
        if not tasks:
            return []
        state = self._state
        heard_at = {task.attempt_key: task.heartbeat_at for task in tasks}

        def work(tx: Transaction) -> list[AttemptKey]:
            # An attempt may be reported as ended in any state; we give it up only in the one in which we saw it. And we
            # may have stood still since we looked: whoever was heard of meanwhile is alive.
            still = [
                task.attempt_key
                for task in tx.attempts.lock(list(heard_at))
                if task.state in expected and task.heartbeat_at == heard_at[task.attempt_key]
            ]
            failures = [Failed(attempt, now, reason=reason) for attempt in still]
            reported = report_tasks(tx, failures, now, state.structures)
            request_task_callbacks(tx, reported.ended, reason, state.structures, now)
            tx.emit(*(AttemptLost(task.key, reason, cause, task) for task in tasks if task.key in reported.ended))
            return still

        return state.store.transact(work)


def _bury(tx: Transaction, jobs: Sequence[JobRecord], now: datetime) -> int:
    dead = tx.jobs.declare_dead(jobs, now)
    tx.emit(*(JobDied(job.job_key, job.hostname) for job in jobs if job.job_key in dead))
    # What the dead one would have noticed about its DAGs' runs, nobody else did.
    reset_run_limits(tx, now)
    return len(dead)


def _adopt(tx: Transaction, attempts: Sequence[tuple[AttemptKey, JobKey]], job: JobKey) -> None:
    adopted = tx.queue.adopt(attempts, job)
    if adopted:
        tx.emit(OrphansAdopted(len(adopted)))


def _orphans(tx: Transaction) -> tuple[set[JobKey], list[TaskInstance]]:
    live = {job.job_key for job in tx.jobs.live(SCHEDULER_KIND)}
    return live, tx.queue.held_by_dead(live)
