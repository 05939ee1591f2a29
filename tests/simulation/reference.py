"""The rules of a run once more: slow, obvious, and sharing no code with `decide`.

It is asked after the fact. The order in which upstream tasks ended is not known then, and some rules look at what
has ended so far: `all_success` of a failed and a skipped task is upstream_failed or skipped, whichever came first. So
the answer is the set of outcomes that some order allows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from tests.simulation.mirror import RunRow, TaskRow
from tradewind.model.dag import Dag, Task
from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip
from tradewind.model.states import RunState, TaskRole, TaskState, TriggerRule

RUN, SKIP, FAIL, WAIT = "run", "skip", "upstream_failed", "wait"
_BAD = (TaskState.FAILED, TaskState.UPSTREAM_FAILED)


def run_end(dag: Dag, run: RunRow) -> RunState:
    """How a run with these task states ends: by its leaves, not counting teardowns that do not count."""
    silent = {task.task_id for task in dag.tasks if task.role is TaskRole.TEARDOWN and not task.fails_run}
    has_loud_child = {up for task in dag.tasks if task.task_id not in silent for up in task.upstream}
    leaves = {task.task_id for task in dag.tasks} - silent - has_loud_child
    if not leaves:
        leaves = {task.task_id for task in dag.tasks} - {up for task in dag.tasks for up in task.upstream}
    failed = any(row.state in _BAD for row in run.tasks.values() if row.key.task_id in leaves)
    return RunState.FAILED if failed else RunState.SUCCESS


@dataclass(frozen=True, slots=True)
class Ends:
    """How many upstream tasks ended how."""

    good: int
    failed: int
    upstream_failed: int
    skipped: int

    @property
    def bad(self) -> int:
        return self.failed + self.upstream_failed

    @property
    def all(self) -> int:
        return self.good + self.bad + self.skipped


# What is clear before all have ended, and what is clear only then. By Airflow's manual.
_EARLY: dict[TriggerRule, Callable[[Ends], str | None]] = {
    TriggerRule.ALL_SUCCESS: lambda ends: FAIL if ends.bad else SKIP if ends.skipped else None,
    TriggerRule.ALL_FAILED: lambda ends: SKIP if ends.good or ends.skipped else None,
    TriggerRule.ALL_SKIPPED: lambda ends: SKIP if ends.good or ends.bad else None,
    TriggerRule.ONE_SUCCESS: lambda ends: RUN if ends.good else None,
    TriggerRule.ONE_FAILED: lambda ends: RUN if ends.bad else None,
    TriggerRule.ONE_DONE: lambda ends: RUN if ends.good or ends.failed else None,
    TriggerRule.NONE_FAILED: lambda ends: FAIL if ends.bad else None,
    TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS: lambda ends: FAIL if ends.bad else None,
    TriggerRule.NONE_SKIPPED: lambda ends: SKIP if ends.skipped else None,
    TriggerRule.ALL_DONE_MIN_ONE_SUCCESS: lambda ends: SKIP if ends.skipped else None,
}
_LATE: dict[TriggerRule, Callable[[Ends], str]] = {
    TriggerRule.ONE_SUCCESS: lambda ends: SKIP if ends.skipped == ends.all else FAIL,
    TriggerRule.ONE_FAILED: lambda _: SKIP,
    TriggerRule.ONE_DONE: lambda _: SKIP,
    TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS: lambda ends: RUN if ends.good else SKIP,
    TriggerRule.ALL_DONE_MIN_ONE_SUCCESS: lambda ends: RUN if ends.good else FAIL,
}


def rule_says(rule: TriggerRule, good: int, failed: int, upstream_failed: int, skipped: int, *, total: int) -> str:
    """What a trigger rule makes of upstream tasks of which so many ended so, out of `total`."""
    ends = Ends(good, failed, upstream_failed, skipped)
    if total == 0 or rule is TriggerRule.ALWAYS:
        return RUN
    early = _EARLY[rule](ends) if rule in _EARLY else None
    if early is not None:
        return early
    if ends.all < total:
        return WAIT
    return _LATE[rule](ends) if rule in _LATE else RUN


class Reference:
    """The outcomes that the rules allow for each task instance of one run."""

    def __init__(self, dag: Dag, run: RunRow) -> None:
        self._dag = dag
        self._tasks = {task.task_id: task for task in dag.tasks}
        self._rows: dict[str, list[TaskRow]] = {task.task_id: [] for task in dag.tasks}
        for row in run.tasks.values():
            self._rows[row.key.task_id].append(row)
        self._groups = {group.group_id: group for group in dag.groups}

    def length(self, task: Task) -> MapLength | None:
        """What the task is mapped over, itself or by its group."""
        group = self.mapped_group(task)
        return task.mapping if group is None else self._groups[group].mapping

    def mapped_group(self, task: Task) -> str | None:
        """The mapped group that the task is in."""
        group_id = task.group_id
        while group_id is not None:
            if self._groups[group_id].mapping is not None:
                return group_id
            group_id = self._groups[group_id].parent_id
        return None

    def allowed(self, row: TaskRow) -> set[str]:
        """What may become of this instance, given how all others ended (or did not yet: then WAIT)."""
        task = self._tasks[row.key.task_id]
        length = self.length(task)
        is_unexpanded = length is not None and row.key.map_index < 0
        if is_unexpanded and self.mapped_group(task) is not None:
            return self._by_sources(length)
        outcomes = self._by_rules(task, row.key.map_index)
        if is_unexpanded and RUN in outcomes:
            outcomes = (outcomes - {RUN}) | self._by_sources(length)
        return outcomes

    def copies(self, task: Task) -> int | None:
        """How many instances a mapped task should have, by what its sources returned."""
        length = self.length(task)
        return None if length is None else self._count(length)

    def _by_rules(self, task: Task, map_index: int) -> set[str]:
        ups = self._upstream(task, map_index)
        setups = [row.state for setup in self._setups_around(task) for row in self._rows[setup]]
        outcomes: set[str] = set()
        if any(state in _BAD for state in setups):
            outcomes.add(FAIL)
        if TaskState.SKIPPED in setups:
            outcomes.add(SKIP)
        if outcomes:
            return outcomes | ({SKIP} if self._branches(task, map_index) else set())
        if any(state is not TaskState.SUCCESS and state is not TaskState.REMOVED for state in setups):
            return {WAIT}
        branches = self._branches(task, map_index)
        if branches:
            # Until the branch ended, the rule alone decided; from then on, the branch.
            rest = [row for row in ups if row not in branches]
            early = _reachable(task.trigger_rule, rest, pending=len(ups) - len(rest))
            return (early - {WAIT}) | {SKIP}
        if task.trigger_rule is TriggerRule.ALL_DONE_SETUP_SUCCESS:
            return self._after_setups(ups)
        return _reachable(task.trigger_rule, ups, pending=0)

    def _after_setups(self, ups: list[TaskRow]) -> set[str]:
        """The rule of teardowns: what was set up is torn down, however the work went."""
        setups = [row.state for row in ups if self._tasks[row.key.task_id].role is TaskRole.SETUP]
        if any(row.state not in _ENDED for row in ups):
            return {WAIT}
        if not setups or TaskState.SUCCESS in setups:
            return {RUN}
        return {SKIP} if all(state is TaskState.SKIPPED for state in setups) else {FAIL}

    def _upstream(self, task: Task, map_index: int) -> list[TaskRow]:
        group = self.mapped_group(task)
        rows = []
        for up in sorted(set(task.upstream)):
            is_within = group is not None and self.mapped_group(self._tasks[up]) == group
            rows += [row for row in self._rows[up] if not is_within or row.key.map_index == map_index]
        return [row for row in rows if row.state is not TaskState.REMOVED]

    def _branches(self, task: Task, map_index: int) -> list[TaskRow]:
        """Instances that decided against this one."""
        group = self.mapped_group(task)
        found = []
        for other in self._dag.tasks:
            same_group = group is not None and self.mapped_group(other) == group
            for row in self._rows[other.task_id]:
                is_meant = not same_group or row.key.map_index == map_index
                if is_meant and row.state is TaskState.SUCCESS and f'"{task.task_id}"' in (row.skips or ""):
                    found.append(row)
        return found

    def _setups_around(self, task: Task) -> list[str]:
        """Setups that must have succeeded, although the task does not come directly after them."""
        if task.role is TaskRole.TEARDOWN:
            return []
        found = []
        for setup in self._dag.tasks:
            if setup.role is not TaskRole.SETUP or setup.task_id in task.upstream or setup.task_id == task.task_id:
                continue
            teardowns = [
                other.task_id
                for other in self._dag.tasks
                if other.role is TaskRole.TEARDOWN and setup.task_id in other.upstream
            ]
            is_behind = self._leads_to(setup.task_id, task.task_id)
            if is_behind and (not teardowns or any(self._leads_to(task.task_id, end) for end in teardowns)):
                found.append(setup.task_id)
        return found

    def _leads_to(self, start: str, end: str) -> bool:
        return start == end or any(self._leads_to(start, up) for up in self._tasks[end].upstream)

    def _by_sources(self, length: MapLength | None) -> set[str]:
        assert length is not None
        # A mapped task that has its instances neither failed nor was skipped as a whole: what succeeded is mapped over.
        whole = [[row for row in self._rows[source] if row.key.map_index < 0] for source in _sources(length)]
        states = [{row.state for row in rows} for rows in whole]
        together = set().union(*states)
        together |= {row.state for source in _sources(length) for row in self._rows[source]} - set(_BAD)
        if together & set(_BAD):
            return {FAIL}
        if together - set(_ENDED):
            return {WAIT}
        if self._is_any_skipped(length):
            return {SKIP}
        copies = self._count(length)
        return {FAIL} if copies is None else {RUN} if copies else {SKIP}

    def _is_any_skipped(self, length: MapLength) -> bool:
        """Whether a source was skipped, all copies of it."""
        return any({row.state for row in self._rows[source]} == {TaskState.SKIPPED} for source in _sources(length))

    def _count(self, length: MapLength) -> int | None:
        match length:
            case FixedLength(length=number):
                return number
            case OutputLength(task_id=task_id):
                return self._returned(task_id)
            case Product(parts=parts) | Zip(parts=parts) | Concat(parts=parts):
                counts = [self._count(part) for part in parts]
                known = [count for count in counts if count is not None]
                return _combined(length, known) if len(known) == len(counts) else None

    def _returned(self, task_id: str) -> int | None:
        done = [row for row in self._rows[task_id] if row.state is TaskState.SUCCESS]
        if self.length(self._tasks[task_id]) is not None:
            return len(done)
        return done[0].map_length if done else None


def _combined(length: Product | Zip | Concat, counts: list[int]) -> int:
    if isinstance(length, Product):
        return len(list(product(*(range(count) for count in counts))))
    if isinstance(length, Concat):
        return sum(counts)
    return max(counts) if length.longest else min(counts)


_ENDED = (TaskState.SUCCESS, TaskState.SKIPPED, TaskState.REMOVED, *_BAD)


def _reachable(rule: TriggerRule, ups: Sequence[TaskRow], *, pending: int) -> set[str]:
    """All verdicts with which some order of the ends can be the first that is not WAIT."""
    ends = [sum(row.state is state for row in ups) for state in (TaskState.SUCCESS, *_BAD, TaskState.SKIPPED)]
    total = len(ups) + pending
    found: set[str] = set()
    none: tuple[int, ...] = (0, 0, 0, 0)
    seen = {none}
    stack = [none]
    while stack:
        counts = stack.pop()
        verdict = rule_says(rule, *counts, total=total)
        if verdict != WAIT:
            found.add(verdict)
            continue
        for place in range(4):
            if counts[place] < ends[place]:
                more = (*counts[:place], counts[place] + 1, *counts[place + 1 :])
                if more not in seen:
                    seen.add(more)
                    stack.append(more)
        if sum(counts) == sum(ends):
            found.add(WAIT)
    return found


def _sources(length: MapLength) -> Iterable[str]:
    match length:
        case FixedLength():
            return
        case OutputLength(task_id=task_id):
            yield task_id
        case Product(parts=parts) | Zip(parts=parts) | Concat(parts=parts):
            for part in parts:
                yield from _sources(part)
