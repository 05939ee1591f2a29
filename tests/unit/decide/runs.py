"""Runs for the tests of `decide`, written in a few words."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from tradewind.decide.cells import Cell
from tradewind.decide.progress import RunProgress, Settlement
from tradewind.decide.structure import Structure
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import UNMAPPED, RunKey
from tradewind.model.states import HeldBy, TaskState
from tradewind.model.task import Candidate, TaskSnapshot

LATER = datetime(2030, 1, 1, tzinfo=UTC)


def named(name: str) -> tuple[str, int]:
    """`load[2]` → ("load", 2); `load` → ("load", -1)."""
    task_id, bracket, index = name.partition("[")
    return task_id, int(index[:-1]) if bracket else UNMAPPED


def snapshot(name: str, state: TaskState | str = TaskState.NONE, **values: Any) -> TaskSnapshot:
    """A task instance as the database has it."""
    task_id, map_index = named(name)
    plain: dict[str, Any] = {
        "attempt": 0,
        "try_number": 0,
        "held_by": None,
        "wake_at": None,
        "map_length": None,
        "skips": (),
    }
    return TaskSnapshot(RunKey(1), task_id, map_index, TaskState(state), **{**plain, **values})


class Play:
    """A run in memory: tell what happened, see what follows."""

    def __init__(self, *tasks: Task, rows: Iterable[str | TaskSnapshot] | None = None, **dag: Any) -> None:
        self.structure = Structure(Dag("dag", tasks=tasks, **dag))
        given = [task.task_id for task in tasks] if rows is None else rows
        self.progress = RunProgress(self.structure, [snapshot(row) if isinstance(row, str) else row for row in given])
        self.last = Settlement()

    def settle(self, *, is_paused: bool = False) -> dict[str, str]:
        """What follows from all that was told: the moves, by name."""
        self.last = self.progress.settle(is_paused=is_paused)
        return {self.name(move.cell): move.to_state.value for move in self.last.moves.values()}

    def tell(self, *snapshots: TaskSnapshot, is_paused: bool = False, **ended: str) -> dict[str, str]:
        """Task instances changed; returns what follows. Plain ends as `name="state"`."""
        for each in (*snapshots, *(snapshot(name, state, attempt=1) for name, state in ended.items())):
            self.progress.apply(each)
        return self.settle(is_paused=is_paused)

    def cell(self, name: str) -> Cell:
        """The instance of that name."""
        task_id, map_index = named(name)
        return self.progress.cells[self.structure.index[task_id]][map_index]

    def name(self, cell: Cell) -> str:
        """What the instance is called."""
        task_id = self.structure.tasks[cell.number].task_id
        return task_id if cell.map_index == UNMAPPED else f"{task_id}[{cell.map_index}]"

    def release(self) -> list[str]:
        """Who may compete for slots now."""
        return [self.name(cell) for cell in self.progress.gate.release()]

    @property
    def states(self) -> dict[str, str]:
        """The state of every instance."""
        return {self.name(cell): cell.state.value for cells in self.progress.cells for cell in cells.values()}

    @property
    def outcome(self) -> str | None:
        """How the run ended, as of the last settlement."""
        return None if self.last.outcome is None else self.last.outcome.state.value


def held(name: str, by: HeldBy = HeldBy.MAX_ACTIVE_TASKS, **values: Any) -> TaskSnapshot:
    """An instance that a limit of its run keeps from competing for slots."""
    return snapshot(name, TaskState.SCHEDULED, held_by=by, **values)


def candidate(task_id: str, **values: Any) -> Candidate:
    """A task that waits for slots."""
    plain: dict[str, Any] = {
        "run_key": RunKey(1),
        "task_id": task_id,
        "map_index": UNMAPPED,
        "attempt": 0,
        "dag_id": "dag",
        "pool": "pool",
        "pool_slots": 1,
        "priority_weight": 1,
        "queue_turn": 0,
        "max_active_per_dag": None,
        "executor": None,
        "queue": "default",
        "try_number": 1,
    }
    return Candidate(**{**plain, **values})
