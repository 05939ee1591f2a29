"""How long the runs of a simulation take: all the same, or as long as their tasks and the limits make them.

`TasksTake` plays runs of one DAG with the very functions that decide about real ones: `RunProgress` says which tasks
are ready, its gate how many of a run may compete, `admit` who gets slots. All tasks succeed, and nobody else uses the
slots.
"""

from bisect import insort
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from typing import Final, NamedTuple, Protocol

from tradewind.decide.admission import Capacity, HoldReason, PoolQueue, admit, can_never_fit, free_slots
from tradewind.decide.cells import Cell
from tradewind.decide.progress import RunProgress
from tradewind.decide.readiness import exists_at
from tradewind.decide.structure import Structure
from tradewind.model.ids import UNMAPPED, RunKey, TaskKey
from tradewind.model.pool import Pool
from tradewind.model.states import PASSED_STATES, HeldBy, TaskState
from tradewind.model.task import NO_PAST, Candidate, PastTask, TaskSnapshot
from tradewind.model.usual_task import UsualTask

MOST_INSTANCES: Final = 50_000
"""After so many task instances a simulation ends: it shall take seconds."""
_EXECUTOR: Final = ""
_NOTHING: Final = UsualTask(0.0)


class RunEnd(NamedTuple):
    """A simulated run has ended."""

    number: int
    at: datetime


class Wait(NamedTuple):
    """What a limit costs the tasks of a run."""

    limit: str
    task_time: timedelta | None
    """All waits for it added up, each by what held the task back last. None: it waits for ever."""


class Load(Protocol):
    """Runs that take their time. Whoever asks goes forward in time."""

    @property
    def is_exhausted(self) -> bool:
        """Whether no more runs should begin, because it becomes too much."""

    def begin(self, number: int, at: datetime, logical_date: datetime | None) -> None:
        """Begin the run of that number: one more than the last, and not before what was asked about."""

    def next_end(self, until: datetime | None) -> RunEnd | None:
        """Let time pass until a run ends, at most up to then. None: none does."""

    def waits_of(self, number: int) -> tuple[Wait, ...]:
        """What kept the tasks of a run from beginning, the worst first."""


class RunsTake:
    """Each run takes the same time."""

    def __init__(self, duration: timedelta) -> None:
        self._duration = duration
        self._ends: deque[RunEnd] = deque()

    @property
    def is_exhausted(self) -> bool:
        """Never."""
        return False

    def begin(self, number: int, at: datetime, logical_date: datetime | None) -> None:
        """Its end is known at once, and no earlier than that of those before."""
        self._ends.append(RunEnd(number, at + self._duration))

    def next_end(self, until: datetime | None) -> RunEnd | None:
        """The first of those that have begun."""
        if not self._ends or (until is not None and self._ends[0].at > until):
            return None
        return self._ends.popleft()

    def waits_of(self, number: int) -> tuple[Wait, ...]:
        """Nothing is known of tasks."""
        return ()


@dataclass(frozen=True, slots=True)
class SlotLimits:
    """What all runs share."""

    pools: Mapping[str, Pool]
    parallelism: int


@dataclass(slots=True)
class _Played:
    """A run that is simulated."""

    number: int
    progress: RunProgress
    ready_at: dict[Cell, datetime] = field(default_factory=dict)
    """Since when those wait that its own limits hold back."""
    waits: defaultdict[str, timedelta] = field(default_factory=lambda: defaultdict(timedelta))
    never: dict[str, None] = field(default_factory=dict)
    """Limits that some of its tasks can never keep."""
    has_ended: bool = False


