"""A worker with one attempt: it asks to start, sends heartbeats, watches its lease, and reports the end."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import TYPE_CHECKING, TypeVar

from tests.simulation.kernel import Fiber, VirtualClock
from tests.simulation.truth import Execution, name_of
from tradewind.errors import DatabaseUnavailable, TransactionConflict
from tradewind.model.ids import AttemptKey
from tradewind.model.states import TaskRole
from tradewind.model.task import (
    Deferred,
    EndReport,
    Failed,
    Rescheduled,
    Skipped,
    Started,
    Succeeded,
    TaskReport,
    WorkItem,
)
from tradewind.operations.report_tasks import Reported, heartbeat_tasks, report_tasks
from tradewind.storage.interface import Transaction

if TYPE_CHECKING:
    from tests.simulation.cluster import Host

T = TypeVar("T")

# For `mutations`: what makes a worker safe.
OBEYS_REFUSED_START = True
WATCHES_LEASE = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the user's code will do."""

    kind: str
    duration_s: float
    map_length: int | None
    skips: tuple[str, ...]
    delay_s: float


_KINDS = {"succeed": 70, "fail": 12, "fail for good": 3, "skip": 4, "reschedule": 4, "defer": 7}


def draw_outcome(seed: int, place: str, downstream: tuple[str, ...]) -> Outcome:
    """The same for the same place (run, task, map index, try, visit), however the schedulers interleave."""
    rng = Random(f"{seed} {place}")
    longest_s = (30, 30, 30, 90)[seed % 4]
    (kind,) = rng.choices(tuple(_KINDS), tuple(_KINDS.values()))
    skips = tuple(name for name in downstream if rng.random() < 0.5) if rng.random() < 0.12 else ()
    return Outcome(
        kind=kind,
        duration_s=rng.choice((0.05, 1.0, 3.0, 7.0, 14.0, longest_s * rng.random())),
        map_length=rng.choice((0, 1, 2, 3, 3, None)),
        skips=skips,
        delay_s=rng.choice((0.5, 2.0, 6.0)),
    )


