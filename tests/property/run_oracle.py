"""The rules of a run once more, as slowly and plainly as possible: what `decide.progress` is compared with.

Written from the reference, not from the engine: it looks at everything each time, keeps no counts and no memory.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from tradewind.model.dag import Dag, Task
from tradewind.model.ids import UNMAPPED, RunKey
from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip
from tradewind.model.states import HeldBy, TaskRole, TaskState, TriggerRule
from tradewind.model.task import TaskSnapshot

S = TaskState
R = TriggerRule
Key = tuple[str, int]
WAIT, RUN, SKIP, UPSTREAM_FAIL = "wait", "run", "skip", "upstream_fail"
UNDECIDED = (S.NONE, S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE)
ENDED = (S.SUCCESS, S.FAILED, S.SKIPPED, S.UPSTREAM_FAILED, S.REMOVED)
BAD = (S.FAILED, S.UPSTREAM_FAILED)


@dataclass(frozen=True)
class Row:
    """A task instance, as a database would keep it."""

    state: TaskState = S.NONE
    attempt: int = 0
    try_number: int = 0
    held_by: HeldBy | None = None
    is_due: bool = True
    map_length: int | None = None
    skips: tuple[str, ...] = ()


Rows = dict[Key, Row]


def snapshot(key: Key, row: Row, wake_at: object) -> TaskSnapshot:
    """The row as the engine reads it."""
    return TaskSnapshot(
        RunKey(1),
        key[0],
        key[1],
        row.state,
        row.attempt,
        row.try_number,
        row.held_by,
        None if row.is_due else wake_at,  # type: ignore[arg-type]
        row.map_length,
        row.skips,
    )


class Upstream:
    """The states of all upstream instances that count, and what the rules ask about them."""

    def __init__(self, states: list[TaskState]) -> None:
        self.states = [state for state in states if state is not S.REMOVED]
        self.done = all(state in ENDED for state in self.states)
        self.ok = S.SUCCESS in self.states
        self.skip = S.SKIPPED in self.states
        self.bad = any(state in BAD for state in self.states)
        self.ran = self.ok or S.FAILED in self.states
        self.all_skipped = all(state is S.SKIPPED for state in self.states)


Question = Callable[[Upstream], bool]
# By rule: when the task runs, and what it becomes when it cannot; the first that applies. As in the reference.
RULES: dict[TriggerRule, tuple[Question, list[tuple[Question, str]]]] = {
    R.ALL_SUCCESS: (lambda up: up.done, [(lambda up: up.bad, UPSTREAM_FAIL), (lambda up: up.skip, SKIP)]),
    R.ALL_FAILED: (lambda up: up.done, [(lambda up: up.ok or up.skip, SKIP)]),
    R.ALL_DONE: (lambda up: up.done, []),
    R.ALL_SKIPPED: (lambda up: up.done, [(lambda up: up.ok or up.bad, SKIP)]),
    R.ONE_SUCCESS: (
        lambda up: up.ok,
        [(lambda up: up.all_skipped, SKIP), (lambda up: up.done and not up.ok, UPSTREAM_FAIL)],
    ),
    R.ONE_FAILED: (lambda up: up.bad, [(lambda up: up.done and not up.bad, SKIP)]),
    R.ONE_DONE: (lambda up: up.ran, [(lambda up: up.done and not up.ran, SKIP)]),
    R.NONE_FAILED: (lambda up: up.done, [(lambda up: up.bad, UPSTREAM_FAIL)]),
    R.NONE_FAILED_MIN_ONE_SUCCESS: (
        lambda up: up.done,
        [(lambda up: up.bad, UPSTREAM_FAIL), (lambda up: up.all_skipped, SKIP)],
    ),
    R.NONE_SKIPPED: (lambda up: up.done, [(lambda up: up.skip, SKIP)]),
    R.ALL_DONE_MIN_ONE_SUCCESS: (
        lambda up: up.done,
        [(lambda up: up.skip, SKIP), (lambda up: up.done and not up.ok, UPSTREAM_FAIL)],
    ),
    R.ALWAYS: (lambda up: True, []),
}


def rule_verdict(rule: TriggerRule, states: list[TaskState]) -> str:
    """What the trigger rule says of these upstream states. That of teardowns must know the setups: see below."""
    up = Upstream(states)
    if not up.states:
        return RUN
    runs, cannot = RULES[rule]
    verdicts = [verdict for applies, verdict in cannot if applies(up)]
    return verdicts[0] if verdicts else RUN if runs(up) else WAIT


def teardown_verdict(states: list[TaskState], setups: list[TaskState]) -> str:
    """all_done_setup_success."""
    ups = [state for state in states if state is not S.REMOVED]
    setups = [state for state in setups if state is not S.REMOVED]
    if any(state not in ENDED for state in ups):
        return WAIT
    if not setups or S.SUCCESS in setups:
        return RUN
    return SKIP if all(state is S.SKIPPED for state in setups) else UPSTREAM_FAIL


class Oracle:
    """The rules for one DAG."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self.tasks: dict[str, Task] = {task.task_id: task for task in dag.tasks}
        self.groups = {group.group_id: group for group in dag.groups}
        self.group_of = {task_id: self._mapped_group(task) for task_id, task in self.tasks.items()}
        self.before = {task_id: self._all_before(task_id) for task_id in self.tasks}

    def _mapped_group(self, task: Task) -> str | None:
        group_id = task.group_id
        while group_id is not None and self.groups[group_id].mapping is None:
            group_id = self.groups[group_id].parent_id
        return group_id

    def _all_before(self, task_id: str) -> set[str]:
        direct = set(self.tasks[task_id].upstream)
        return direct.union(*(self._all_before(up) for up in direct))

    def length_of(self, task_id: str) -> MapLength | None:
        """What the task is mapped over, by itself or with its group."""
        group = self.group_of[task_id]
        return self.tasks[task_id].mapping if group is None else self.groups[group].mapping

    def rows_at_creation(self) -> Rows:
        """One row per task; as many as the DAG file says, where it says so."""
        rows: Rows = {}
        for task_id in self.tasks:
            length = self.length_of(task_id)
            count = None if length is None or sources(length) else resolve(length, {})
            for index in range(count) if count else (UNMAPPED,):
                rows[task_id, index] = Row()
        return rows

    def of(self, rows: Rows, task_id: str) -> list[Row]:
        """All rows of a task."""
        return [row for (name, _), row in rows.items() if name == task_id]

    # --- what follows

    def settle(self, rows: Rows) -> None:
        """Decide all that can be decided. The tasks of a DAG of our strategies stand after what they depend on."""
        before: Rows = {}
        while before != rows:  # a task that gets instances may give some to one before it in its group
            before = dict(rows)
            for task_id in self.tasks:
                self._visit(rows, task_id)

    def _visit(self, rows: Rows, task_id: str) -> None:
        undecided = [key for key, row in rows.items() if key[0] == task_id and row.state in UNDECIDED]
        if not undecided:
            return
        if self.length_of(task_id) is not None and not self._expand(rows, task_id, undecided):
            return
        for key in [key for key in rows if key[0] == task_id]:
            if rows[key].state in UNDECIDED and rows[key].is_due:
                self._act(rows, key, self.verdict(rows, key))

    def _expand(self, rows: Rows, task_id: str, undecided: list[Key]) -> bool:
        group = self.group_of[task_id]
        stand_in = (task_id, UNMAPPED)
        if group is None and stand_in in rows:
            verdict = self.verdict(rows, stand_in)
            if verdict != RUN:
                self._act(rows, stand_in, verdict)
                return False
        verdict = self.mapping_verdict(rows, task_id)
        if verdict != RUN:
            for key in undecided:
                self._act(rows, key, verdict)
            return False
        members = [name for name in self.tasks if group is not None and self.group_of[name] == group] or [task_id]
        for member in members:
            self._fit(rows, member, self._count(rows, task_id) or 0)
        return True

    def _fit(self, rows: Rows, task_id: str, length: int) -> None:
        stand_in = rows.get((task_id, UNMAPPED))
        if stand_in is not None and stand_in.state not in UNDECIDED:
            return
        rows.pop((task_id, UNMAPPED), None)
        for index in range(length):
            row = rows.setdefault((task_id, index), Row())
            if row.state is S.REMOVED:
                rows[task_id, index] = replace(row, state=S.NONE)
        for key in [key for key in rows if key[0] == task_id and key[1] >= length]:
            if rows[key].state in UNDECIDED:
                rows[key] = replace(rows[key], state=S.REMOVED)

    def _act(self, rows: Rows, key: Key, verdict: str) -> None:
        row, task = rows[key], self.tasks[key[0]]
        tries = row.try_number + (row.state is not S.UP_FOR_RESCHEDULE)
        if verdict == SKIP:
            rows[key] = replace(row, state=S.SKIPPED)
        elif verdict == UPSTREAM_FAIL:
            rows[key] = replace(row, state=S.UPSTREAM_FAILED)
        elif verdict == RUN and task.is_empty and row.state is S.NONE:
            rows[key] = replace(row, state=S.SUCCESS, try_number=tries)
        elif verdict == RUN:
            rows[key] = replace(row, state=S.SCHEDULED, try_number=tries)

    # --- verdicts

    def verdict(self, rows: Rows, key: Key) -> str:
        """Branches, then setups, then the trigger rule."""
        task_id, _ = key
        if any(self._decided_against(name, row, key) for name, row in rows.items()):
            return SKIP
        by_setups = self._setup_verdict(self._indirect_setups(rows, key))
        if by_setups != RUN:
            return by_setups
        task = self.tasks[task_id]
        states = [state for up in set(task.upstream) for state in self._seen_from(rows, up, key)]
        if task.trigger_rule is not R.ALL_DONE_SETUP_SUCCESS:
            return rule_verdict(task.trigger_rule, states)
        direct = [up for up in set(task.upstream) if self.tasks[up].role is TaskRole.SETUP]
        return teardown_verdict(states, [state for up in direct for state in self._seen_from(rows, up, key)])

    def _setup_verdict(self, setups: list[TaskState]) -> str:
        if any(state in BAD for state in setups):
            return UPSTREAM_FAIL
        if S.SKIPPED in setups:
            return SKIP
        return RUN if all(state in ENDED for state in setups) else WAIT

    def _decided_against(self, who: Key, row: Row, key: Key) -> bool:
        if row.state is not S.SUCCESS or key[0] not in row.skips:
            return False
        group = self.group_of[key[0]]
        return group is None or self.group_of[who[0]] != group or who[1] == key[1]

    def _seen_from(self, rows: Rows, up: str, key: Key) -> list[TaskState]:
        group = self.group_of[key[0]]
        same = group is not None and self.group_of[up] == group
        return [
            row.state for (name, index), row in rows.items() if name == up and (not same or index in (key[1], UNMAPPED))
        ]

    def _indirect_setups(self, rows: Rows, key: Key) -> list[TaskState]:
        task = self.tasks[key[0]]
        if task.role is TaskRole.TEARDOWN:
            return []
        states = []
        for setup in self.before[key[0]]:
            if self.tasks[setup].role is not TaskRole.SETUP or setup in task.upstream:
                continue
            teardowns = [
                name
                for name, other in self.tasks.items()
                if setup in other.upstream and other.role is TaskRole.TEARDOWN
            ]
            if not teardowns or any(key[0] in self.before[teardown] for teardown in teardowns):
                states += self._seen_from(rows, setup, key)
        return states

    def mapping_verdict(self, rows: Rows, task_id: str) -> str:
        """What a mapped task is mapped over must have ended, and well where it has no instances."""
        length = self.length_of(task_id)
        assert length is not None
        pending = skipped = False
        for source in sources(length):
            states = [row.state for row in self.of(rows, source)]
            if self.length_of(source) is None or (source, UNMAPPED) in rows:
                if any(state in BAD for state in states):
                    return UPSTREAM_FAIL
                skipped = skipped or (bool(states) and all(state is S.SKIPPED for state in states))
            else:
                skipped = skipped or all(state is S.SKIPPED for state in states)
            pending = pending or any(state not in ENDED for state in states)
        if pending:
            return WAIT
        if skipped:
            return SKIP
        count = self._count(rows, task_id)
        return UPSTREAM_FAIL if count is None else RUN if count else SKIP

    def _count(self, rows: Rows, task_id: str) -> int | None:
        length = self.length_of(task_id)
        assert length is not None
        known = {}
        for source in sources(length):
            if self.length_of(source) is not None:
                known[source] = sum(row.state is S.SUCCESS for row in self.of(rows, source))
            else:
                (row,) = self.of(rows, source)
                if row.state is S.SUCCESS and row.map_length is not None:
                    known[source] = row.map_length
        return resolve(length, known)

    def outcome(self, rows: Rows) -> str | None:
        """How the run ended, if it did."""
        unfinished = [row.state for row in rows.values() if row.state not in ENDED]
        if unfinished:
            return "failed" if all(state is S.NONE for state in unfinished) else None
        leaves = [name for name in self.tasks if self._is_leaf(name)]
        if not leaves:
            leaves = [name for name in self.tasks if not self._after(name)]
        bad = any(row.state in BAD for name in leaves for row in self.of(rows, name))
        return "failed" if bad else "success"

    def _after(self, task_id: str) -> list[Task]:
        return [task for task in self.tasks.values() if task_id in task.upstream]

    def _is_leaf(self, task_id: str) -> bool:
        return not self._is_ignorable(self.tasks[task_id]) and all(map(self._is_ignorable, self._after(task_id)))

    def _is_ignorable(self, task: Task) -> bool:
        return task.role is TaskRole.TEARDOWN and not task.fails_run


def sources(length: MapLength) -> set[str]:
    """The tasks that a length depends on."""
    match length:
        case FixedLength():
            return set()
        case OutputLength(task_id=task_id):
            return {task_id}
        case Product(parts=parts) | Zip(parts=parts) | Concat(parts=parts):
            return {source for part in parts for source in sources(part)}


def resolve(length: MapLength, known: dict[str, int]) -> int | None:
    """The number of copies, where everything that it depends on is known."""
    if isinstance(length, FixedLength):
        return length.length
    if isinstance(length, OutputLength):
        return known.get(length.task_id)
    numbers = [resolve(part, known) for part in length.parts]
    lengths = [number for number in numbers if number is not None]
    if len(lengths) < len(numbers):
        return None
    if isinstance(length, Concat):
        return sum(lengths)
    if isinstance(length, Zip):
        return max(lengths) if length.longest else min(lengths)
    return math.prod(lengths)
