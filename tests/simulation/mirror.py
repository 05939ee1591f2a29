"""What is in the database, known without asking it: each committed change of a state, in the order of the writes.

Triggers inside SQLite write down every single change of a row, also those that one transaction makes after another,
and forget them with it when it is rolled back. So the cost of watching is that of what changed, and nothing that
production code does to a state can stay unseen.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy as sa

from tests.simulation.backfills import WATCH_COMPLETION
from tradewind.model.ids import AttemptKey, RunKey, TaskKey
from tradewind.model.states import FINISHED_RUN_STATES, OCCUPYING_STATES, RunState, TaskState

_TASK_COLUMNS = (
    "run_key", "task_id", "map_index", "dag_id", "state", "attempt", "try_number", "held_by", "queued_by",
    "pool", "pool_slots", "priority_weight", "max_active_per_dag", "executor", "map_length", "skips", "reason",
    "wake_at",
)  # fmt: skip
_WATCHED = ("state", "attempt", "try_number", "held_by", "queued_by", "wake_at", "map_length", "skips")


def prepare(connection: sa.Connection) -> None:
    """Create the triggers, and the table that they write to."""
    columns = ", ".join(_TASK_COLUMNS)
    connection.exec_driver_sql(f"CREATE TEMP TABLE task_log (op, old_state, old_attempt, {columns})")
    connection.exec_driver_sql("CREATE TEMP TABLE run_log (op, run_key, dag_id, run_id, state, version_key, reason)")
    connection.exec_driver_sql("CREATE TEMP TABLE early_end (backfill_key, looked_at, total)")
    connection.exec_driver_sql(WATCH_COMPLETION)
    new_task = ", ".join(f"NEW.{name}" for name in _TASK_COLUMNS)
    old_task = ", ".join(f"OLD.{name}" for name in _TASK_COLUMNS)
    differs = " OR ".join(f"OLD.{name} IS NOT NEW.{name}" for name in _WATCHED)
    run = "{0}.run_key, {0}.dag_id, {0}.run_id, {0}.state, {0}.version_key, {0}.reason"
    for name, when, action in (
        ("ti", "INSERT ON main.task_instance", f"task_log VALUES ('+', NULL, NULL, {new_task})"),
        (
            "tu",
            f"UPDATE OF {', '.join(_WATCHED)} ON main.task_instance WHEN {differs}",
            f"task_log VALUES ('=', OLD.state, OLD.attempt, {new_task})",
        ),
        ("td", "DELETE ON main.task_instance", f"task_log VALUES ('-', OLD.state, OLD.attempt, {old_task})"),
        ("ri", "INSERT ON main.dag_run", f"run_log VALUES ('+', {run.format('NEW')})"),
        (
            "ru",
            "UPDATE OF state ON main.dag_run WHEN OLD.state IS NOT NEW.state",
            f"run_log VALUES ('=', {run.format('NEW')})",
        ),
        ("rd", "DELETE ON main.dag_run", f"run_log VALUES ('-', {run.format('OLD')})"),
    ):
        connection.exec_driver_sql(f"CREATE TEMP TRIGGER watch_{name} AFTER {when} BEGIN INSERT INTO {action}; END")


@dataclass(slots=True, eq=False)
class TaskRow:
    """A task instance as it was last committed."""

    key: TaskKey
    dag_id: str
    state: TaskState
    attempt: int
    try_number: int
    held_by: str | None
    queued_by: int | None
    pool: str
    pool_slots: int
    priority_weight: int
    max_active_per_dag: int | None
    executor: str | None
    map_length: int | None
    skips: str | None
    reason: str | None
    wake_at: str | None

    @property
    def is_occupying(self) -> bool:
        return self.state in OCCUPYING_STATES

    @property
    def is_waiting(self) -> bool:
        return self.state is TaskState.SCHEDULED and self.held_by is None

    @property
    def attempt_key(self) -> AttemptKey:
        return AttemptKey(*self.key, self.attempt)


@dataclass(slots=True, eq=False)
class RunRow:
    """A run as it was last committed."""

    key: RunKey
    dag_id: str
    run_id: str
    state: RunState
    version_key: int
    reason: str | None
    tasks: dict[TaskKey, TaskRow] = field(default_factory=dict)
    is_touched: bool = False
    """A person changed something in it, so its states need not follow from its rules any more."""


class TaskChange(NamedTuple):
    """One write to one task instance."""

    row: TaskRow
    old_state: TaskState | None
    new_state: TaskState
    old_attempt: int
    new_attempt: int
    old_try: int
    new_try: int


class RunChange(NamedTuple):
    """One write to one run's state; an old state of None is a new run."""

    row: RunRow
    old_state: RunState | None