class AttemptRun:
    """One worker process's handling of one attempt. Its fiber runs `run`."""

    def __init__(self, host: "Host", item: WorkItem) -> None:
        self.host = host
        self.item = item
        self.fiber: Fiber | None = None
        self.is_revoked = False
        self._world = host.world
        self._clock = VirtualClock(host.process)
        self._execution: Execution | None = None

    @property
    def attempt(self) -> AttemptKey:
        return self.item.attempt

    @property
    def has_begun(self) -> bool:
        """Whether this process, and no other, was allowed to run the attempt."""
        return self._execution is not None

    def revoke(self) -> None:
        """The executor wants it stopped."""
        self.is_revoked = True
        if self.fiber is not None and self._execution is not None and not self._execution.is_over:
            self._world.kernel.resume(self.fiber, 0.0)

    def died(self) -> None:
        """Its process is gone."""
        if self._execution is not None:
            self._execution.is_over = True

    def run(self) -> None:
        """From the work message to the end."""
        sent_s = self._start()
        timeout_s = self._world.scenario.settings.task_instance_heartbeat_timeout
        if sent_s is None or (WATCHES_LEASE and self._clock.monotonic() >= sent_s + timeout_s):
            return  # refused; or allowed so long ago that another may have been allowed since
        started_at = self._clock.now()
        visit = self._world.truth.visits(self.attempt.task, self.item.try_number)
        execution = Execution(self.attempt, self.item.try_number, self.host.process, sent_s + timeout_s)
        self._execution = execution
        self._world.truth.begin(execution)
        outcome = self._outcome(visit)
        stopped = self._execute(execution, outcome)
        execution.is_over = True
        if stopped is not None:
            self._world.kernel.say(self.host.process.name, f"stops {name_of(self.attempt)}: {stopped}")
            report: EndReport = Failed(self.attempt, self._clock.now(), started_at, reason=stopped)
            if self.host.rng.random() < 0.3:
                return
        else:
            report = self._report(outcome)
        self.host.cluster.copied(report)
        reported = self._insist(lambda tx: self._tell(tx, report))
        if report.attempt.task in reported.ended:
            self._world.truth.accepted(report)

    def _outcome(self, visit: int) -> Outcome:
        world = self._world
        run = world.mirror.runs.get(self.attempt.run_key)
        run_id = "?" if run is None else run.run_id
        place = (
            f"{self.item.dag_id} {run_id} {name_of(self.attempt.task).split('.', 1)[1]} {self.item.try_number} {visit}"
        )
        dag = None if run is None else world.watch.dags.get(run.version_key)
        downstream = (
            ()
            if dag is None
            else tuple(
                task.task_id
                for task in dag.tasks
                if self.attempt.task_id in task.upstream and task.role is not TaskRole.TEARDOWN
            )
        )
        outcome = draw_outcome(world.scenario.seed, place, downstream)
        self._world.kernel.say(self.host.process.name, f"runs {name_of(self.attempt)} ({outcome.kind})")
        return outcome

    def _start(self) -> float | None:
        """When the request was sent that was granted; None: it must not run."""
        sent_s = 0.0

        def work(tx: Transaction) -> bool:
            report = Started(self.attempt, self._clock.now(), hostname=self.host.process.name, pid=1)
            return self.attempt.task in self._tell(tx, report).started

        def send() -> bool:
            nonlocal sent_s
            sent_s = self._clock.monotonic()
            return self._once(work)

        granted = self._until_answered(send)
        return sent_s if granted or not OBEYS_REFUSED_START else None

    def _execute(self, execution: Execution, outcome: Outcome) -> str | None:
        """The user's code, and the heartbeats beside it. Returns why it was stopped, if it was."""
        clock, scenario = self._clock, self._world.scenario
        end_s = clock.monotonic() + outcome.duration_s
        beat_s = clock.monotonic() + scenario.heartbeat_s
        while True:
            now_s = clock.monotonic()
            if now_s >= execution.lease_until_s and WATCHES_LEASE:
                return "its lease ran out"
            if self.is_revoked:
                return "revoked"
            if now_s >= end_s:
                return None
            if now_s >= beat_s:
                execution.is_asking = WATCHES_LEASE
                answer = self._heartbeat()
                execution.is_asking = False
                if clock.monotonic() >= execution.lease_until_s and WATCHES_LEASE:
                    return "its lease ran out"  # before the answer came
                if answer is False and WATCHES_LEASE:
                    return "told to"
                if answer is not None:
                    execution.lease_until_s = now_s + scenario.settings.task_instance_heartbeat_timeout
                beat_s = now_s + (scenario.heartbeat_s if answer else 1.0)
                continue
            clock.sleep(min(end_s, beat_s, max(execution.lease_until_s, now_s + 0.1)) - now_s)

    def _heartbeat(self) -> bool | None:
        """Whether it may go on; None: no answer."""
        try:
            refused = self._once(lambda tx: heartbeat_tasks(tx, [self.attempt], self._clock.now()))
        except (DatabaseUnavailable, TransactionConflict):
            return None
        return self.attempt not in refused

    def _report(self, outcome: Outcome) -> EndReport:
        at = self._clock.now()
        later = at + timedelta(seconds=outcome.delay_s)
        match outcome.kind:
            case "fail":
                return Failed(self.attempt, at, reason="it was to be")
            case "fail for good":
                return Failed(self.attempt, at, reason="it was to be", may_retry=False)
            case "skip":
                return Skipped(self.attempt, at)
            case "reschedule":
                return Rescheduled(self.attempt, at, later)
            case "defer":
                times_out = outcome.delay_s < 2.0 or outcome.map_length is None
                return Deferred(self.attempt, at, later + timedelta(seconds=10) if times_out else None)
            case _:
                return Succeeded(self.attempt, at, map_length=outcome.map_length, skips=outcome.skips)

    def _tell(self, tx: Transaction, report: TaskReport) -> Reported:
        reported = report_tasks(tx, [report], self._clock.now(), self._world.structures)
        if isinstance(report, Started):
            if report.attempt.task in reported.started:
                self._world.watch.expect_start(report.attempt)
        elif report.attempt.task in reported.ended:
            self._world.watch.expect_end(report)
        return reported

    def _insist(self, work: Callable[[Transaction], T]) -> T:
        """Send until there is an answer."""
        return self._until_answered(lambda: self._once(work))

    def _until_answered(self, send: Callable[[], T]) -> T:
        while True:
            try:
                return send()
            except (DatabaseUnavailable, TransactionConflict):
                self._clock.sleep(self.host.rng.uniform(0.5, 2))

    def _once(self, work: Callable[[Transaction], T]) -> T:
        """One message and its answer, over a network that loses, delays and doubles."""
        faults, rng = self._world.faults, self.host.rng
        if self._world.kernel.now_s < self.host.cut_off_until_s or faults.hit("request lost"):
            self._clock.sleep(rng.uniform(0.5, 3))
            raise DatabaseUnavailable("simulated: the request was lost")
        if faults.hit("message doubled"):
            self.host.cluster.ghost(work, rng.choice((0.0, 1.0, 15.0, 45.0)) * rng.random())
        if faults.hit("message late"):
            self._clock.sleep(rng.choice((1.0, 5.0, 14.0, 25.0)) * rng.random())
        result = self.host.store.transact(work)
        if faults.hit("reply lost"):
            self._clock.sleep(rng.uniform(0.5, 3))
            raise DatabaseUnavailable("simulated: the reply was lost")
        return result
