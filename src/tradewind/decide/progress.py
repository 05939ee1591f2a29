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

from tradewind.decide import instance_states, readiness
from tradewind.decide.agenda import Agenda
from tradewind.decide.branch_skips import BranchSkips
from tradewind.decide.cells import Cell
from tradewind.decide.gate import Gate
from tradewind.decide.run_outcome import RunOutcome, outcome_of
from tradewind.decide.structure import NO_GROUP, Structure
from tradewind.decide.transitions import TASK_TRANSITIONS, TaskEvent
from tradewind.decide.trigger_rules import Outcome, UpstreamCounts, Verdict, evaluate
from tradewind.decide.upstream import UpstreamTally
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
        "_fitted",
        "_on_past",
        "_skips",
        "_tally",
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
        self._tally = UpstreamTally(structure)
        self._skips = BranchSkips(structure)
        self._fitted: dict[int, int] = {}
        """Mapped tasks whose instances match their length, and that length; looked at again when a source changes."""
        self._agenda = Agenda(structure)
        self._asks_past: dict[tuple[int, int], Cell] = {}
        self._on_past: set[tuple[int, int]] = set()
        self._undecided = [0] * len(structure.tasks)
        self._unfinished = 0
        self._unstarted = 0
        for snapshot in snapshots:
            self.apply(snapshot)
        # Only a failure that is news stops the others: what is cleared beside an old one shall run.
        self.fails_fast = False
        self._agenda.add_all()

    def apply(self, snapshot: TaskSnapshot) -> Cell | None:
        """Take over what the database says of one task instance. None: the DAG no longer has such a task."""
        number = self.structure.index.get(snapshot.task_id)
        if number is None:
            return None
        cell = self.cells[number].get(snapshot.map_index)
        if cell is None:
            cell = self._add(number, snapshot.map_index)
        was_through = cell.is_through
        if cell.skips:
            self._skips.forget(cell)
        cell.attempt = snapshot.attempt
        cell.try_number = snapshot.try_number
        cell.held_by = snapshot.held_by
        cell.is_due = snapshot.wake_at is None
        cell.map_length = snapshot.map_length
        cell.skips = snapshot.skips
        self._set_state(cell, snapshot.state)
        self._recount_gate(cell, was_through)
        if cell.skips and cell.state is TaskState.SUCCESS:
            for target in self._skips.remember(cell):
                self._agenda.add(target, None)
        if snapshot.state is TaskState.FAILED and self.structure.dag.fail_fast:
            self.fails_fast = self.fails_fast or not self.structure.is_teardown[number]
        if snapshot.map_index >= self._fitted.get(number, snapshot.map_index + 1):
            del self._fitted[number]  # it was with its worker when the mapping shrank
        self._agenda.add(number, snapshot.map_index)
        return cell

    def ask_past_again(self) -> None:
        """Something changed in the run before: those that wait for it shall ask anew."""
        for number, map_index in sorted(self._on_past):
            self._agenda.add(number, map_index)

    def learn_past(self, cell: Cell, past: PastTask) -> Verdict:
        """The answer to `Settlement.asks_past`; settle again afterwards."""
        self._asks_past.pop((cell.number, cell.map_index), None)
        verdict = readiness.past_verdict(self.structure.tasks[cell.number], past)
        if verdict.outcome is Outcome.RUN:
            cell.past_ok = True
            self._on_past.discard((cell.number, cell.map_index))
            self._agenda.add(cell.number, cell.map_index)
        else:
            self._on_past.add((cell.number, cell.map_index))
        return verdict

    def settle(self, *, is_paused: bool = False) -> Settlement:
        """Work through everything that changed, and what follows from it, until nothing more does."""
        settlement = Settlement()
        if self.fails_fast and self._unfinished:
            # First of all: what would be decided now is among that which shall end.
            settlement.stops_remaining = True
            return settlement
        for number, only in self._agenda:
            if self._undecided[number]:
                self._consider(number, only, settlement, is_paused)
        settlement.asks_past = list(self._asks_past.values())
        if not settlement.asks_past:
            is_stuck = not is_paused and self._unfinished == self._unstarted and not self._on_past
            settlement.outcome = outcome_of(self.structure, self.cells, self._unfinished, is_stuck=is_stuck)
        return settlement

    def stopped(self) -> None:
        """What `Settlement.stops_remaining` asked for was done."""
        self.fails_fast = False

    def verdict(self, cell: Cell) -> Verdict:
        """What the rules say of an undecided instance, the run before and its own mapping left aside."""
        number = cell.number
        if self._skips.applies_to(cell):
            return readiness.SKIPPED_BY_BRANCH
        if self.structure.setups_required[number]:
            verdict = readiness.setup_verdict(instance_states.of_setups(self.structure, self.cells, cell))
            if verdict is not readiness.MET:
                return verdict
        return evaluate(self.structure.tasks[number].trigger_rule, self.counts_for(cell))

    def mapping_verdict(self, number: int) -> Verdict:
        """What the sources of a mapped task say."""
        sources = self.structure.map_sources[number]
        states = (instance_states.of_source(self.structure, self.cells, source) for source in sources)
        verdict = readiness.mapping_verdict(states)
        return verdict if verdict is not readiness.MET else readiness.length_verdict(self.map_length(number))

    def counts_for(self, cell: Cell) -> UpstreamCounts:
        """How the upstream instances of this instance stand."""
        return self._tally.of(cell)

    def states_of(self, numbers: Iterable[int]) -> list[TaskState]:
        """The states of all instances of these tasks."""
        return instance_states.of_tasks(self.cells, numbers)

    def map_length(self, number: int) -> int | None:
        """How many instances a mapped task should have, as far as its sources tell."""
        return instance_states.map_length(self.structure, self.cells, number)

    def _consider(self, number: int, only: int | None, settlement: Settlement, is_paused: bool) -> None:
        """Decide about the undecided instances of one task, or about one of them."""
        in_group = self.structure.mapped_group[number] != NO_GROUP
        if self.structure.lengths[number] is not None and number not in self._fitted:
            expand = self._expand_group if in_group else self._expand
            if not expand(number, settlement):
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

    def _expand(self, number: int, settlement: Settlement) -> bool:
        """Give a mapped task its instances, once its rule is met. False: it must not be considered further."""
        unexpanded = self.cells[number].get(UNMAPPED)
        if unexpanded is not None:
            verdict = self.verdict(unexpanded)
            if verdict.outcome is not Outcome.RUN:
                self._act(unexpanded, verdict, settlement, is_paused=False)
                return False
        verdict = self.mapping_verdict(number)
        if verdict is not readiness.MET:
            return self._end_all(number, verdict, settlement)
        self._fit(number, self.map_length(number) or 0, settlement)
        return True

    def _expand_group(self, number: int, settlement: Settlement) -> bool:
        """Give all tasks of a mapped group their instances at once: one without its counterpart upstream would seem
        to have nothing to wait for. The length alone decides, because each instance has upstream of its own."""
        verdict = self.mapping_verdict(number)
        if verdict is not readiness.MET:
            return self._end_all(number, verdict, settlement)
        length = self.map_length(number) or 0
        for member in self.structure.group_members[self.structure.mapped_group[number]]:
            if self.cells[member] and member not in self._fitted:
                self._fit(member, length, settlement)
        return True

    def _fit(self, number: int, length: int, settlement: Settlement) -> None:
        """Bring the instances of a mapped task in line with its length."""
        cells = self.cells[number]
        unexpanded = cells.get(UNMAPPED)
        if unexpanded is not None and unexpanded.state in DECIDABLE_STATES:
            self._drop(unexpanded)
        elif unexpanded is not None:
            return  # somebody said how it ended, all of it
        known = list(cells.values())
        first_new = max(cells, default=-1) + 1
        for map_index in range(first_new, length):
            self._add(number, map_index)
        if first_new < length:
            settlement.expanded.append((number, first_new, length))
        for cell in known:
            if cell.map_index >= length and cell.state in DECIDABLE_STATES:
                self._move(cell, TaskEvent.REMOVE, settlement)
            elif cell.map_index < length and cell.state is TaskState.REMOVED:
                self._move(cell, TaskEvent.CLEAR, settlement)
                self._agenda.add(number, cell.map_index)
        self._fitted[number] = length

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
            starts_waiting = task.starts_from_trigger and cell.state is not TaskState.UP_FOR_RESCHEDULE
            self._move(cell, TaskEvent.SCHEDULE, settlement)
            if starts_waiting:
                # No limit of its run counts tasks that wait, so none of them has to let it through.
                cell.held_by = HeldBy.START_FROM_TRIGGER
            else:
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
        self._agenda.add(number, map_index)
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
        self._tally.count(cell, old, new, self._agenda)
        structure, number = self.structure, cell.number
        for dependent in structure.map_dependents[number]:
            self._fitted.pop(dependent, None)
            self._agenda.add(dependent, None)
        for dependent in structure.setup_dependents[number]:
            self._agenda.add(dependent, None)

    def _recount_gate(self, cell: Cell, was_through: bool) -> None:
        if cell.is_through != was_through:
            self.gate.count(cell, +1 if cell.is_through else -1)
        if cell.is_held:
            self.gate.hold(cell)
