"""The scheduler as a service: which duty is done when."""

import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tradewind.errors import Conflict, DatabaseUnavailable
from tradewind.executors.interface import Executor
from tradewind.model.ids import JobKey
from tradewind.operations.reset_run_limits import reset_run_limits
from tradewind.operations.spread_news import spread_start, spread_stop
from tradewind.runtime.clock import Clock
from tradewind.scheduler.admit_tasks import admit_tasks, find_waiting
from tradewind.scheduler.advance_runs import advance_runs
from tradewind.scheduler.begin_waits import begin_starts, find_starts
from tradewind.scheduler.connection_tests import give_up, hand_out
from tradewind.scheduler.continue_backfills import continue_backfills, find_backfills
from tradewind.scheduler.create_runs import create_runs
from tradewind.scheduler.deadline_callbacks import hand_out_deadline_callbacks, rescue_deadline_callbacks
from tradewind.scheduler.expire import expire_deadlines, expire_runs, expire_tasks, next_due_at
from tradewind.scheduler.measure import tell_pools, tell_runs, tell_tasks
from tradewind.scheduler.rescue_lost import SCHEDULER_KIND, Rescuer
from tradewind.scheduler.run_for_assets import (
    create_asset_runs,
    find_listeners,
    find_overdue_slots,
    next_deadline,
)
from tradewind.scheduler.start_runs import find_startable, start_runs
from tradewind.scheduler.state import SchedulerState
from tradewind.scheduler.take_reports import take_reports
from tradewind.settings import ConnectionTestSettings, CoreSettings, SchedulerSettings
from tradewind.storage.interface import Store, Transaction
from tradewind.telemetry.duties import Duties
from tradewind.telemetry.events import DatabaseBack, DatabaseLost
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import Heartbeat, JobEnded, JobStarted, PassDone

_RESUBMIT_INTERVAL_S = 5.0


@dataclass(slots=True)
class Periodic:
    """A duty that is done at intervals, however busy or idle the scheduler is."""

    name: str
    interval_s: float
    duty: Callable[[], object]
    due_at: float = field(default=0.0)