class TasksTake:
    """Each task takes the time that is usual for it."""

    def __init__(
        self, structure: Structure, usual: Mapping[str, UsualTask], limits: SlotLimits, *, most: int = MOST_INSTANCES
    ) -> None:
        self._structure = structure
        self._usual = [usual.get(task.task_id, _NOTHING) for task in structure.tasks]
        self._limits = limits
        self._most = most
        self._left = most
        """Runs that have begun may go on for as much again: nobody knows before how many copies their tasks have."""
        self._runs: dict[int, _Played] = {}
        self._now = datetime.min.replace(tzinfo=UTC)
        self._under_way: list[tuple[datetime, int, int, Cell, bool]] = []
        """When each ends, its place in the order of beginnings, its run, and whether it holds slots."""
        self._begun = 0
        self._queues: dict[str, list[Candidate]] = {}
        self._queued_at: dict[TaskKey, datetime] = {}
        self._held_by: dict[TaskKey, HoldReason] = {}
        self._pool_held_by: dict[str, HoldReason] = {}
        self._occupied: defaultdict[str, int] = defaultdict(int)
        self._active: defaultdict[tuple[str, str], int] = defaultdict(int)
        self._with_slots = 0
        self._ended: deque[RunEnd] = deque()

    @property
    def is_exhausted(self) -> bool:
        """After so many task instances."""
        return self._left <= 0

    def begin(self, number: int, at: datetime, logical_date: datetime | None) -> None:
        """With all tasks that are part of a run of that date."""
        tasks = [task for task in self._structure.tasks if exists_at(task, logical_date)]
        new = (_snapshot(number, task.task_id, UNMAPPED, TaskState.NONE) for task in tasks)
        self._left -= len(tasks)
        self._now = at
        self._runs[number] = _Played(number, RunProgress(self._structure, new))
        self._settle([number])

    def next_end(self, until: datetime | None) -> RunEnd | None:
        """From one end of a task to the next."""
        while not self._ended:
            if not self._under_way or (until is not None and self._under_way[0][0] > until) or self._left < -self._most:
                return None
            self._now = self._under_way[0][0]
            touched = set()
            while self._under_way and self._under_way[0][0] == self._now:
                _, _, number, cell, has_slots = heappop(self._under_way)
                self._finish(self._runs[number], cell, has_slots=has_slots)
                touched.add(number)
            self._settle(touched)
        return self._ended.popleft()

    def waits_of(self, number: int) -> tuple[Wait, ...]:
        """What cost most first, and before that what is never over."""
        run = self._runs[number]
        waits = sorted(run.waits.items(), key=lambda each: each[1], reverse=True)
        return (
            *(Wait(limit, None) for limit in run.never),
            *(Wait(*each) for each in waits if each[0] not in run.never),
        )

    def _settle(self, numbers: Iterable[int]) -> None:
        """What follows from what happened to these runs."""
        pending = set(numbers)
        while pending:
            number = min(pending)
            pending.remove(number)
            self._settle_run(self._runs[number])
            follower = self._runs.get(number + 1) if self._structure.past_readers else None
            if follower is not None and not follower.has_ended:
                follower.progress.ask_past_again()
                pending.add(follower.number)
        self._admit()

    def _settle_run(self, run: _Played) -> None:
        if run.has_ended:
            return
        progress = run.progress
        while True:
            settlement = progress.settle()
            for move in settlement.moves.values():
                if move.cell.held_by is HeldBy.START_FROM_TRIGGER:
                    move.cell.held_by = None
                    self._start(run.number, move.cell, has_slots=False)
                elif move.to_state is TaskState.SCHEDULED:
                    run.ready_at[move.cell] = self._now
            if not settlement.asks_past:
                break
            for cell in settlement.asks_past:
                progress.learn_past(cell, self._past(run, cell))
        for cell in progress.gate.release():
            self._queue(run, cell)
        if settlement.outcome is not None:
            run.has_ended = True
            self._ended.append(RunEnd(run.number, self._now))

    def _past(self, run: _Played, cell: Cell) -> PastTask:
        """Runs before the first one have ended well."""
        before = self._runs.get(run.number - 1)
        same = None if before is None else before.progress.cells[cell.number].get(cell.map_index)
        if before is None or same is None:
            return NO_PAST
        after_it = before.progress.states_of(self._structure.downstream[cell.number])
        has_passed = all(state in PASSED_STATES for state in after_it)
        return PastTask(exists=True, any_earlier_run=True, state=same.state, downstream_passed=has_passed)

    def _queue(self, run: _Played, cell: Cell) -> None:
        """Its own run lets it through: it competes for slots."""
        task = self._structure.tasks[cell.number]
        waited = self._now - run.ready_at.pop(cell)
        if waited:
            most = task.max_active_per_run
            is_own = most is not None and most <= self._structure.dag.max_active_tasks
            run.waits["max_active_tis_per_dagrun" if is_own else "max_active_tasks"] += waited
        if can_never_fit(self._limits.pools.get(task.pool), task.pool_slots) is not None:
            run.never[f"pool {task.pool}"] = None
            return
        candidate = Candidate(
            run_key=RunKey(run.number),
            task_id=task.task_id,
            map_index=cell.map_index,
            attempt=0,
            dag_id=self._structure.dag.dag_id,
            pool=task.pool,
            pool_slots=task.pool_slots,
            priority_weight=self._structure.priority[cell.number],
            queue_turn=cell.number,
            max_active_per_dag=task.max_active_per_dag,
            executor=None,
            queue=task.queue,
            try_number=1,
        )
        insort(self._queues.setdefault(task.pool, []), candidate, key=_turn)
        self._queued_at[candidate.key] = self._now

    def _admit(self) -> None:
        """Who waits gets what slots are free."""
        queues = [
            PoolQueue(name, waiting, free_slots(self._limits.pools[name], self._occupied[name]))
            for name, waiting in self._queues.items()
            if waiting
        ]
        if not queues:
            return
        room = max(0, self._limits.parallelism - self._with_slots)
        admission = admit(queues, Capacity(room, {_EXECUTOR: room}, _EXECUTOR, self._active))
        for candidate in admission.admitted:
            self._note_wait(candidate)
            cell = self._runs[candidate.run_key].progress.cells[candidate.queue_turn][candidate.map_index]
            self._occupied[candidate.pool] += candidate.pool_slots
            self._active[candidate.dag_id, candidate.task_id] += 1
            self._with_slots += 1
            self._start(candidate.run_key, cell, has_slots=True)
        self._take_out(admission.admitted)
        for candidate, reason in admission.held:
            if reason is HoldReason.MAX_ACTIVE_PER_DAG:
                self._held_by[candidate.key] = reason
            else:
                self._pool_held_by[candidate.pool] = reason

    def _take_out(self, admitted: Sequence[Candidate]) -> None:
        for pool in {candidate.pool for candidate in admitted}:
            gone = [candidate for candidate in admitted if candidate.pool == pool]
            waiting = self._queues[pool]
            if waiting[: len(gone)] == gone:
                del waiting[: len(gone)]  # as nearly always, and there may be thousands behind
            else:
                self._queues[pool] = sorted(set(waiting).difference(gone), key=_turn)

    def _note_wait(self, candidate: Candidate) -> None:
        waited = self._now - self._queued_at.pop(candidate.key)
        own = self._held_by.pop(candidate.key, None)
        if waited:
            reason = own or self._pool_held_by.get(candidate.pool)
            self._runs[candidate.run_key].waits[_words(reason, candidate.pool)] += waited

    def _start(self, number: int, cell: Cell, *, has_slots: bool) -> None:
        self._left -= cell.map_index != UNMAPPED
        self._begun += 1
        ends_at = self._now + timedelta(seconds=self._usual[cell.number].seconds)
        heappush(self._under_way, (ends_at, self._begun, number, cell, has_slots))

    def _finish(self, run: _Played, cell: Cell, *, has_slots: bool) -> None:
        task = self._structure.tasks[cell.number]
        if has_slots:
            self._with_slots -= 1
            self._occupied[task.pool] -= task.pool_slots
            self._active[self._structure.dag.dag_id, task.task_id] -= 1
        length = self._usual[cell.number].map_length
        # Nobody knows how long a list is that was never made: of one element, then.
        made = 1 if length is None and self._structure.map_dependents[cell.number] else length
        run.progress.apply(_snapshot(run.number, task.task_id, cell.map_index, TaskState.SUCCESS, made))


def _snapshot(
    number: int, task_id: str, map_index: int, state: TaskState, map_length: int | None = None
) -> TaskSnapshot:
    return TaskSnapshot(RunKey(number), task_id, map_index, state, 1, 1, None, None, map_length, ())


def _turn(candidate: Candidate) -> tuple[int, int, int, int]:
    """The more urgent first, then those of the older run."""
    return -candidate.priority_weight, candidate.run_key, candidate.queue_turn, candidate.map_index


def _words(reason: HoldReason | None, pool: str) -> str:
    match reason:
        case HoldReason.MAX_ACTIVE_PER_DAG:
            return "max_active_tis_per_dag"
        case HoldReason.PARALLELISM | HoldReason.EXECUTOR_FULL:
            return "parallelism"
        case _:
            return f"pool {pool}"
