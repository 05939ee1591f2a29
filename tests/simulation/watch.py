"""The invariants that hold at each commit."""

import sqlite3
from collections.abc import Callable, Iterator

from tests.simulation.backfills import running_outside, start_violation
from tests.simulation.kernel import Kernel, Process
from tests.simulation.mirror import Commit, Mirror, RunChange, RunRow, TaskChange, TaskRow
from tests.simulation.reference import run_end
from tests.simulation.scenario import Scenario
from tests.simulation.truth import Truth, name_of
from tests.simulation.waiting import Waiting
from tradewind.decide.transitions import RUN_TRANSITIONS, TASK_TRANSITIONS, RunEvent, TaskEvent
from tradewind.model.dag import Dag
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.pool import UNLIMITED_SLOTS
from tradewind.model.states import FINISHED_RUN_STATES, FINISHED_STATES, RunState, TaskState
from tradewind.model.task import EndReport

E = TaskEvent
_WORKERS = {E.START, E.SUCCEED, E.FAIL, E.RETRY, E.RESCHEDULE, E.DEFER, E.AWAIT_INPUT, E.SKIP, E.STOPPED}
_EVENTS: dict[str, set[TaskEvent]] = {
    "worker": _WORKERS,
    # Reports reach the database through schedulers, too.
    "scheduler": _WORKERS | {E.SCHEDULE, E.ADMIT, E.UPSTREAM_FAIL, E.REMOVE, E.REQUEUE, E.RESUME},
    "triggerer": {E.RESUME, E.SUCCEED, E.FAIL, E.RETRY, E.SKIP},
    "person": {E.CLEAR, E.RESTART, E.MARK_SUCCESS, E.MARK_FAILED, E.MARK_SKIPPED, E.SKIP, E.FAIL},
}
_HANDED_OVER = frozenset({TaskState.QUEUED, TaskState.RUNNING, TaskState.RESTARTING})
_ONLY_FROM = {"worker": _HANDED_OVER, "triggerer": frozenset({TaskState.DEFERRED})}
_ALLOWED = {
    kind: {
        (old, new)
        for (old, event), new in TASK_TRANSITIONS.items()
        if event in events and (kind not in _ONLY_FROM or old in _ONLY_FROM[kind])
    }
    for kind, events in _EVENTS.items()
}
_ALLOWED["worker"].add((TaskState.AWAITING_INPUT, TaskState.SCHEDULED))  # it was answered before it had left
_ALLOWED["person"].add((TaskState.AWAITING_INPUT, TaskState.SCHEDULED))
_ALLOWED["scheduler"].add((TaskState.REMOVED, TaskState.NONE))  # a mapping that grows again
_ALLOWED["scheduler"].add((TaskState.REMOVED, TaskState.SCHEDULED))
_RUN_EVENTS = {
    "scheduler": {RunEvent.START, RunEvent.SUCCEED, RunEvent.FAIL},
    "person": {RunEvent.CLEAR, RunEvent.MARK_FAILED, RunEvent.MARK_SUCCESS},
}
_RUN_ALLOWED = {
    kind: {(old, new) for (old, event), new in RUN_TRANSITIONS.items() if event in events}
    for kind, events in _RUN_EVENTS.items()
}
_HAS_PROCESS = frozenset({TaskState.RUNNING, TaskState.RESTARTING})
_ENDS_OF_RUNS = ("dagrun_timeout", "fail_fast")
OVERDUE = "its deadline passed"
"""Why a run is made and failed in one transaction: a tick waited for its assets in vain."""


