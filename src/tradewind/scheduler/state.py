"""What one scheduler keeps in memory between two passes. All of it can be lost; none of it is trusted alone."""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime

from tradewind.decide.fairness import FairTurns
from tradewind.decide.progress import RunProgress
from tradewind.executors.interface import Executor
from tradewind.model.dag import CallbackEvent
from tradewind.model.ids import JobKey, RunKey
from tradewind.model.run import RunHead
from tradewind.model.task import TaskReport
from tradewind.operations.structures import Structures
from tradewind.runtime.clock import Clock
from tradewind.settings import ConnectionTestSettings, CoreSettings, SchedulerSettings
from tradewind.storage.interface import Store
from tradewind.storage.interface.backfill_store import OpenBackfill
from tradewind.telemetry.hub import Hub


class RunMemory:
    """The progress of the runs worked on last, each good for one change number, bounded by their task instances."""

    def __init__(self, most_tasks: int = 200_000) -> None:
        self._most_tasks = most_tasks
        self._known: OrderedDict[RunKey, tuple[int, RunProgress]] = OrderedDict()
        self._tasks = 0

    def take(self, run: RunHead) -> RunProgress | None:
        """What is remembered of the run, if it is still good. It is forgotten until put back after the commit."""
        known = self._known.pop(run.key, None)
        if known is None:
            return None
        change_number, progress = known
        self._tasks -= progress.size
        return progress if change_number == run.change_number else None

    def put(self, run_key: RunKey, change_number: int, progress: RunProgress) -> None:
        """Remember; the oldest memories make room."""
        self._known[run_key] = (change_number, progress)
        self._tasks += progress.size
        while self._tasks > self._most_tasks and len(self._known) > 1:
            _, (_, oldest) = self._known.popitem(last=False)
            self._tasks -= oldest.size

    def clear(self) -> None:
        """Forget all."""
        self._known.clear()
        self._tasks = 0

    def __len__(self) -> int:
        return len(self._known)


@dataclass(slots=True)
class SchedulerState:
    """The collaborators of a scheduler, and its notes on what to look at next."""

    store: Store
    clock: Clock
    core: CoreSettings
    settings: SchedulerSettings
    executors: tuple[Executor, ...]
    """The first is the default one."""
    hub: Hub
    job: JobKey
    connection_test: ConnectionTestSettings = field(default_factory=ConnectionTestSettings)
    structures: Structures = field(default_factory=Structures)
    memory: RunMemory = field(default_factory=RunMemory)
    turns: FairTurns = field(default_factory=FairTurns)
    dags_to_start: set[str] = field(default_factory=set)
    """DAGs that may have queued runs to start."""
    last_looked_at: str = ""
    """Of those, the last one that was looked at: the ones behind it, by name, are next, so that none waits for ever."""
    has_due_runs: bool = False
    """Whether a DAG that was at its limit has a place for a run that is due."""
    backfills_to_continue: set[OpenBackfill] = field(default_factory=set)
    """Backfills of which runs may have to be made."""
    has_listeners: bool = False
    """Whether DAGs wait for assets, as of the last poll."""
    heard_of_runs: frozenset[CallbackEvent] = frozenset()
    """Of which changes of runs listeners of plugins want to hear, as of the last poll."""
    refusals_of_dags: int = 0
    """How often in a row others had locked DAGs that something had come for."""
    is_to_look_again: bool = False
    """Whether another look at changed runs may find something at once."""
    pools_to_serve: set[str] = field(default_factory=set)
    """Pools in which a task began to wait, or a slot came free."""
    pools_starved: set[str] = field(default_factory=set)
    """Pools with waiting tasks for which something other than their own slots was missing."""
    pools_of_starts: set[str] = field(default_factory=set)
    """Pools of tasks that may begin with a trigger."""
    pools_of_held_starts: set[str] = field(default_factory=set)
    """Pools that have too few free slots for such tasks."""
    triggers_have_queues: bool = False
    """Whether triggerers serve queues of tasks."""
    pool_rotation: int = 0
    passes_in_contention: int = 0
    """How often in a row other schedulers had locked all pools that this one wanted to serve."""
    unreported: list[TaskReport] = field(default_factory=list)
    """Reports of executors that are not in the database yet. The one thing here that matters if lost: then the
    task counts as lost, and is rescued like one."""
    next_due_at: datetime | None = None
    """When a timer runs out next, as far as known."""
    deadline_due_at: datetime | None = None
    """When the next deadline of a run is due, as of the last poll."""

    def executor(self, name: str | None) -> Executor | None:
        """The executor that tasks mean by this name; None is the default one."""
        if name is None:
            return self.executors[0]
        return next((executor for executor in self.executors if executor.name == name), None)

    def remind(self, instant: datetime | None) -> None:
        """Something will be due then."""
        if instant is not None and (self.next_due_at is None or instant < self.next_due_at):
            self.next_due_at = instant
