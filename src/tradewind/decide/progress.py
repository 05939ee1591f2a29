"""What a run's tasks may do next.

`RunProgress` is the engine's memory of one run. Changes go in (`apply`), consequences come out (`settle`): tasks that
became ready, skipped or upstream_failed, mapped tasks that can be expanded, and whether the run has ended. The cost
of a change is that of its downstream tasks: each task keeps counts of how its upstream ended, and only tasks whose
counts changed are looked at again.

It is deterministic and does no I/O. Folding changes one by one gives the same as loading the final states; a
property test holds it to that.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tradewind.decide import readiness
from tradewind.decide.cells import Cell
from tradewind.decide.gate import Gate
from tradewind.decide.mapping import resolve_length
from tradewind.decide.run_outcome import RunOutcome, outcome_of
from tradewind.decide.structure import NO_GROUP, Structure
from tradewind.decide.transitions import TASK_TRANSITIONS, TaskEvent
from tradewind.decide.trigger_rules import Outcome, UpstreamCounts, Verdict, evaluate
from tradewind.model.ids import UNMAPPED
from tradewind.model.states import DECIDABLE_STATES, FINISHED_STATES, HeldBy, TaskState
from tradewind.model.task import PastTask, TaskSnapshot

_EVENTS = {Outcome.SKIP: TaskEvent.SKIP, Outcome.UPSTREAM_FAIL: TaskEvent.UPSTREAM_FAIL}


@dataclass(slots=True)
class TaskMove:
    """A state change that the run's own rules call for; written only if the row is still as expected."""

    cell: Cell
    attempt: int
    from_state: TaskState
    to_state: TaskState


@dataclass(slots=True)
class Settlement:
    """The consequences of what was applied."""

    moves: dict[tuple[int, int], TaskMove] = field(default_factory=dict)
    """By (task number, map index): a task instance moves at most once per settlement."""
    expanded: list[tuple[int, int, int]] = field(default_factory=list)
    """(task number, first new map index, end): instances to create; index 0 replaces the unexpanded one."""
    asks_past: list[Cell] = field(default_factory=list)
    """Undecided until somebody calls `learn_past` for them."""
    stops_remaining: bool = False
    """`fail_fast`: everything unfinished but teardowns shall end now."""
    outcome: RunOutcome | None = None


