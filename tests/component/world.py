"""A whole engine in one process: a real database, real schedulers, a fake clock, executors that do as they are told."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tradewind.executors.instant import InstantExecutor
from tradewind.executors.interface import Executor
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import UNMAPPED, AttemptKey, RunKey
from tradewind.model.pool import Pool
from tradewind.model.run import Run
from tradewind.model.states import RunState, TaskState
from tradewind.model.task import (
    Deferred,
    EndReport,
    Failed,
    Skipped,
    Started,
    Succeeded,
    TaskInstance,
    TaskReport,
    WorkItem,
)
from tradewind.operations.choose_tasks import Selection
from tradewind.operations.clear_tasks import clear_tasks
from tradewind.operations.manage_pools import create_pool
from tradewind.operations.mark_state import mark_run, mark_tasks
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.publish_dag import publish_dag
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.scheduler.service import Scheduler
from tradewind.settings import CoreSettings, SchedulerSettings
from tradewind.storage.database import Database
from tradewind.storage.interface import Store
from tradewind.telemetry.events import DutyFailed, Event
from tradewind.telemetry.hub import Hub
from tradewind.testing.clock import FakeClock

MOST_PASSES = 2_000

Ending = Callable[[AttemptKey, datetime], EndReport]


def succeeds(length: int | None = None, skips: Sequence[str] = ()) -> Ending:
    """Returns something of that length, or decides against those tasks."""
    return lambda attempt, now: Succeeded(attempt, now, map_length=length, skips=tuple(skips))


def fails(*, may_retry: bool = True, retry_delay_s: float | None = None) -> Ending:
    """Raises."""
    return lambda attempt, now: Failed(attempt, now, reason="boom", may_retry=may_retry, retry_delay_s=retry_delay_s)


def skips_itself() -> Ending:
    """Raises AirflowSkipException."""
    return lambda attempt, now: Skipped(attempt, now, reason="not today")


def defers(until: datetime | None = None) -> Ending:
    """Leaves its worker to wait for a trigger."""
    return lambda attempt, now: Deferred(attempt, now, until=until)


def in_turn(*endings: Ending) -> Ending:
    """The first time the first ending, then the next, and the last one for ever."""
    left = list(endings)

    def ending(attempt: AttemptKey, now: datetime) -> EndReport:
        current = left.pop(0) if len(left) > 1 else left[0]
        return current(attempt, now)

    return ending


def label(task_id: str, map_index: int) -> str:
    """How tests name an instance: `load`, or `load[2]`."""
    return task_id if map_index == UNMAPPED else f"{task_id}[{map_index}]"


class Script:
    """What becomes of each task; success, where nothing else is written. Notes the order in which tasks were begun."""

    def __init__(self, endings: Mapping[str, Ending] | None = None) -> None:
        self.endings = dict(endings or {})
        self.begun: list[str] = []

    def __call__(self, work: WorkItem, now: datetime) -> Sequence[TaskReport]:
        name = label(work.attempt.task_id, work.attempt.map_index)
        self.begun.append(name)
        ending = self.endings.get(name) or self.endings.get(work.attempt.task_id) or succeeds()
        return (Started(work.attempt, now), ending(work.attempt, now))


class PatientExecutor:
    """Runs what it gets until the test says how it ends. Implements `executors.interface.Executor`."""

    def __init__(self, clock: FakeClock, *, name: str = "patient", slots: int = 1_000, starts: bool = True) -> None:
        self._clock = clock
        self._name = name
        self._slots = slots
        self._starts = starts
        self.work: dict[AttemptKey, WorkItem] = {}
        self.submitted: list[WorkItem] = []
        self.revoked: list[AttemptKey] = []
        self.adoptable: set[AttemptKey] = set()
        self._reports: list[TaskReport] = []

    @property
    def name(self) -> str:
        return self._name

    def free_slots(self) -> int:
        return self._slots - len(self.work)

    def submit(self, work: Sequence[WorkItem]) -> None:
        for item in work:
            self.submitted.append(item)
            if item.attempt not in self.work:
                self.work[item.attempt] = item
                if self._starts:
                    self._reports.append(Started(item.attempt, self._clock.now()))

    def reports(self) -> Sequence[TaskReport]:
        reports, self._reports = self._reports, []
        return reports

    def holds(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        return set(self.work) & set(attempts)

    def adopt(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        return self.adoptable & set(attempts)

    def revoke(self, attempts: Collection[AttemptKey]) -> None:
        for attempt in attempts:
            self.revoked.append(attempt)
            self.work.pop(attempt, None)

    def close(self) -> None:
        self.work.clear()

    @property
    def busy_with(self) -> list[str]:
        """What runs now, in the order in which it was handed over."""
        return [label(attempt.task_id, attempt.map_index) for attempt in self.work]

    @property
    def dags(self) -> list[str]:
        """The DAGs of what was handed over so far, in order."""
        return [item.dag_id for item in self.submitted]

    def attempt(self, name: str) -> AttemptKey:
        """The attempt of that name that runs."""
        (found,) = (attempt for attempt in self.work if label(attempt.task_id, attempt.map_index) == name)
        return found

    def end(self, *names: str, ending: Ending | None = None) -> None:
        """Report the end of these; of all that runs, if none is named."""
        for attempt in [self.attempt(name) for name in names] or list(self.work):
            self.finish(attempt, ending or succeeds())

    def finish(self, attempt: AttemptKey, ending: Ending) -> None:
        """Report the end of this attempt."""
        del self.work[attempt]
        self.report(ending(attempt, self._clock.now()))

    def report(self, *reports: TaskReport) -> None:
        """Say this at the next opportunity."""
        self._reports.extend(reports)


@dataclass
class World:
    """One database, and all that a test does to it."""

    database: Database
    clock: FakeClock
    events: list[Event]
    structures: Structures = field(default_factory=Structures)
    schedulers: list[Scheduler] = field(default_factory=list)

    # --- schedulers

    def scheduler(
        self,
        executor: Executor | Iterable[Executor] | None = None,
        *,
        endings: Mapping[str, Ending] | None = None,
        store: Store | None = None,
        **settings: Any,
    ) -> Scheduler:
        """A started scheduler. Without an executor, tasks end at once, as `endings` says. `settings` by name."""
        if executor is None:
            executor = InstantExecutor(self.clock.now, outcome=Script(endings))
        executors = tuple(executor) if isinstance(executor, Iterable) else (executor,)
        core = {name: settings.pop(name) for name in list(settings) if name in CoreSettings.__slots__}
        scheduler = Scheduler(
            store or self.database,
            executors,
            self.clock,
            core=CoreSettings(**core),
            settings=SchedulerSettings(**settings),
            hub=Hub(self.events.append),
        )
        scheduler.start()
        self.schedulers.append(scheduler)
        return scheduler

    def settle(self, *schedulers: Scheduler, allow_failures: bool = False) -> None:
        """Let the schedulers work (all of them, if none is named) until none has anything to do."""
        run_until_idle(*(schedulers or self.schedulers))
        if not allow_failures:
            assert [event for event in self.events if isinstance(event, DutyFailed)] == []

    def pass_time(self, seconds: float, *, step_s: float | None = None) -> None:
        """Let time pass, in steps, with the schedulers at work."""
        left = seconds
        while left > 0:
            step = min(left, step_s or seconds)
            self.clock.advance(step)
            left -= step
            self.settle()

    # --- operations

    def publish(self, dag: Dag, *, is_paused: bool = False) -> Dag:
        with self.database.begin() as tx:
            publish_dag(tx, dag, self.clock.now(), is_paused_by_default=is_paused)
        return dag

    def dag(self, *tasks: Task, dag_id: str = "sales", is_paused: bool = False, **values: Any) -> Dag:
        """Publish a DAG of these tasks."""
        return self.publish(Dag(dag_id, tasks=tasks, **values), is_paused=is_paused)

    def trigger(self, dag_id: str = "sales", run_id: str | None = "r1", **values: Any) -> RunKey:
        with self.database.begin() as tx:
            request = RunRequest(dag_id, run_id=run_id, **values)
            return trigger_run(tx, request, self.structures, self.clock.now(), suffix="aaaaaaaa").key

    def pool(self, name: str, slots: int, **values: Any) -> None:
        with self.database.begin() as tx:
            create_pool(tx, Pool(name, slots, **values))

    def clear(self, *task_ids: str, dag_id: str = "sales", run_id: str = "r1", **values: Any) -> list[str]:
        with self.database.begin() as tx:
            selection = Selection(dag_id, run_id, task_ids or None, **values)
            keys = clear_tasks(tx, selection, self.structures, self.clock.now())
        return [label(key.task_id, key.map_index) for key in keys]

    def mark(
        self, state: TaskState, *task_ids: str, dag_id: str = "sales", run_id: str = "r1", **values: Any
    ) -> list[str]:
        with self.database.begin() as tx:
            selection = Selection(dag_id, run_id, task_ids or None, **values)
            keys = mark_tasks(tx, selection, state, self.structures, self.clock.now())
        return [label(key.task_id, key.map_index) for key in keys]

    def mark_run(self, state: RunState, dag_id: str = "sales", run_id: str = "r1") -> list[str]:
        with self.database.begin() as tx:
            keys = mark_run(tx, dag_id, run_id, state, self.structures, self.clock.now())
        return [label(key.task_id, key.map_index) for key in keys]

    def pause(self, dag_id: str = "sales", *, is_paused: bool = True) -> bool:
        with self.database.begin() as tx:
            return pause_dag(tx, dag_id, self.clock.now(), is_paused=is_paused)

    # --- what is

    def run(self, run_id: str = "r1", dag_id: str = "sales") -> Run:
        with self.database.begin() as tx:
            run = tx.runs.find(dag_id, run_id)
        assert run is not None
        return run

    def runs(self, dag_id: str = "sales") -> list[Run]:
        with self.database.begin() as tx:
            return tx.runs.of_dag(dag_id)

    def instances(self, run_id: str = "r1", dag_id: str = "sales") -> dict[str, TaskInstance]:
        run = self.run(run_id, dag_id)
        with self.database.begin() as tx:
            found = tx.tasks.instances(run.key)
        return {label(task.task_id, task.map_index): task for task in found}

    def states(self, run_id: str = "r1", dag_id: str = "sales") -> dict[str, str]:
        """The state of each instance, as plain text: easy to write down, easy to compare."""
        return {name: task.state.value for name, task in self.instances(run_id, dag_id).items()}

    def told(self, kind: type[Event]) -> list[Any]:
        """The events of that kind so far."""
        return [event for event in self.events if isinstance(event, kind)]


def run_until_idle(*schedulers: Scheduler, most_passes: int = MOST_PASSES) -> int:
    """Let the schedulers take turns until none has anything to do. Returns the number of passes."""
    for number in range(1, most_passes + 1):
        busy = [scheduler.run_once() for scheduler in schedulers]
        if not any(busy):
            return number
    raise AssertionError(f"still busy after {most_passes} passes: something spins")
