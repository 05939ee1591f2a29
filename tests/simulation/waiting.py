"""Tasks that wait: for what, who has their triggers, and what must hold of that at each commit and at the end."""

import json
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from tests.simulation.asking import Answered
from tests.simulation.kernel import Kernel, Process
from tests.simulation.mirror import Mirror, TaskChange
from tests.simulation.starts import draw_start
from tests.simulation.truth import name_of
from tradewind.model.ids import AttemptKey, RunKey
from tradewind.model.states import TaskState

_KEY = "run_key, task_id, map_index, attempt"
_FAILED_METHOD = "__fail__"


def prepare(connection: sa.Connection) -> None:
    """Create what writes down each change of a trigger and of the lease of a triggerer."""
    connection.exec_driver_sql(f"CREATE TEMP TABLE trigger_log (op, trigger_key, {_KEY}, old, new, kwargs)")
    connection.exec_driver_sql("CREATE TEMP TABLE lease_log (op, job_key, is_dead)")
    key = "{0}.trigger_key, " + ", ".join(f"{{0}}.{name}" for name in _KEY.split(", "))
    for name, when, action in (
        ("wi", "INSERT ON main.task_trigger", f"trigger_log VALUES ('+', {key.format('NEW')}, NULL, NULL, NEW.kwargs)"),
        (
            "wu",
            "UPDATE OF triggerer ON main.task_trigger",
            f"trigger_log VALUES ('=', {key.format('NEW')}, OLD.triggerer, NEW.triggerer, NULL)",
        ),
        ("wd", "DELETE ON main.task_trigger", f"trigger_log VALUES ('-', {key.format('OLD')}, NULL, NULL, NULL)"),
        ("li", "INSERT ON main.job WHEN NEW.kind = 'triggerer'", "lease_log VALUES ('+', NEW.job_key, 0)"),
        ("lu", "UPDATE ON main.job WHEN NEW.kind = 'triggerer'", "lease_log VALUES ('=', NEW.job_key, NEW.is_dead)"),
    ):
        connection.exec_driver_sql(f"CREATE TEMP TRIGGER watch_{name} AFTER {when} BEGIN INSERT INTO {action}; END")


class Resumption(NamedTuple):
    """What a task goes on with."""

    method: str | None
    kwargs: Any


ANEW = Resumption(None, None)