@dataclass(slots=True)
class Commit:
    """What one transaction changed."""

    tasks: list[TaskChange] = field(default_factory=list)
    runs: list[RunChange] = field(default_factory=list)


class Mirror:
    """All runs and task instances, kept in step with the database."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self._raw = raw
        self.runs: dict[RunKey, RunRow] = {}
        self.open_runs: dict[RunKey, None] = {}
        for table in ("task_log", "run_log", "early_end"):
            raw.execute(f"DELETE FROM temp.{table}")
        self._seen = raw.total_changes

    def has_news(self) -> bool:
        """Whether anything at all was written since the last look."""
        return self._raw.total_changes != self._seen

    def tasks(self) -> Iterator[TaskRow]:
        """All task instances."""
        for run in self.runs.values():
            yield from run.tasks.values()

    def active_tasks(self) -> Iterator[TaskRow]:
        """Task instances of runs that have not ended, and those that still hold slots."""
        for run in self.runs.values():
            for row in run.tasks.values():
                if row.state in OCCUPYING_STATES or run.key in self.open_runs:
                    yield row

    def find(self, key: TaskKey) -> TaskRow | None:
        """One task instance."""
        run = self.runs.get(key.run_key)
        return None if run is None else run.tasks.get(key)

    def take(self) -> Commit:
        """Read what was written, and be up to date."""
        commit = Commit()
        for op, run_key, *values in self._raw.execute("SELECT * FROM temp.run_log ORDER BY rowid").fetchall():
            self._take_run(commit, op, RunKey(run_key), values)
        for op, old_state, old_attempt, *new in self._raw.execute(
            "SELECT * FROM temp.task_log ORDER BY rowid"
        ).fetchall():
            self._take_task(commit, op, old_state, old_attempt, new)
        if commit.runs:
            self._raw.execute("DELETE FROM temp.run_log")
        if commit.tasks:
            self._raw.execute("DELETE FROM temp.task_log")
        self._seen = self._raw.total_changes
        return commit

    def _take_run(self, commit: Commit, op: str, key: RunKey, values: list[object]) -> None:
        dag_id, run_id, state_text, version_key, reason = values
        state = RunState(str(state_text))
        known = self.runs.get(key)
        old = known.state if known is not None else None
        if known is None:
            assert isinstance(version_key, int)
            known = self.runs[key] = RunRow(key, str(dag_id), str(run_id), state, version_key, None)
        known.state = state
        known.reason = None if reason is None else str(reason)
        if op == "-":
            del self.runs[key]
        if op == "-" or state in FINISHED_RUN_STATES:
            self.open_runs.pop(key, None)
        else:
            self.open_runs[key] = None
        commit.runs.append(RunChange(known, old))

    def _take_task(self, commit: Commit, op: str, old_state: str, old_attempt: int, new: list[Any]) -> None:
        key = TaskKey(RunKey(new[0]), new[1], new[2])
        run = self.runs.get(key.run_key)
        if op == "-":
            if run is not None:
                run.tasks.pop(key, None)
            return
        assert run is not None
        state = TaskState(new[4])
        row = run.tasks.get(key)
        if row is None:
            row = run.tasks[key] = TaskRow(key, new[3], state, *new[5:])
            commit.tasks.append(TaskChange(row, None, state, 0, row.attempt, 0, row.try_number))
            return
        change = TaskChange(row, TaskState(old_state), state, old_attempt, new[5], row.try_number, new[6])
        (row.attempt, row.try_number, row.held_by, row.queued_by) = new[5:9]
        (row.map_length, row.skips, row.reason, row.wake_at) = new[14:18]
        row.state = state
        commit.tasks.append(change)