class Scheduler:
    """Implements `runtime.service.Service`.

    Every pass takes reports, starts and advances runs, and admits tasks, each only if there is something to do. What
    time or another process may have brought about is polled once per `scheduler_idle_sleep_time`, and when a known
    timer runs out.
    """

    def __init__(
        self,
        store: Store,
        executors: Sequence[Executor],
        clock: Clock,
        *,
        core: CoreSettings | None = None,
        settings: SchedulerSettings | None = None,
        connection_test: ConnectionTestSettings | None = None,
        hub: Hub | None = None,
        triggers_have_queues: bool = False,
        is_alone: bool = False,
    ) -> None:
        """`is_alone`: nobody else uses the database, and no worker can die unseen, as in a test of a DAG. Then there is
        nobody to rescue and nothing to measure."""
        self.state = SchedulerState(
            store=store,
            clock=clock,
            core=core or CoreSettings(),
            settings=settings or SchedulerSettings(),
            executors=tuple(executors),
            hub=hub or Hub(),
            job=JobKey(0),
            triggers_have_queues=triggers_have_queues,
            connection_test=connection_test or ConnectionTestSettings(),
        )
        self._do = Duties(SCHEDULER_KIND, self.state.hub, clock.monotonic)
        self._is_alone = is_alone
        self._poll_due_at = 0.0
        self._periodic: list[Periodic] = []

    def start(self) -> None:
        """Take a lease and set the intervals. Raises `Conflict` where another scheduler must not run beside it."""
        state = self.state
        state.job = state.store.transact(self._take_lease)
        state.memory.clear()
        self._poll_due_at = 0.0
        self._periodic = [] if self._is_alone else self._housekeeping()

    def _housekeeping(self) -> list[Periodic]:
        state = self.state
        rescuer = Rescuer(state)
        settings = state.settings
        now = state.clock.monotonic()
        return [
            Periodic("heartbeat", settings.job_heartbeat_sec, self._heartbeat, now + settings.job_heartbeat_sec),
            Periodic("bury dead schedulers", settings.job_heartbeat_sec, self._take_over(rescuer), now),
            Periodic("adopt orphans", settings.orphaned_tasks_check_interval, rescuer.adopt_orphans, now),
            Periodic(
                "fail silent tasks",
                settings.task_instance_heartbeat_timeout_detection_interval,
                rescuer.fail_silent_tasks,
                now,
            ),
            Periodic(
                "rescue stuck tasks", settings.task_queued_timeout_check_interval, rescuer.rescue_stuck_tasks, now
            ),
            Periodic("resubmit forgotten", _RESUBMIT_INTERVAL_S, rescuer.resubmit_forgotten, now),
            Periodic("measure pools", settings.pool_metrics_interval, lambda: tell_pools(state), now),
            Periodic("measure tasks", settings.ti_metrics_interval, lambda: tell_tasks(state), now),
            Periodic("measure runs", settings.dagrun_metrics_interval, lambda: tell_runs(state), now),
            Periodic("hand out connection tests", settings.scheduler_idle_sleep_time, lambda: hand_out(state), now),
            Periodic("give up connection tests", state.connection_test.reaper_interval, lambda: give_up(state), now),
            Periodic(
                "hand out deadline callbacks",
                settings.scheduler_idle_sleep_time,
                lambda: hand_out_deadline_callbacks(state),
                now,
            ),
            Periodic(
                "rescue deadline callbacks",
                settings.task_instance_heartbeat_timeout_detection_interval,
                lambda: rescue_deadline_callbacks(state),
                now,
            ),
            Periodic("reset run limits", settings.orphaned_tasks_check_interval, self._reset_run_limits, now),
        ]

    def run_once(self) -> bool:
        """One pass. True: something was done, so there may be more to do at once."""
        state = self.state
        began_at = state.clock.monotonic()
        done = 0
        for periodic in self._periodic:
            if state.clock.monotonic() >= periodic.due_at:
                periodic.due_at = state.clock.monotonic() + periodic.interval_s
                self._do(periodic.name, periodic.duty)
        if self._is_poll_due():
            done += self._poll()
        done += self._take_reports()
        if state.backfills_to_continue:
            done += self._do("continue backfills", lambda: continue_backfills(state))
        if state.has_listeners:
            done += self._do("run for assets", lambda: create_asset_runs(state))
        if state.has_due_runs:
            done += self._do("create runs", lambda: create_runs(state))
        done += self._do("start runs", lambda: start_runs(state))
        self._do("advance runs", lambda: advance_runs(state))
        done += state.is_to_look_again
        done += self._do("begin with triggers", lambda: begin_starts(state))
        done += self._admit()
        if state.hub.measures:
            state.hub.emit(PassDone(state.clock.monotonic() - began_at))
        return done > 0

    def idle_s(self) -> float:
        """Until the next poll or the next known timer, whichever comes first."""
        state = self.state
        until_poll = self._poll_due_at - state.clock.monotonic()
        if state.next_due_at is not None:
            until_poll = min(until_poll, (state.next_due_at - state.clock.now()).total_seconds())
        return max(0.0, min(until_poll, state.settings.scheduler_idle_sleep_time))

    def stop(self) -> None:
        """Report what is left, and give the lease back."""
        take_reports(self.state)
        now = self.state.clock.now()

        def leave(tx: Transaction) -> None:
            spread_stop(tx, self.state.job, now)
            tx.jobs.stop(self.state.job, now)
            tx.emit(JobEnded(SCHEDULER_KIND))

        self.state.store.transact(leave)

    def database_lost(self, error: DatabaseUnavailable) -> None:
        """See `Service.database_lost`."""
        self.state.hub.emit(DatabaseLost(str(error)))

    def database_back(self, after_s: float) -> None:
        """See `Service.database_back`. The last commit may or may not have taken effect: ask the database."""
        self.state.memory.clear()
        self._poll_due_at = 0.0
        for periodic in self._periodic:
            periodic.due_at = min(periodic.due_at, self.state.clock.monotonic() + 1.0)
        self.state.hub.emit(DatabaseBack(after_s))

    def _take_lease(self, tx: Transaction) -> JobKey:
        state = self.state
        if not state.settings.use_row_level_locking and tx.jobs.live(SCHEDULER_KIND):
            raise Conflict("use_row_level_locking is off, so only one scheduler may run; another one does")
        tx.emit(JobStarted(SCHEDULER_KIND))
        now = state.clock.now()
        job = tx.jobs.start(SCHEDULER_KIND, hostname=socket.gethostname(), pid=os.getpid(), now=now)
        spread_start(tx, job, now)
        return job

    def _heartbeat(self) -> None:
        state = self.state
        now = state.clock.now()

        def beat(tx: Transaction) -> bool:
            is_known = tx.jobs.heartbeat(state.job, now)
            tx.emit(Heartbeat(SCHEDULER_KIND, is_late=not is_known))
            return is_known

        if not state.store.transact(beat):
            # We were taken for dead, and others took over: go on as somebody new, with nothing remembered.
            self.start()

    def _take_over(self, rescuer: Rescuer) -> Callable[[], None]:
        def duty() -> None:
            if rescuer.bury_dead_schedulers():
                rescuer.adopt_orphans()

        return duty

    def _reset_run_limits(self) -> None:
        now = self.state.clock.now()
        self.state.store.transact(lambda tx: reset_run_limits(tx, now))

    def _take_reports(self) -> int:
        return self._do("take reports", lambda: take_reports(self.state))

    def _admit(self) -> int:
        """All that may go now, in transactions of `max_tis_per_query` tasks each. Returns whether there may be more to
        do at once: another scheduler is just serving a pool, or executors have something to say about what they got."""
        state = self.state
        total = 0
        while True:
            done = self._do("admit tasks", lambda: admit_tasks(state))
            total += done
            if not done or not state.pools_to_serve or state.passes_in_contention:
                break
        if done and state.passes_in_contention:
            return 1
        return self._take_reports() if total else 0

    def _is_poll_due(self) -> bool:
        state = self.state
        if state.clock.monotonic() >= self._poll_due_at:
            return True
        return state.next_due_at is not None and state.clock.now() >= state.next_due_at

    def _poll(self) -> int:
        """What no signal announces: the time, and changes whose signal was lost."""
        state = self.state
        self._poll_due_at = state.clock.monotonic() + state.settings.scheduler_idle_sleep_time
        state.next_due_at = None
        self._do("find who listens", lambda: find_listeners(state))
        done = self._do("create runs", lambda: create_runs(state))
        done += self._do("expire tasks", lambda: expire_tasks(state))
        done += self._do("expire runs", lambda: expire_runs(state))
        done += self._do("miss deadlines", lambda: expire_deadlines(state))
        done += self._do("find overdue slots", lambda: find_overdue_slots(state))
        self._do("find backfills", lambda: find_backfills(state))
        self._do("find startable runs", lambda: find_startable(state))
        self._do("find waiting tasks", lambda: find_waiting(state))
        self._do("find tasks that begin with triggers", lambda: find_starts(state))
        self._do("find next timer", lambda: state.remind(next_due_at(state)))
        self._do("find next deadline", lambda: state.remind(next_deadline(state)))
        return done