class RunProgress:
    """All task instances of one run, and what follows from their states."""

    __slots__ = (
        "_agenda",
        "_asks_past",
        "_counts",
        "_fitted",
        "_group_counts",
        "_on_past",
        "_skipped_by",
        "_undecided",
        "_unfinished",
        "_unstarted",
        "cells",
        "fails_fast",
        "gate",
        "size",
        "structure",
    )

    def __init__(self, structure: Structure, snapshots: Iterable[TaskSnapshot]) -> None:
        self.structure = structure
        self.cells: list[dict[int, Cell]] = [{} for _ in structure.tasks]
        self.gate = Gate(structure)
        self.size = 0
        self.fails_fast = False
        self._counts = [UpstreamCounts() for _ in structure.tasks]
        self._group_counts: dict[tuple[int, int], UpstreamCounts] = {}
        self._fitted: set[int] = set()
        """Mapped tasks whose instances match their length; looked at again only when a source changes."""
        self._skipped_by: dict[int, set[tuple[int, int]]] = {}
        self._agenda: dict[tuple[int, int | None], None] = {}
        self._asks_past: dict[tuple[int, int], Cell] = {}
        self._on_past: set[tuple[int, int]] = set()
        self._undecided = [0] * len(structure.tasks)
        self._unfinished = 0
        self._unstarted = 0
        for snapshot in snapshots:
            self.apply(snapshot)
        self._agenda = {(number, None): None for number in range(len(structure.tasks))}

    def apply(self, snapshot: TaskSnapshot) -> Cell | None:
        """Take over what the database says of one task instance. None: the DAG no longer has such a task."""
        number = self.structure.index.get(snapshot.task_id)
        if number is None:
            return None
        cell = self.cells[number].get(snapshot.map_index)
        if cell is None:
            cell = self._add(number, snapshot.map_index)
        was_through = cell.is_through
        self._forget_skips(cell)
        cell.attempt = snapshot.attempt
        cell.try_number = snapshot.try_number
        cell.held_by = snapshot.held_by
        cell.is_due = snapshot.wake_at is None
        cell.map_length = snapshot.map_length
        cell.skips = snapshot.skips
        self._set_state(cell, snapshot.state)
        self._recount_gate(cell, was_through)
        self._remember_skips(cell)
        if snapshot.state is TaskState.FAILED and self.structure.dag.fail_fast:
            self.fails_fast = self.fails_fast or not self.structure.is_teardown[number]
        self._agenda[number, snapshot.map_index] = None
        return cell

    def learn_past(self, cell: Cell, past: PastTask) -> Verdict:
        """The answer to `Settlement.asks_past`; settle again afterwards."""
        self._asks_past.pop((cell.number, cell.map_index), None)
        verdict = readiness.past_verdict(self.structure.tasks[cell.number], past)
        if verdict.outcome is Outcome.RUN:
            cell.past_ok = True
            self._on_past.discard((cell.number, cell.map_index))
            self._agenda[cell.number, cell.map_index] = None
        else:
            self._on_past.add((cell.number, cell.map_index))
        return verdict

    def settle(self, *, is_paused: bool = False) -> Settlement:
        """Work through everything that changed, and what follows from it, until nothing more does."""
        settlement = Settlement()
        while self._agenda:
            (number, only), _ = self._agenda.popitem()
            if self._undecided[number]:
                self._consider(number, only, settlement, is_paused)
        settlement.asks_past = list(self._asks_past.values())
        settlement.stops_remaining = self.fails_fast and self._unfinished > 0
        if not settlement.asks_past and not settlement.stops_remaining:
            is_stuck = not is_paused and self._unfinished == self._unstarted and not self._on_past
            settlement.outcome = outcome_of(self.structure, self.cells, self._unfinished, is_stuck=is_stuck)
        return settlement

    def stopped(self) -> None:
        """What `Settlement.stops_remaining` asked for was done."""
        self.fails_fast = False

    def verdict(self, cell: Cell) -> Verdict:
        """What the rules say of an undecided instance, the run before and its own mapping left aside."""
        number = cell.number
        if self._is_skipped_by_branch(cell):
            return readiness.SKIPPED_BY_BRANCH
        required = self.structure.setups_required[number]
        if required:
            verdict = readiness.setup_verdict(self.states_of(required))
            if verdict is not readiness.MET:
                return verdict
        return evaluate(self.structure.tasks[number].trigger_rule, self.counts_for(cell))

    def mapping_verdict(self, number: int) -> Verdict:
        """What the sources of a mapped task say."""
        sources = self.structure.map_sources[number]
        verdict = readiness.mapping_verdict(self.states_of([source]) for source in sources)
        return verdict if verdict is not readiness.MET else readiness.length_verdict(self.map_length(number))

    def counts_for(self, cell: Cell) -> UpstreamCounts:
        """How the upstream instances of this instance stand."""
        within = self._group_counts.get((cell.number, cell.map_index))
        outer = self._counts[cell.number]
        return outer if within is None else outer.plus(within)

    def states_of(self, numbers: Iterable[int]) -> list[TaskState]:
        """The states of all instances of these tasks."""
        return [cell.state for number in numbers for cell in self.cells[number].values()]

    def map_length(self, number: int) -> int | None:
        """How many instances a mapped task should have, as far as its sources tell."""
        length = self.structure.lengths[number]
        if length is None:
            return None
        known: dict[str, int] = {}
        for source in self.structure.map_sources[number]:
            produced = self._output_length(source)
            if produced is not None:
                known[self.structure.tasks[source].task_id] = produced
        return resolve_length(length, known)

    def _output_length(self, source: int) -> int | None:
        cells = self.cells[source]
        if self.structure.lengths[source] is None:
            cell = cells.get(UNMAPPED)
            return cell.map_length if cell is not None and cell.state is TaskState.SUCCESS else None
        return sum(cell.state is TaskState.SUCCESS for cell in cells.values())

    def _consider(self, number: int, only: int | None, settlement: Settlement, is_paused: bool) -> None:
        """Decide about the undecided instances of one task, or about one of them."""
        is_mapped = self.structure.lengths[number] is not None
        in_group = self.structure.mapped_group[number] != NO_GROUP
        if is_mapped and not self._expand(number, settlement, needs_rule=not in_group):
            return
        cells = self.cells[number]
        chosen = list(cells.values()) if only is None or only not in cells else [cells[only]]
        shared: Verdict | None = None
        for cell in chosen:
            if cell.state not in DECIDABLE_STATES or not cell.is_due:
                continue
            if shared is None or in_group:
                shared = self.verdict(cell)
                if shared.outcome is Outcome.WAIT and not in_group:
                    return
            self._act(cell, shared, settlement, is_paused)

    def _expand(self, number: int, settlement: Settlement, *, needs_rule: bool) -> bool:
        """Bring the instances of a mapped task in line with its length. False: it must not be considered further.

        Inside a mapped group the length alone decides, because each instance then has upstream tasks of its own.
        """
        if number in self._fitted:
            return True
        cells = self.cells[number]
        unexpanded = cells.get(UNMAPPED)
        if unexpanded is not None and needs_rule:
            verdict = self.verdict(unexpanded)
            if verdict.outcome is not Outcome.RUN:
                self._act(unexpanded, verdict, settlement, is_paused=False)
                return False
        verdict = self.mapping_verdict(number)
        if verdict is not readiness.MET:
            return self._end_all(number, verdict, settlement)
        length = self.map_length(number) or 0
        if unexpanded is not None:
            self._drop(unexpanded)
        known = [map_index for map_index in cells if map_index != UNMAPPED]
        first_new = max(known, default=-1) + 1
        for map_index in range(first_new, length):
            self._add(number, map_index)
        if first_new < length:
            settlement.expanded.append((number, first_new, length))
        for map_index in known:
            self._fit(cells[map_index], length, settlement)
        self._fitted.add(number)
        return True

    def _fit(self, cell: Cell, length: int, settlement: Settlement) -> None:
        if cell.map_index >= length and cell.state in DECIDABLE_STATES:
            self._move(cell, TaskEvent.REMOVE, settlement)
        elif cell.map_index < length and cell.state is TaskState.REMOVED:
            self._move(cell, TaskEvent.CLEAR, settlement)

    def _end_all(self, number: int, verdict: Verdict, settlement: Settlement) -> bool:
        for cell in list(self.cells[number].values()):
            if cell.state in DECIDABLE_STATES:
                self._act(cell, verdict, settlement, is_paused=False)
        return False

    def _act(self, cell: Cell, verdict: Verdict, settlement: Settlement, is_paused: bool) -> None:
        task = self.structure.tasks[cell.number]
        if verdict.outcome is Outcome.WAIT or (is_paused and verdict.outcome is Outcome.RUN):
            return
        waits_for_past = verdict.outcome is Outcome.RUN or (
            verdict.outcome is Outcome.SKIP and task.wait_for_past_depends_before_skipping
        )
        if waits_for_past and not cell.past_ok and readiness.reads_past(task):
            self._asks_past[cell.number, cell.map_index] = cell
            return
        if verdict.outcome is not Outcome.RUN:
            self._move(cell, _EVENTS[verdict.outcome], settlement)
        elif task.is_empty and cell.state is TaskState.NONE:
            cell.try_number += 1
            self._move(cell, TaskEvent.SUCCEED, settlement)
        else:
            if cell.state is not TaskState.UP_FOR_RESCHEDULE:
                cell.try_number += 1
            self._move(cell, TaskEvent.SCHEDULE, settlement)
            self.gate.hold(cell)

    def _move(self, cell: Cell, event: TaskEvent, settlement: Settlement) -> None:
        to_state = TASK_TRANSITIONS[cell.state, event]
        earlier = settlement.moves.get((cell.number, cell.map_index))
        if earlier is None:
            move = TaskMove(cell, cell.attempt, cell.state, to_state)
            settlement.moves[cell.number, cell.map_index] = move
        else:
            earlier.to_state = to_state
        cell.held_by = HeldBy.MAX_ACTIVE_TASKS if event is TaskEvent.SCHEDULE else None
        self._asks_past.pop((cell.number, cell.map_index), None)
        self._on_past.discard((cell.number, cell.map_index))
        self._set_state(cell, to_state)

    def _add(self, number: int, map_index: int) -> Cell:
        cell = self.cells[number][map_index] = Cell(number, map_index)
        self.size += 1
        self._undecided[number] += 1
        self._unfinished += 1
        self._unstarted += 1
        self._tell_downstream(cell, None, cell.state)
        self._agenda[number, map_index] = None
        return cell

    def _drop(self, cell: Cell) -> None:
        """Take out the stand-in of a mapped task that now has instances. It is undecided, so nothing counted it."""
        del self.cells[cell.number][cell.map_index]
        self.size -= 1
        self._undecided[cell.number] -= 1
        self._unfinished -= 1
        self._unstarted -= cell.state is TaskState.NONE
        self._tell_downstream(cell, cell.state, None)

    def _set_state(self, cell: Cell, new: TaskState) -> None:
        old = cell.state
        if old is new:
            return
        cell.state = new
        self._undecided[cell.number] += (new in DECIDABLE_STATES) - (old in DECIDABLE_STATES)
        self._unstarted += (new is TaskState.NONE) - (old is TaskState.NONE)
        has_ended, had_ended = new in FINISHED_STATES, old in FINISHED_STATES
        self._unfinished += had_ended - has_ended
        if has_ended or had_ended:
            self._tell_downstream(cell, old, new)

    def _tell_downstream(self, cell: Cell, old: TaskState | None, new: TaskState | None) -> None:
        structure, number = self.structure, cell.number
        is_setup = structure.is_setup[number]
        group = structure.mapped_group[number]
        for down in structure.downstream[number]:
            is_within = group != NO_GROUP and structure.mapped_group[down] == group
            counts = self._within(down, cell.map_index) if is_within else self._counts[down]
            if old is not None:
                counts.add(old, -1, is_setup)
            if new is not None:
                counts.add(new, +1, is_setup)
            self._agenda[down, cell.map_index if is_within else None] = None
        for dependent in structure.map_dependents[number]:
            self._fitted.discard(dependent)
            self._agenda[dependent, None] = None
        for dependent in structure.setup_dependents[number]:
            self._agenda[dependent, None] = None

    def _within(self, number: int, map_index: int) -> UpstreamCounts:
        counts = self._group_counts.get((number, map_index))
        if counts is None:
            counts = self._group_counts[number, map_index] = UpstreamCounts()
        return counts

    def _recount_gate(self, cell: Cell, was_through: bool) -> None:
        if cell.is_through != was_through:
            self.gate.count(cell, +1 if cell.is_through else -1)
        if cell.is_held and cell.held_by is not HeldBy.DAG_PAUSED:
            self.gate.hold(cell)

    def _remember_skips(self, cell: Cell) -> None:
        if cell.state is TaskState.SUCCESS:
            for task_id in cell.skips:
                target = self.structure.index.get(task_id)
                if target is not None:
                    self._skipped_by.setdefault(target, set()).add((cell.number, cell.map_index))
                    self._agenda[target, None] = None

    def _forget_skips(self, cell: Cell) -> None:
        for task_id in cell.skips:
            target = self.structure.index.get(task_id)
            if target is not None:
                self._skipped_by.get(target, set()).discard((cell.number, cell.map_index))

    def _is_skipped_by_branch(self, cell: Cell) -> bool:
        sources = self._skipped_by.get(cell.number)
        if not sources:
            return False
        group = self.structure.mapped_group[cell.number]
        if group == NO_GROUP:
            return True
        return any(
            self.structure.mapped_group[number] != group or map_index == cell.map_index for number, map_index in sources
        )
