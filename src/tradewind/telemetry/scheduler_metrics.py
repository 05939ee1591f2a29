"""Events of runs, of the scheduler, and of what it shares out, as numbers."""

from tradewind.model.states import RunState, RunType
from tradewind.telemetry import catalog
from tradewind.telemetry import events as told
from tradewind.telemetry import measurements as measured
from tradewind.telemetry.counting import Handlers, Numbers
from tradewind.telemetry.metric import Sink


class SchedulerMetrics(Numbers):
    """Runs, passes, pools, executors."""

    def __init__(self, sink: Sink) -> None:
        super().__init__(sink)
        self._structures: dict[str, tuple[int, int]] = {}
        self._starving: dict[str, int] = {}

    def handlers(self) -> Handlers:
        """Whose events are told here."""
        return {
            told.RunMoved: self._run_moved,
            told.DeadlinesSet: self._deadlines_set,
            told.DeadlineMissed: self._deadline_missed,
            told.DeadlineMet: self._deadline_met,
            measured.RunsMeasured: self._runs_measured,
            told.PoolMeasured: self._pool_measured,
            measured.ExecutorMeasured: self._executor_measured,
            measured.StructuresMeasured: self._structures_measured,
            measured.PassDone: self._pass_done,
            measured.DutyDone: self._duty_done,
            measured.PoolsContended: self._pools_contended,
            measured.OrphansAdopted: self._orphans_adopted,
        }

    def _run_moved(self, event: told.RunMoved) -> None:
        times = event.times
        if times is None:
            return
        tags = {"dag_id": event.dag_id, "run_type": times.run_type.value}
        if event.state is RunState.QUEUED and times.run_type is RunType.ASSET_TRIGGERED:
            self._count(catalog.ASSET_RUNS)
        elif event.state is RunState.RUNNING and times.run_type is RunType.SCHEDULED:
            self._between(catalog.SCHEDULE_DELAY, times.run_after, times.at, **tags)
        elif event.state is RunState.SUCCESS:
            self._between(catalog.RUN_SUCCESS, times.started_at, times.at, **tags)
        elif event.state is RunState.FAILED:
            self._between(catalog.RUN_FAILED, times.started_at, times.at, **tags)

    def _deadlines_set(self, event: told.DeadlinesSet) -> None:
        self._add(catalog.DEADLINES_CREATED, event.count, dag_id=event.dag_id)

    def _deadline_missed(self, event: told.DeadlineMissed) -> None:
        self._count(catalog.DEADLINES_MISSED, dag_id=event.dag_id)

    def _deadline_met(self, event: told.DeadlineMet) -> None:
        self._count(catalog.DEADLINES_MET, dag_id=event.dag_id)

    def _runs_measured(self, event: measured.RunsMeasured) -> None:
        self._gauge(catalog.DAGS_RUNNING, event.dags_running)
        for state, count in event.by_state.items():
            self._gauge(catalog.RUNS, count, state=state.value)

    def _pool_measured(self, event: told.PoolMeasured) -> None:
        amounts = {
            "open": event.open,
            "queued": event.queued,
            "running": event.running,
            "deferred": event.deferred,
            "scheduled": event.waiting,
        }
        for what, amount in amounts.items():
            self._gauge(catalog.POOL_SLOTS[what], amount, pool_name=event.pool)
        self._gauge(catalog.POOL_STARVING, event.starving, pool_name=event.pool)
        self._starving[event.pool] = event.starving
        self._gauge(catalog.TASKS_STARVING, sum(self._starving.values()))

    def _executor_measured(self, event: measured.ExecutorMeasured) -> None:
        for metric, amount in (
            (catalog.OPEN_SLOTS, event.open_slots),
            (catalog.QUEUED_TASKS, event.queued),
            (catalog.RUNNING_TASKS, event.running),
        ):
            self._gauge(metric, amount, executor_class_name=event.executor)

    def _structures_measured(self, event: measured.StructuresMeasured) -> None:
        hits, misses = self._structures.get(event.kind, (0, 0))
        self._structures[event.kind] = (event.hits, event.misses)
        self._add(catalog.CACHE_HIT[event.kind], event.hits - hits)
        self._add(catalog.CACHE_MISS[event.kind], event.misses - misses)
        self._gauge(catalog.CACHE_SIZE[event.kind], event.size)

    def _pass_done(self, event: measured.PassDone) -> None:
        self._timing(catalog.LOOP_DURATION, event.duration_s)

    def _duty_done(self, event: measured.DutyDone) -> None:
        if event.kind == "dag_processor":
            if event.duty == "look at bundles" and event.done:
                self._count(catalog.FILE_LOOKS)
            return
        self._timing(catalog.DUTY_DURATION, event.duration_s, duty=event.duty)
        if event.duty == "admit tasks":
            self._timing(catalog.CRITICAL_DURATION, event.duration_s)
            self._gauge(catalog.TASKS_EXECUTABLE, event.done)
        elif event.duty == "take reports":
            self._timing(catalog.EXECUTOR_HEARTBEAT, event.duration_s)

    def _pools_contended(self, _event: measured.PoolsContended) -> None:
        self._count(catalog.CRITICAL_BUSY)

    def _orphans_adopted(self, event: measured.OrphansAdopted) -> None:
        self._add(catalog.ORPHANS_ADOPTED, event.count)
