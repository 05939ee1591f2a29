"""The whole engine in one process: the real scheduler, operations and storage, on a database in memory.

Time passes only when nobody has anything to do: then the clock goes on to the next moment at which somebody has. With a
fake clock that takes no time; with the machine's own it is an ordinary wait.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from tradewind.dag_processor.compile import compile_dag
from tradewind.decide.timetables import is_custom
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import Deferral, InputAwaited
from tradewind.model.dag import Dag
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.model.run import Run
from tradewind.model.states import FINISHED_RUN_STATES, TaskState
from tradewind.model.task import TaskReport
from tradewind.model.task_answers import AssetEventResult
from tradewind.operations.publish_dag import publish_dag
from tradewind.operations.record_asset_events import AssetUpdate, record_asset_events
from tradewind.operations.report_tasks import end_waiting_tasks, resume_tasks
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.runtime.clock import Clock
from tradewind.scheduler.expire import next_due_at
from tradewind.scheduler.service import Scheduler
from tradewind.sdk.dags import DAG
from tradewind.sdk.task_clock import use_clock
from tradewind.settings import SchedulerSettings
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import DutyFailed, Event, RunMoved
from tradewind.telemetry.hub import Hub
from tradewind.testing.attempts import Attempts, OnlyTask
from tradewind.testing.dag_callbacks import tell_dag
from tradewind.testing.databases import MemoryDatabase
from tradewind.testing.executor import KeepingExecutor, KeptWork
from tradewind.testing.fibres import Stage
from tradewind.testing.memory.assets import recall_events
from tradewind.testing.memory.contents import Memory
from tradewind.testing.memory.premises import Premises
from tradewind.testing.memory.runtime import MemoryRuntime
from tradewind.testing.own_timetables import answer_timetables
from tradewind.testing.people import Answers, answer, as_deferral
from tradewind.testing.records import History, Resumption
from tradewind.testing.stuck import RunStuck, why_stuck
from tradewind.testing.waiting import TaskEnd, Waiting, outcome_of, watch_trigger
from tradewind.worker.task_life.life import TaskLife
from tradewind.worker.task_life.outcome import Success

_DEFAULT_EXECUTOR: Final = "test"
_POOL_SLOTS: Final = 128
_SHORTEST_STEP_S: Final = 0.001
# It is told of every change, and of every moment at which something is due: nothing has to be looked for.
_NEVER_S: Final = 1e9


class EngineFault(RuntimeError):
    """Tradewind itself failed, not the DAG: please report it."""


@dataclass(slots=True, kw_only=True)
class Wishes:
    """What the author of a test wants to be different from a plain run."""

    answers: Answers = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    pools: Mapping[str, int] = field(default_factory=dict)
    mark_success: re.Pattern[str] | None = None
    consumed_asset_events: Sequence[AssetEventResult] = ()
    only: OnlyTask | None = None


class Engine:
    """Runs DAGs. Give it a database whose events go to `hear`."""

    def __init__(
        self,
        dags: Iterable[DAG],
        database: MemoryDatabase,
        *,
        clock: Clock,
        memory: Memory,
        stage: Stage,
        make_loop: Callable[[], asyncio.AbstractEventLoop],
        environment: MutableMapping[str, str],
        wishes: Wishes,
    ) -> None:
        self._dags = {dag.dag_id: dag for dag in dags}
        self._clock = clock
        self._stage = stage
        self._wishes = wishes
        self._open: set[RunKey] = set()
        self._ended: list[RunMoved] = []
        self._faults: list[DutyFailed] = []
        self._is_touched = False
        self._kept = KeptWork()
        self.history = History()
        self._waiting = Waiting(make_loop)
        self._left: dict[AttemptKey, tuple[TaskLife, Asker]] = {}
        """Those that wait for a trigger, or did so."""
        self._own_timetables: dict[str, tuple[DAG, Dag]] = {}
        database.handler = self._hear
        self.premises = Premises(memory, database, Structures(), clock, self._dags)
        self._attempts = Attempts(
            self.premises,
            stage,
            self.history,
            environment,
            self._leaves,
            mark_success=wishes.mark_success,
            outputs=wishes.outputs,
            consumed_asset_events=wishes.consumed_asset_events,
            only=wishes.only,
        )
        self._scheduler = self._make_scheduler(database)

    def trigger(self, request: RunRequest) -> Run:
        """Ask for a run."""
        now = self._clock.now()
        return self.premises.transact(
            lambda tx: trigger_run(tx, request, self.premises.structures, now, suffix="aaaaaaaa")
        )

    def run(self, until: datetime) -> None:
        """Until all runs ended, or that moment has come.

        Raises:
            RunStuck: no run can ever go on.
            EngineFault: Tradewind itself failed.
        """
        while self._open:
            if not self._step() and not self._pass_time(until):
                return

    def close(self) -> None:
        """Stop all that still runs or waits."""
        self._stage.close()
        self._waiting.close()

    def _make_scheduler(self, database: MemoryDatabase) -> Scheduler:
        compiled = [_compiled(dag) for dag in self._dags.values()]
        own = (dag for dag in compiled if is_custom(dag.timetable))
        self._own_timetables = {dag.dag_id: (self._dags[dag.dag_id], dag) for dag in own}
        tasks = [task for dag in compiled for task in dag.tasks]
        pools = {**dict.fromkeys((task.pool for task in tasks), _POOL_SLOTS), **self._wishes.pools}

        def work(tx: Transaction) -> None:
            for name, slots in pools.items():
                if name != DEFAULT_POOL:
                    tx.pools.create(Pool(name, slots))
            for dag in compiled:
                publish_dag(tx, dag, self._clock.now())
                # Only the runs that the test asks for: whatever the timetable would have made of this moment.
                tx.dags.set_next_run(dag.dag_id, None)
            recall_events(tx, self.premises.memory.asset_events)

        self.premises.transact(work)
        names = dict.fromkeys([_DEFAULT_EXECUTOR, *(task.executor for task in tasks if task.executor is not None)])
        executors = [KeepingExecutor(name, self._kept, self._take_reports) for name in names]
        settings = SchedulerSettings(scheduler_idle_sleep_time=_NEVER_S)
        hub = Hub(self._hear)
        scheduler = Scheduler(database, executors, self._clock, settings=settings, hub=hub, is_alone=True)
        scheduler.state.structures = self.premises.structures
        scheduler.start()
        return scheduler

    def _take_reports(self) -> list[TaskReport]:
        reports: list[TaskReport] = list(self._attempts.reports)
        self._attempts.reports.clear()
        return reports

    def _hear(self, event: Event) -> None:
        self._is_touched = True
        if isinstance(event, DutyFailed):
            self._faults.append(event)
        elif isinstance(event, RunMoved) and event.state in FINISHED_RUN_STATES:
            self._open.discard(event.run_key)
            self._ended.append(event)
        elif isinstance(event, RunMoved):
            self._open.add(event.run_key)

    def _step(self) -> bool:
        """All that can be done at this moment. Returns whether there was anything."""
        is_busy = bool(self._own_timetables) and self._answer_timetables()
        is_busy = self._scheduler.run_once() or is_busy
        if self._faults:
            raise EngineFault(f"{self._faults[0].duty} failed: {self._faults[0].error}")
        work = self._kept.take()
        if work:
            is_busy = True
            self._attempts.carry_out(work)
        is_busy = self._stage.wake_due() or is_busy
        is_busy = self._take_fired() or is_busy
        while self._ended:
            self._tell_dag(self._ended.pop(0))
        return is_busy

    def _answer_timetables(self) -> bool:
        now = self._clock.now()
        return self.premises.transact(lambda tx: answer_timetables(tx, self._own_timetables, now))

    def _take_fired(self) -> bool:
        fired, self._waiting.fired = self._waiting.fired, []
        for each in fired:
            if isinstance(each.what, Resumption):
                self._resume(each.attempt, each.what)
        ends = [each.what for each in fired if not isinstance(each.what, Resumption)]
        if ends:
            self._end(ends)
        return bool(fired)

    def _end(self, ends: Sequence[TaskEnd]) -> None:
        """Triggers say how their tasks ended: what follows is what follows in a worker."""
        now = self._clock.now()
        ended = self.premises.transact(lambda tx: end_waiting_tasks(tx, ends, now, self.premises.structures))
        states = {each.key: each.state for each in self.premises.transact(lambda tx: tx.tasks.snapshots(ended))}
        for end in ends:
            if end.attempt.task not in ended:
                continue
            life, asker = self._left[end.attempt]
            outcome = outcome_of(end, life.ti, will_retry=states[end.attempt.task] is TaskState.UP_FOR_RETRY)
            if isinstance(outcome, Success) and outcome.outlet_events:
                updates = [AssetUpdate(asker, event) for event in outcome.outlet_events]
                self.premises.transact(lambda tx, updates=updates: record_asset_events(tx, updates, now))  # type: ignore[misc]
            self.history.of(end.attempt.task)[-1].outcome = outcome
            with use_clock(self._clock):
                life.finish(outcome)

    def _resume(self, attempt: AttemptKey, resumption: Resumption) -> None:
        now = self._clock.now()
        if self.premises.transact(lambda tx: resume_tasks(tx, [attempt], now)):
            self.history.notes_of(attempt.task).resumption = resumption

    def _leaves(
        self, attempt: AttemptKey, outcome: Deferral | InputAwaited, life: TaskLife, runtime: MemoryRuntime
    ) -> None:
        """A task left its worker: watch over what it waits for."""
        if isinstance(outcome, InputAwaited):
            memory = self.premises.memory
            question = memory.questions.get(str(life.ti.id))
            if question is None:
                return
            if life.ti.task_id in self._wishes.answers:
                answer(memory, question, self._wishes.answers[life.ti.task_id], self._clock.now())
            elif outcome.timeout is None:
                return
            outcome = as_deferral(question, outcome, self._clock)
        self._left[attempt] = (life, runtime.asker)
        self._waiting.start(attempt, watch_trigger(outcome, attempt, life.ti, runtime, self._clock))

    def _pass_time(self, until: datetime) -> bool:
        """Nobody has anything to do: go on to when somebody has. False: that would be after `until`."""
        now = self._clock.now()
        due_at = next_due_at(self._scheduler.state)
        self._scheduler.state.remind(due_at)
        nexts = [self._stage.next_wake_s(), None if due_at is None else (due_at - now).total_seconds()]
        known = [seconds for seconds in nexts if seconds is not None]
        if not known and not self._waiting:
            raise RunStuck(self.premises.transact(lambda tx: why_stuck(tx, self._open, self.premises, now)))
        if self._waiting:
            self._waiting.run(max(_SHORTEST_STEP_S, min([*known, (until - now).total_seconds()])))
        else:
            self._sleep(until if due_at is None else min(due_at, until))
        return self._clock.now() < until or bool(self._waiting.fired)

    def _sleep(self, until: datetime) -> None:
        """Until that moment, or until a task that sleeps has woken and done something. Most only look and sleep on."""
        self._is_touched = False
        while not (self._is_touched or self._attempts.reports):
            now = self._clock.now()
            left = (until - now).total_seconds()
            wake_s = self._stage.next_wake_s()
            self._clock.sleep(max(_SHORTEST_STEP_S, left if wake_s is None else min(left, wake_s)))
            if not self._stage.wake_due() or self._clock.now() >= until:
                return

    def _tell_dag(self, ended: RunMoved) -> None:
        (run,) = self.premises.transact(lambda tx: tx.runs.read([ended.run_key]))
        tell_dag(self._dags[ended.dag_id], run, self.history, self.premises)


def _compiled(dag: DAG) -> Dag:
    """As the scheduler of the test gets it. There is no triggerer here: all tasks begin in their executor."""
    compiled = compile_dag(dag)
    tasks = tuple(replace(task, starts_from_trigger=False, start_trigger=None) for task in compiled.tasks)
    return replace(compiled, tasks=tasks, is_paused_upon_creation=False)
