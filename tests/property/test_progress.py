"""The progress of a run: the same whether folded change by change, loaded at once, or worked out by hand (B3 B9 D3)."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.property.run_oracle import BAD, ENDED, UNDECIDED, Key, Oracle, Row, Rows, snapshot
from tests.strategies import dags
from tradewind.decide.cells import Cell
from tradewind.decide.progress import RunProgress, Settlement
from tradewind.decide.structure import Structure
from tradewind.decide.trigger_rules import Verdict
from tradewind.model.dag import Dag, Task, TaskGroup
from tradewind.model.dag_check import check_dag
from tradewind.model.ids import UNMAPPED
from tradewind.model.mapping import OutputLength
from tradewind.model.states import OCCUPYING_STATES, HeldBy, TaskRole, TaskState, TriggerRule
from tradewind.model.task import NO_PAST, TaskSnapshot

S = TaskState
Draw = Callable[[st.SearchStrategy[Any]], Any]
LATER = datetime(2030, 1, 1, tzinfo=UTC)


class CountingProgress(RunProgress):
    """Counts how often the rules are asked."""

    __slots__ = ("asked",)

    def __init__(self, structure: Structure, snapshots: Iterable[TaskSnapshot]) -> None:
        self.asked = 0
        super().__init__(structure, snapshots)

    def verdict(self, cell: Cell) -> Verdict:
        self.asked += 1
        return super().verdict(cell)


class Game:
    """One run: rows as the database would have them, and the engine's memory of them."""

    def __init__(self, dag: Dag) -> None:
        self.oracle = Oracle(dag)
        self.structure = Structure(dag)
        self.rows = self.oracle.rows_at_creation()
        self.progress = CountingProgress(self.structure, self.snapshots())
        self.settle()

    def snapshots(self) -> list[TaskSnapshot]:
        return [snapshot(key, row, LATER) for key, row in self.rows.items()]

    def settle(self) -> str | None:
        """Let the engine decide, write down what it says, and compare with the oracle."""
        expected = dict(self.rows)
        settlement = self._engine_settles(self.progress)
        if any(row.state is S.FAILED for row in self.rows.values()):
            self._stop(expected)
        self.oracle.settle(expected)
        shown = {key: (row.state, row.try_number) for key, row in self.rows.items()}
        assert shown == {key: (row.state, row.try_number) for key, row in expected.items()}
        outcome = None if settlement.outcome is None else settlement.outcome.state.value
        assert outcome == self.oracle.outcome(expected)
        return outcome

    def _engine_settles(self, progress: RunProgress) -> Settlement:
        settlement = progress.settle()
        while settlement.asks_past or settlement.stops_remaining:
            self._write(settlement)
            for cell in settlement.asks_past:
                progress.learn_past(cell, NO_PAST)
            if settlement.stops_remaining:
                for key in self._stop(self.rows):
                    progress.apply(snapshot(key, self.rows[key], LATER))
                progress.stopped()
            settlement = progress.settle()
        self._write(settlement)
        for cell in progress.gate.release():
            key = self._key(cell)
            self.rows[key] = replace(self.rows[key], held_by=None)
        return settlement

    def _key(self, cell: Cell) -> Key:
        return (self.structure.tasks[cell.number].task_id, cell.map_index)

    def _write(self, settlement: Settlement) -> None:
        for number, first, end in settlement.expanded:
            task_id = self.structure.tasks[number].task_id
            if first == 0:
                assert self.rows.pop((task_id, UNMAPPED)).state in UNDECIDED
            for index in range(first, end):
                assert (task_id, index) not in self.rows
                self.rows[task_id, index] = Row()
        for move in settlement.moves.values():
            key = self._key(move.cell)
            row = self.rows[key]
            assert (row.state, row.attempt) == (move.from_state, move.attempt)
            self.rows[key] = replace(
                row,
                state=move.to_state,
                try_number=move.cell.try_number,
                held_by=move.cell.held_by,
                is_due=True,
            )

    def _stop(self, rows: Rows) -> list[Key]:
        """`fail_fast`: what the scheduler does when asked to stop the rest."""
        if not self.oracle.dag.fail_fast:
            return []
        failed = [key for key, row in rows.items() if row.state is S.FAILED]
        if not any(self.oracle.tasks[task_id].role is not TaskRole.TEARDOWN for task_id, _ in failed):
            return []
        stopped = [
            key
            for key, row in rows.items()
            if row.state not in ENDED and self.oracle.tasks[key[0]].role is not TaskRole.TEARDOWN
        ]
        for key in stopped:
            rows[key] = replace(rows[key], state=S.SKIPPED, held_by=None, is_due=True)
        return stopped

    def change(self, key: Key, row: Row) -> None:
        """The database says so."""
        self.rows[key] = row
        self.progress.apply(snapshot(key, row, LATER))

    @property
    def waiting(self) -> list[Key]:
        """What could be handed to a worker."""
        return sorted(key for key, row in self.rows.items() if row.state is S.SCHEDULED and row.held_by is None)

    @property
    def not_due(self) -> list[Key]:
        return sorted(key for key, row in self.rows.items() if not row.is_due)

    @property
    def ended(self) -> list[Key]:
        return sorted(key for key, row in self.rows.items() if row.state in ENDED and row.state is not S.REMOVED)

    def behind(self, task_id: str) -> set[str]:
        """The task and everything that comes after it."""
        return {task_id} | {name for name, before in self.oracle.before.items() if task_id in before}

    def check_against_a_fresh_start(self) -> None:
        """Whoever loads the run from the database now must see what the memory sees."""
        fresh = RunProgress(self.structure, self.snapshots())
        before = dict(self.rows)
        fresh_outcome = self._engine_settles(fresh).outcome
        assert self.rows == before
        assert fresh_outcome == self.progress.settle().outcome
        assert fresh.size == self.progress.size
        for number, cells in enumerate(self.progress.cells):
            assert {index: cell.state for index, cell in cells.items()} == {
                index: cell.state for index, cell in fresh.cells[number].items()
            }
            for index, cell in cells.items():
                if cell.state in UNDECIDED:
                    assert fresh.verdict(fresh.cells[number][index]) == self.progress.verdict(cell)