class Waiting:
    """All deferrals of one seed."""

    def __init__(
        self, kernel: Kernel, raw: sqlite3.Connection, mirror: Mirror, threshold_s: float, *, seed: int
    ) -> None:
        self._kernel = kernel
        self._raw = raw
        self._mirror = mirror
        self._threshold_s = threshold_s
        self._seed = seed
        self._awaited: dict[AttemptKey, dict[str, Any]] = {}
        """What the trigger of each deferral will say."""
        self._resumed: dict[AttemptKey, Resumption] = {}
        self._answered = Answered(kernel, raw)
        self._owners: dict[int, Process] = {}
        self._heard_s: dict[int, float] = {}
        """When each triggerer last renewed its lease."""
        for table in ("trigger_log", "lease_log"):
            raw.execute(f"DELETE FROM temp.{table}")

    def check(self, process: Process, changes: list[TaskChange]) -> None:
        """What the commit that this process just made did to tasks that wait."""
        self._check_leases(process)
        self._check_triggers(process)
        for change in changes:
            if change.old_state is TaskState.DEFERRED and change.new_state is not TaskState.DEFERRED:
                self._check_end_of_wait(process, change)
            elif change.new_state is TaskState.DEFERRED and change.row.state is TaskState.DEFERRED:
                self._check_begin_of_wait(change)
            elif change.old_state is TaskState.AWAITING_INPUT and change.new_state is TaskState.SCHEDULED:
                self._check_answered(process, AttemptKey(*change.row.key, change.old_attempt))
            elif change.new_state is TaskState.AWAITING_INPUT:
                self._answered.check_begin(AttemptKey(*change.row.key, change.new_attempt))

    def goes_on_with(self, before: AttemptKey | None) -> Resumption:
        """What an attempt must begin with, if this was the last one of the same try."""
        return ANEW if before is None else self._resumed.get(before, ANEW)

    def end_violations(self) -> Iterator[str]:
        """Nothing is left of what waited."""
        found = self._raw.execute(f"SELECT trigger_key, triggerer, {_KEY} FROM task_trigger").fetchall()
        found += self._raw.execute(f"SELECT trigger_key, triggerer, {_KEY} FROM orphan_trigger").fetchall()
        for trigger, owner, *key in found:
            yield f"trigger {trigger} of {name_of(_attempt(key))} is left, with job {owner}"

    def is_any_left(self) -> bool:
        """Whether a trigger is still stored."""
        query = "SELECT 1 FROM task_trigger UNION SELECT 1 FROM orphan_trigger"
        return self._raw.execute(query).fetchone() is not None

    def _check_leases(self, process: Process) -> None:
        rows = self._raw.execute("SELECT * FROM temp.lease_log ORDER BY rowid").fetchall()
        for op, job, is_dead in rows:
            if op == "+":
                self._owners[job] = process
            if is_dead and not self._owners[job].is_dead and self._silence_s(job) < self._threshold_s:
                self._kernel.fail(f"job {job} was declared dead {self._silence_s(job):.1f} s after it was heard of")
            if not is_dead:
                self._heard_s[job] = self._kernel.now_s
        if rows:
            self._raw.execute("DELETE FROM temp.lease_log")

    def _silence_s(self, job: int) -> float:
        return self._kernel.now_s - self._heard_s[job]

    def _check_triggers(self, process: Process) -> None:
        rows = self._raw.execute("SELECT * FROM temp.trigger_log ORDER BY rowid").fetchall()
        for op, trigger, run_key, task_id, map_index, attempt, old, new, kwargs in rows:
            key = _attempt((run_key, task_id, map_index, attempt))
            if op == "+":
                self._awaited[key] = json.loads(kwargs) or self._start_of(key)
            elif op == "-" and self._is_waiting(key):
                self._kernel.fail(f"the trigger of {name_of(key)} was deleted, but the task still waits")
            elif op == "=" and new is not None:
                self._kernel.say(process.name, f"claims trigger {trigger} of {name_of(key)} as job {new}")
                self._check_claim(process, key, old, new)
            elif op == "=" and old is not None and self._owners.get(old) is not process and self._is_live(old):
                self._kernel.fail(f"the trigger of {name_of(key)} was taken from job {old}, which lives")
        if rows:
            self._raw.execute("DELETE FROM temp.trigger_log")

    def _start_of(self, key: AttemptKey) -> dict[str, Any]:
        """Of a trigger that its task began with: the row does not say what it gets."""
        row = self._mirror.find(key.task)
        return {} if row is None else draw_start(self._seed, row.dag_id, key.task_id).kwargs

    def _check_claim(self, process: Process, key: AttemptKey, old: int | None, new: int) -> None:
        if old is not None:
            self._kernel.fail(f"job {new} claimed the trigger of {name_of(key)}, which job {old} has")
        if self._owners.get(new) is not process:
            self._kernel.fail(f"{process.name} claimed the trigger of {name_of(key)} as job {new}, which it is not")
        if not self._is_waiting(key) and not self._is_killed(key):
            self._kernel.fail(f"job {new} claimed the trigger of {name_of(key)}, which does not wait")

    def _is_waiting(self, key: AttemptKey) -> bool:
        row = self._mirror.find(key.task)
        return row is not None and row.attempt_key == key and row.state is TaskState.DEFERRED

    def _is_killed(self, key: AttemptKey) -> bool:
        """Whether a person stopped the task, and what its trigger waits for is to be ended."""
        query = "SELECT is_killed FROM task_trigger WHERE run_key = ? AND task_id = ? AND map_index = ? AND attempt = ?"
        found = self._raw.execute(query, key).fetchone()
        return found is not None and bool(found[0])

    def _is_live(self, job: int) -> bool:
        return (
            self._raw.execute("SELECT 1 FROM job WHERE job_key = ? AND stopped_at IS NULL", (job,)).fetchone()
            is not None
        )

    def _check_begin_of_wait(self, change: TaskChange) -> None:
        key = change.row.attempt_key
        if key not in self._awaited:
            self._kernel.fail(f"{name_of(key)} waits, but has no trigger")
        found = self._deferral(key)
        if found is None or found[0] != key.attempt:
            self._kernel.fail(f"{name_of(key)} waits, but nothing says how it goes on")

    def _deferral(self, key: AttemptKey) -> tuple[int, str, Any, str | None] | None:
        query = (
            "SELECT attempt, next_method, next_kwargs, times_out_at FROM deferral"
            " WHERE run_key = ? AND task_id = ? AND map_index = ?"
        )
        found = self._raw.execute(query, key[:3]).fetchone()
        return None if found is None else (found[0], found[1], json.loads(found[2] or "null"), found[3])

    def _check_end_of_wait(self, process: Process, change: TaskChange) -> None:
        key = AttemptKey(*change.row.key, change.old_attempt)
        if change.new_state is TaskState.SCHEDULED:
            self._check_resumed(process, key)
        elif process.kind == "triggerer":
            ending = self._awaited[key]["ending"]
            expected = {"failed": (TaskState.FAILED, TaskState.UP_FOR_RETRY)}.get(ending, (ending,))
            if change.new_state not in expected:
                self._kernel.fail(f"{name_of(key)} ended {change.new_state}, but its trigger says {ending}")

    def _check_answered(self, process: Process, key: AttemptKey) -> None:
        found = self._resume(key)
        if found is not None:
            self._answered.check(process, key, found[2], found[3])

    def _resume(self, key: AttemptKey) -> tuple[int, str, Any, str | None] | None:
        """It goes on, for the first time, with what it has."""
        if key in self._resumed:
            self._kernel.fail(f"{name_of(key)} was resumed twice")
        found = self._deferral(key)
        if found is None or found[0] != key.attempt:
            self._kernel.fail(f"{name_of(key)} goes on with what it does not have: {found}")
            return None
        self._resumed[key] = Resumption(found[1], found[2])
        return found

    def _check_resumed(self, process: Process, key: AttemptKey) -> None:
        found = self._resume(key)
        if found is None:
            return
        times_out_at = found[3]
        awaited = self._awaited[key]
        if process.kind == "scheduler":
            expected = Resumption(_FAILED_METHOD, {"error": "Trigger timeout"})
            local = self._kernel.epoch + timedelta(seconds=self._kernel.now_s + process.offset_s)
            if times_out_at is None or local < datetime.fromisoformat(times_out_at).replace(tzinfo=UTC):
                self._kernel.fail(f"{name_of(key)} timed out, but may wait until {times_out_at}")
        elif awaited["ending"] == "error":
            expected = Resumption(_FAILED_METHOD, {"error": "Trigger failure", "traceback": [awaited["says"]]})
        else:
            expected = Resumption("go_on", {"own": awaited["says"], "event": awaited["says"]})
        if self._resumed[key] != expected:
            self._kernel.fail(f"{name_of(key)} goes on with {self._resumed[key]}, not with {expected}")


def _attempt(values: tuple[Any, ...] | list[Any]) -> AttemptKey:
    run_key, task_id, map_index, attempt = values
    return AttemptKey(RunKey(run_key), task_id, map_index, attempt)
