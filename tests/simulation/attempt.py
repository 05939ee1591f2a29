"""A worker with one attempt: it asks to start, sends heartbeats, watches its lease, and reports the end."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from tests.simulation.asking import Question
from tests.simulation.kernel import Fiber, VirtualClock
from tests.simulation.outcome import Outcome, draw_outcome
from tests.simulation.truth import Execution, name_of
from tests.simulation.waiting import Resumption
from tradewind.errors import DatabaseUnavailable, TransactionConflict
from tradewind.model.assignment import Asker, Assignment, WorkOrder
from tradewind.model.attempt_end import AttemptResult, Deferral, InputAwaited
from tradewind.model.dag_file import FileName, VersionOrigin
from tradewind.model.ids import AttemptKey, VersionKey
from tradewind.model.states import TaskRole
from tradewind.model.task import (
    AwaitingInput,
    Deferred,
    EndReport,
    Failed,
    Rescheduled,
    Skipped,
    Succeeded,
    WorkItem,
)
from tradewind.operations.begin_attempts import Beginner
from tradewind.operations.report_tasks import Reported, heartbeat_tasks
from tradewind.operations.resumptions import FAILED_METHOD
from tradewind.operations.settle_attempts import settle_attempts
from tradewind.storage.interface import Transaction

if TYPE_CHECKING:
    from tests.simulation.cluster import Host

T = TypeVar("T")

# For `mutations`: what makes a worker safe.
OBEYS_REFUSED_START = True
WATCHES_LEASE = True


class SimulatedBeginner(Beginner):
    """Begins attempts of DAGs that come from no file, as if there were one."""

    def _learn_origins(self, tx: Transaction, versions: set[VersionKey]) -> None:
        self._origins |= {version: VersionOrigin(version, "", FileName("simulated", "dags.py")) for version in versions}


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
        self._order: WorkOrder | None = None
        self._beginner = SimulatedBeginner(self._world.structures, host.process.name, 1, host.cluster.next_worker())

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
        truth, task, try_number = self._world.truth, self.attempt.task, self.item.try_number
        visit, before = truth.visits(task, try_number), truth.last(task, try_number)
        execution = Execution(self.attempt, try_number, self.host.process, sent_s + timeout_s)
        self._execution = execution
        truth.begin(execution)
        outcome = self._outcome(visit, before)
        if outcome.kind == "ask":
            # Until there is an answer it does nothing else; whether its lease has run out meanwhile, it finds out next.
            execution.is_asking = WATCHES_LEASE
            self._ask(outcome)
            execution.is_asking = False
        stopped = self._execute(execution, outcome)
        execution.is_over = True
        if stopped is not None:
            self._world.kernel.say(self.host.process.name, f"stops {name_of(self.attempt)}: {stopped}")
            report: EndReport = Failed(self.attempt, self._clock.now(), started_at, reason=stopped)
            if self.host.rng.random() < 0.3:
                return
        else:
            report = self._report(outcome)
        self._end(AttemptResult(report=report, waits_for=self._waits_for(report, outcome)))

    def _end(self, result: AttemptResult) -> None:
        report = result.report
        if not isinstance(report, Deferred | AwaitingInput):  # nobody but the worker knows what it waits for
            self.host.cluster.copied(report)
        reported = self._insist(lambda tx: self._tell(tx, result))
        if report.attempt.task in reported.ended:
            self._world.truth.accepted(report)

    def _ask(self, outcome: Outcome) -> None:
        """Long before it leaves its worker: somebody may answer at once."""
        world, order = self._world, self._order
        assert order is not None
        run = order.assignment.dag_run
        asker = Asker(self.attempt.task, run.dag_id, run.run_id)
        question = Question(self.attempt, asker, order.assignment.try_number, outcome.ask)
        self._insist(lambda tx: question.put(tx, self._clock.now(), world.structures, world.cipher))

    def _outcome(self, visit: int, before: AttemptKey | None) -> Outcome:
        world, scenario = self._world, self._world.scenario
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
        outcome = draw_outcome(scenario.seed, place, downstream, scenario.deferral_weight, is_calm=scenario.is_calm)
        if self._order is not None:
            outcome = self._gone_on(self._order.assignment, before, outcome)
        self._world.kernel.say(self.host.process.name, f"runs {name_of(self.attempt)} ({outcome.kind})")
        return outcome

    def _gone_on(self, assignment: Assignment, before: AttemptKey | None, outcome: Outcome) -> Outcome:
        """A task that waited goes on with what it waited for, once; one whose wait failed fails."""
        got = Resumption(assignment.next_method, json.loads(assignment.next_kwargs or "null"))
        expected = self._world.waiting.goes_on_with(before)
        if got != expected:
            self._world.kernel.fail(f"{name_of(self.attempt)} begins with {got}, not with {expected}")
        return replace(outcome, kind="fail") if got.method == FAILED_METHOD else outcome

    def _start(self) -> float | None:
        """When it first asked for what was granted; None: it must not run."""
        sent_s = self._clock.monotonic()

        def work(tx: Transaction) -> WorkOrder | None:
            orders = self._beginner.begin(tx, [self.item], self._clock.now())
            if orders:
                self._world.watch.expect_start(self.attempt)
            return orders[0] if orders else None

        self._order = self._insist(work)
        return sent_s if self._order is not None or not OBEYS_REFUSED_START else None

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
                return Deferred(self.attempt, at, None if outcome.wait.timeout is None else at + outcome.wait.timeout)
            case "ask":
                return AwaitingInput(self.attempt, at, at + outcome.ask.timeout)
            case _:
                return Succeeded(self.attempt, at, map_length=outcome.map_length, skips=outcome.skips)

    def _waits_for(self, report: EndReport, outcome: Outcome) -> Deferral | InputAwaited | None:
        says, wait = name_of(self.attempt), outcome.wait
        if isinstance(report, AwaitingInput):
            return InputAwaited(next_method="go_on", next_kwargs={"own": says}, timeout=outcome.ask.timeout)
        if not isinstance(report, Deferred):
            return None
        at_s = self._clock.monotonic() + wait.fires_after_s
        return Deferral(
            trigger_path="simulated.Trigger",
            trigger_kwargs={"ending": wait.ending, "at_s": at_s, "says": says},
            next_method="go_on",
            next_kwargs={"own": says},
            timeout=wait.timeout,
        )

    def _tell(self, tx: Transaction, result: AttemptResult) -> Reported:
        world = self._world
        reported = settle_attempts(tx, [result], self._clock.now(), world.structures, cipher=world.cipher)
        if result.report.attempt.task in reported.ended:
            world.watch.expect_end(result.report)
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