OUTCOMES = ("success", "success", "success", "failed", "skipped", "retry", "poke")


_few = st.sampled_from([None, None, None, 1, 2])
_roles = st.sampled_from([TaskRole.WORK, TaskRole.WORK, TaskRole.WORK, TaskRole.SETUP, TaskRole.TEARDOWN])


@st.composite
def tangled_dags(draw: st.DrawFn) -> Dag:
    """Few tasks, many edges, every rule, often a mapped group: where what happens at once meets again."""
    count = draw(st.integers(4, 8))
    grouped = range(draw(st.integers(1, 3)), draw(st.integers(3, 6))) if draw(st.booleans()) else range(0)
    tasks: list[Task] = []
    for number in range(count):
        chosen = draw(st.integers(0, 2**number - 1))
        upstream = {f"t{up}" for up in range(number) if chosen >> up & 1} | ({"t0"} if number in grouped else set())
        role = draw(_roles) if number else TaskRole.WORK
        after_setup = any(task.role is TaskRole.SETUP for task in tasks if task.task_id in upstream)
        free = role is TaskRole.TEARDOWN or not after_setup
        tasks.append(
            Task(
                f"t{number}",
                upstream=tuple(sorted(upstream)),
                trigger_rule=draw(st.sampled_from(TriggerRule)) if free else TriggerRule.ALL_SUCCESS,
                role=role,
                is_empty=draw(st.integers(0, 3)) == 0,
                group_id="g" if number in grouped else None,
                mapping=OutputLength("t0") if number == count - 1 and "t0" in upstream and not grouped else None,
            )
        )
    groups = (TaskGroup("g", mapping=OutputLength("t0")),) if grouped else ()
    dag = Dag("tangle", tasks=tuple(tasks), groups=groups)
    check_dag(dag)
    return dag


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A run of a random DAG. Its limits are small, so that they matter."""
    dag = draw(dags(max_tasks=7)) if draw(st.integers(0, 2)) == 0 else draw(tangled_dags())
    tasks = tuple(replace(task, max_active_per_run=draw(_few)) for task in dag.tasks)
    dag = replace(dag, tasks=tasks, max_active_tasks=draw(st.sampled_from([16, 2, 1])))
    note(f"{dag}")
    return Game(dag)


def play(draw: Draw, game: Game, *, most_steps: int = 25) -> str | None:
    """Let tasks end in random ways, one or several at a time, until the run has ended or the game is over."""
    outcome = None
    for _ in range(most_steps):
        if not game.waiting and not game.not_due:
            break
        if game.not_due and (not game.waiting or draw(st.booleans())):
            key = draw(st.sampled_from(game.not_due))
            game.change(key, replace(game.rows[key], is_due=True))
        else:
            for key in draw(st.lists(st.sampled_from(game.waiting), min_size=1, max_size=4, unique=True)):
                end(draw, game, key)
        outcome = game.settle()
    return outcome


def end(draw: Draw, game: Game, key: Key) -> None:
    """One attempt, from hand-over to its end."""
    row = replace(game.rows[key], attempt=game.rows[key].attempt + 1)
    game.change(key, replace(row, state=draw(st.sampled_from([S.QUEUED, S.RUNNING]))))
    how = draw(st.sampled_from(OUTCOMES))
    match how:
        case "success":
            behind = sorted(game.behind(key[0]) - {key[0]})
            skips = draw(st.lists(st.sampled_from(behind), max_size=2, unique=True)) if behind else []
            length = draw(st.integers(0, 3) | st.none())
            row = replace(row, state=S.SUCCESS, map_length=length, skips=tuple(skips))
        case "failed":
            row = replace(row, state=S.FAILED)
        case "skipped":
            row = replace(row, state=S.SKIPPED)
        case "retry":
            row = replace(row, state=S.UP_FOR_RETRY, is_due=False)
        case _:
            row = replace(row, state=S.UP_FOR_RESCHEDULE, is_due=False)
    note(f"{key} -> {how} {row.skips} {row.map_length}")
    game.change(key, row)


@settings(max_examples=150)
@given(st.data())
def test_folding_changes_loading_at_once_and_the_plain_rules_agree(data: st.DataObject) -> None:
    """B3, D3: `Game.settle` compares each step with the oracle."""
    game = data.draw(games())

    play(data.draw, game)

    game.check_against_a_fresh_start()


@settings(max_examples=100)
@given(st.data())
def test_they_still_agree_after_tasks_were_cleared(data: st.DataObject) -> None:
    """D3: mappings that shrink and grow, branches that decide anew, skips that last."""
    game = data.draw(games().filter(lambda game: not game.oracle.dag.fail_fast and bool(game.rows)))
    play(data.draw, game, most_steps=12)
    for _ in range(2):
        if not game.ended:
            break
        chosen = data.draw(st.sampled_from(game.ended))
        whom = game.behind(chosen[0]) if data.draw(st.booleans()) else {chosen[0]}
        note(f"clear {sorted(whom)}")
        for key in game.ended:
            if key[0] in whom:
                game.change(key, replace(game.rows[key], state=S.NONE, skips=(), map_length=None))
        game.settle()
        play(data.draw, game, most_steps=12)

    game.check_against_a_fresh_start()


@settings(max_examples=100)
@given(st.data())
def test_every_run_comes_to_an_end(data: st.DataObject) -> None:
    """If all that may run succeeds, nothing waits for ever."""
    game = data.draw(games())
    outcome = game.settle()
    for _ in range(500):
        if not game.waiting:
            break
        for key in game.waiting:
            row = game.rows[key]
            game.change(key, replace(row, state=S.SUCCESS, attempt=row.attempt + 1, map_length=2))
        outcome = game.settle()

    assert outcome in ("success", "failed")
    assert all(row.state in ENDED for row in game.rows.values())


@settings(max_examples=100)
@given(st.data())
def test_a_run_never_has_more_tasks_through_than_its_limits_allow(data: st.DataObject) -> None:
    """B4."""
    game = data.draw(games())
    for _ in range(15):
        through = [
            key
            for key, row in game.rows.items()
            if row.state in OCCUPYING_STATES or (row.state is S.SCHEDULED and row.held_by is None)
        ]
        assert len(through) <= game.oracle.dag.max_active_tasks
        for task_id, task in game.oracle.tasks.items():
            if task.max_active_per_run is not None:
                assert sum(key[0] == task_id for key in through) <= task.max_active_per_run
        held = [key for key, row in game.rows.items() if row.held_by is HeldBy.MAX_ACTIVE_TASKS]
        if held and len(through) < game.oracle.dag.max_active_tasks:
            assert all(game.oracle.tasks[task_id].max_active_per_run is not None for task_id, _ in held)
        if not game.waiting:
            break
        end(data.draw, game, data.draw(st.sampled_from(game.waiting)))
        game.settle()


@settings(max_examples=100)
@given(st.data())
def test_the_rules_are_asked_only_about_what_is_behind_a_change(data: st.DataObject) -> None:
    """B9: the cost of one end is that of its downstream tasks, however large the rest of the DAG is."""
    game = data.draw(games())
    for _ in range(10):
        if not game.waiting:
            break
        key = data.draw(st.sampled_from(game.waiting))
        failed_before = any(row.state in BAD for row in game.rows.values())
        game.progress.asked = 0
        end(data.draw, game, key)
        game.settle()
        if game.oracle.dag.fail_fast and not failed_before:
            break  # a stop of everything is a change of everything
        behind = game.behind(key[0])
        instances = sum(task_id in behind for task_id, _ in game.rows)
        stand_ins = len(behind)
        # An instance is asked about at most once for each of its upstream tasks that changed, and once by itself.
        edges = max((len(game.oracle.before[task_id] & behind) for task_id in behind), default=0)
        assert game.progress.asked <= (instances + stand_ins) * (1 + edges)


def test_the_cost_of_an_end_does_not_grow_with_the_dag() -> None:
    """B9, without chance: ten thousand tasks beside it are not looked at."""
    asked = {}
    for size in (20, 10_000):
        tasks = [Task("first"), Task("second", upstream=("first",)), *(Task(f"t{n}") for n in range(size))]
        game = Game(Dag("big", tasks=tuple(tasks), max_active_tasks=size + 2)) if size == 20 else None
        structure = Structure(Dag("big", tasks=tuple(tasks), max_active_tasks=size + 2))
        rows = {(task.task_id, UNMAPPED): Row() for task in tasks}
        progress = CountingProgress(structure, [snapshot(key, row, LATER) for key, row in rows.items()])
        progress.settle()
        assert game is None or game.progress.asked == progress.asked
        progress.asked = 0
        progress.apply(snapshot(("first", UNMAPPED), Row(S.SUCCESS, attempt=1, try_number=1), LATER))
        progress.settle()
        asked[size] = progress.asked

    assert asked == {20: 1, 10_000: 1}