class Watch:
    """Looks at every commit, right after it, before anything else happens."""

    def __init__(
        self,
        kernel: Kernel,
        raw: sqlite3.Connection,
        mirror: Mirror,
        truth: Truth,
        waiting: Waiting,
        scenario: Scenario,
    ) -> None:
        self._kernel = kernel
        self._raw = raw
        self._mirror = mirror
        self._truth = truth
        self._waiting = waiting
        self._parallelism = scenario.core.parallelism
        self.dags: dict[int, Dag] = {}
        """By version."""
        self.free_slots: Callable[[Process], dict[str, int]] = lambda _: {}
        """What the executors of a scheduler last said they have free."""
        self._expected_starts: list[AttemptKey] = []
        self._expected_ends: list[EndReport] = []
        self.changed_at_s = 0.0

    def begun(self) -> None:
        """A transaction begins: what an earlier one expected was rolled back."""
        self._expected_starts.clear()
        self._expected_ends.clear()

    def expect_start(self, attempt: AttemptKey) -> None:
        """If this transaction is committed, a worker will run this attempt."""
        self._expected_starts.append(attempt)

    def expect_end(self, report: EndReport) -> None:
        """If this transaction is committed, a worker will be told that this counts."""
        self._expected_ends.append(report)

    def check(self, process: Process) -> None:
        """Everything about the commit that this process just made."""
        commit = self._mirror.take()
        for run_change in commit.runs:
            self._check_run(process, run_change)
        for change in commit.tasks:
            self._check_task(process, change)
        self._waiting.check(process, commit.tasks)
        admitted = [change.row for change in commit.tasks if _is_admission(change)]
        if admitted:
            self._check_limits(process, commit, admitted)
        starting = [change.row for change in commit.tasks if _is_start(change)]
        if starting:
            self._check_starts(starting)
        for run_change in commit.runs:
            if run_change.row.state in FINISHED_RUN_STATES and process.kind == "scheduler":
                self._check_end_of_run(run_change.row)
        self._check_expected()
        if commit.tasks or commit.runs:
            self.changed_at_s = self._kernel.now_s

    def paused_dags(self) -> set[str]:
        """DAGs that are paused now."""
        return {row[0] for row in self._raw.execute("SELECT dag_id FROM dag WHERE is_paused")}

    def _fail(self, violation: str) -> None:
        self._kernel.fail(violation)

    def _check_expected(self) -> None:
        for attempt in self._expected_starts:
            row = self._mirror.find(attempt.task)
            if row is None or row.attempt_key != attempt or row.state is not TaskState.RUNNING:
                at = "gone" if row is None else f"{row.state} at #{row.attempt}"
                self._fail(f"the start of {name_of(attempt)} was granted, but the row is {at}")
        for report in self._expected_ends:
            self._truth.check_end(report)
        self.begun()

    def _check_task(self, process: Process, change: TaskChange) -> None:
        row, old, new = change.row, change.old_state, change.new_state
        who = name_of(row.key)
        if old is None:
            if new is not TaskState.NONE or row.attempt:
                self._fail(f"{who} was created {new}")
            return
        begins_waiting = old is TaskState.SCHEDULED and new is TaskState.DEFERRED
        begins = begins_waiting or (old is not new and new is TaskState.QUEUED)
        if change.new_attempt != change.old_attempt + begins:
            self._fail(f"{who} went from attempt {change.old_attempt} to {change.new_attempt} ({old} → {new})")
        if not 0 <= change.new_try - change.old_try <= 1:
            self._fail(f"{who} went from try {change.old_try} to {change.new_try}")
        if old is new:
            return
        self._kernel.say(process.name, f"{who} {old} → {new} #{change.new_attempt}")
        if (old, new) not in _ALLOWED[process.kind]:
            self._fail(f"{who} went from {old} to {new} by a {process.kind}")
        if old in _HAS_PROCESS and new not in _HAS_PROCESS:
            self._left(process, change)
        if process.kind == "person":
            self._mirror.runs[row.key.run_key].is_touched = True
        if begins_waiting:
            self._truth.begin_waiting(row.attempt_key, row.try_number, process)
        elif new in (TaskState.DEFERRED, TaskState.AWAITING_INPUT, TaskState.UP_FOR_RESCHEDULE):
            self._truth.goes_on_later(AttemptKey(*row.key, change.old_attempt))

    def _left(self, process: Process, change: TaskChange) -> None:
        """An attempt no longer runs, as far as the database knows."""
        attempt = AttemptKey(*change.row.key, change.old_attempt)
        ends_with_run = change.new_state in FINISHED_STATES and (change.row.reason or "").startswith(_ENDS_OF_RUNS)
        is_by_right = process.kind == "person" or ends_with_run
        self._truth.left(attempt, is_by_right=is_by_right)

    def _check_run(self, process: Process, change: RunChange) -> None:
        row, old = change.row, change.old_state
        if old is None or row.key not in self._mirror.runs:
            self._kernel.say(process.name, f"r{row.key} {row.dag_id} {row.run_id} {row.state}")
            return
        self._kernel.say(process.name, f"r{row.key} {old} → {row.state} {row.reason or ''}")
        if (old, row.state) not in _RUN_ALLOWED.get(process.kind, ()) and not (row.reason or "").startswith(OVERDUE):
            self._fail(f"r{row.key} went from {old} to {row.state} by a {process.kind}")
        if process.kind == "person":
            row.is_touched = True
        if row.state is RunState.RUNNING:
            self._check_started(row)

    def _check_started(self, row: RunRow) -> None:
        if row.dag_id in self.paused_dags():
            self._fail(f"r{row.key} was started, but its DAG is paused")
        violation = start_violation(self._raw, row.key)
        if violation is not None:
            self._fail(violation)
        running = running_outside(self._raw, row.dag_id)
        (version_key,) = self._raw.execute("SELECT version_key FROM dag WHERE dag_id = ?", (row.dag_id,)).fetchone()
        limit = self.dags[version_key].max_active_runs
        if running > limit:
            self._fail(f"{running} runs of {row.dag_id} are running; max_active_runs is {limit}")

    def _check_end_of_run(self, run: RunRow) -> None:
        reason = run.reason or ""
        unfinished = [row for row in run.tasks.values() if row.state not in FINISHED_STATES]
        if unfinished:
            self._fail(f"r{run.key} ended ({reason}), but {name_of(unfinished[0].key)} is {unfinished[0].state}")
        elif not reason.startswith(("dagrun_timeout", OVERDUE)):
            query = "SELECT forced_state FROM dag_run WHERE run_key = ?"
            (forced,) = self._raw.execute(query, (run.key,)).fetchone()
            expected = RunState(forced) if forced else run_end(self.dags[run.version_key], run)
            if run.state is not expected:
                self._fail(f"r{run.key} ended {run.state}; its leaves say {expected}")

    def _check_limits(self, process: Process, commit: Commit, admitted: list[TaskRow]) -> None:
        active = list(self._mirror.active_tasks())
        occupying = [row for row in active if row.is_occupying]
        paused = self.paused_dags()
        for row in admitted:
            if row.dag_id in paused:
                self._fail(f"{name_of(row.key)} was admitted, but its DAG is paused")
        for violation in (
            *self._pool_violations(active, admitted),
            *self._run_violations(occupying, {row.key.run_key for row in admitted}),
            *_task_violations(occupying, admitted),
            *self._parallelism_violations(occupying, admitted),
            *self._priority_violations(process, commit, active, admitted),
        ):
            self._fail(violation)

    def _check_starts(self, starting: list[TaskRow]) -> None:
        """They need no worker, and slots only where those count that wait."""
        paused = self.paused_dags()
        for row in starting:
            if row.dag_id in paused:
                self._fail(f"{name_of(row.key)} began to wait, but its DAG is paused")
        counting = {name for name, (_, include_deferred) in self._pools().items() if include_deferred}
        own = [row for row in starting if row.pool in counting]
        for violation in self._pool_violations(list(self._mirror.active_tasks()), own):
            self._fail(violation)

    def _pools(self) -> dict[str, tuple[int, bool]]:
        found = self._raw.execute("SELECT name, slots, include_deferred FROM pool")
        return {name: (slots, bool(include_deferred)) for name, slots, include_deferred in found}

    def _pool_violations(self, active: list[TaskRow], admitted: list[TaskRow]) -> Iterator[str]:
        pools = self._pools()
        for name in sorted({row.pool for row in admitted}):
            if name not in pools:
                yield f"a task was admitted to the pool {name}, which does not exist"
                continue
            slots, include_deferred = pools[name]
            used = sum(
                row.pool_slots
                for row in active
                if row.pool == name and (row.is_occupying or (include_deferred and row.state is TaskState.DEFERRED))
            )
            if slots != UNLIMITED_SLOTS and used > slots:
                yield f"{used} of {slots} slots of the pool {name} are in use"

    def _run_violations(self, occupying: list[TaskRow], run_keys: set[RunKey]) -> Iterator[str]:
        for run_key in sorted(run_keys):
            dag = self.dags[self._mirror.runs[run_key].version_key]
            own = [row.key.task_id for row in occupying if row.key.run_key == run_key]
            if len(own) > dag.max_active_tasks:
                yield f"{len(own)} tasks of r{run_key} are active; max_active_tasks is {dag.max_active_tasks}"
            for task in dag.tasks:
                if task.max_active_per_run is not None and own.count(task.task_id) > task.max_active_per_run:
                    yield f"{own.count(task.task_id)} of {task.task_id} in r{run_key}: max_active_tis_per_dagrun"

    def _parallelism_violations(self, occupying: list[TaskRow], admitted: list[TaskRow]) -> Iterator[str]:
        for job in sorted({row.queued_by for row in admitted if row.queued_by is not None}):
            held = sum(row.queued_by == job for row in occupying)
            if held > self._parallelism:
                yield f"job {job} holds {held} tasks; parallelism is {self._parallelism}"

    def _priority_violations(
        self, process: Process, commit: Commit, active: list[TaskRow], admitted: list[TaskRow]
    ) -> Iterator[str]:
        """Nobody who waited in the view of this very transaction, and could have gone, was passed over."""
        pools = self._pools()
        changed = {change.row for change in commit.tasks}
        free = dict(self.free_slots(process))
        for row in admitted:
            free[row.executor or "first"] = free.get(row.executor or "first", 0) - 1
        for row in active:
            if not row.is_waiting or row in changed:
                continue
            passed_by = [other for other in admitted if other.pool == row.pool and _is_before(row, other)]
            slots = pools.get(row.pool, (0, False))[0]
            if not passed_by or (slots != UNLIMITED_SLOTS and row.pool_slots > slots):
                continue
            if free.get(row.executor or "first", 0) <= 0 or _is_task_full(row, active):
                continue
            yield f"{name_of(passed_by[0].key)} was admitted before {name_of(row.key)}, which is more urgent"


def _is_admission(change: TaskChange) -> bool:
    return change.old_state is TaskState.SCHEDULED and change.new_state is TaskState.QUEUED


def _is_start(change: TaskChange) -> bool:
    return change.old_state is TaskState.SCHEDULED and change.new_state is TaskState.DEFERRED


def _is_before(row: TaskRow, other: TaskRow) -> bool:
    return row.priority_weight > other.priority_weight


def _is_task_full(row: TaskRow, active: list[TaskRow]) -> bool:
    if row.max_active_per_dag is None:
        return False
    return _count_of(row, active) >= row.max_active_per_dag


def _count_of(row: TaskRow, active: list[TaskRow]) -> int:
    return sum(
        other.is_occupying and other.dag_id == row.dag_id and other.key.task_id == row.key.task_id for other in active
    )


def _task_violations(occupying: list[TaskRow], admitted: list[TaskRow]) -> Iterator[str]:
    for row in admitted:
        if row.max_active_per_dag is not None and _count_of(row, occupying) > row.max_active_per_dag:
            yield f"{_count_of(row, occupying)} instances of {row.key.task_id}: max_active_tis_per_dag"
