"""How a run ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tradewind.decide.cells import Cell
from tradewind.decide.structure import Structure
from tradewind.model.states import FAILED_STATES, RunState


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The run's final state, and why where its tasks do not say it themselves."""

    state: RunState
    reason: str | None = None


SUCCESS = RunOutcome(RunState.SUCCESS)
FAILED = RunOutcome(RunState.FAILED)
DEADLOCK = RunOutcome(RunState.FAILED, "deadlock: tasks are left, but none of them can ever run")


def outcome_of(
    structure: Structure, cells: Sequence[Mapping[int, Cell]], unfinished: int, *, is_stuck: bool
) -> RunOutcome | None:
    """None while the run goes on.

    The leaves decide, seen through teardowns that do not count (`Structure.outcome_tasks`). `is_stuck` says that
    everything unfinished is undecided, was considered, and waits for nothing outside the run.
    """
    if unfinished:
        return DEADLOCK if is_stuck else None
    for number in structure.outcome_tasks:
        if any(cell.state in FAILED_STATES for cell in cells[number].values()):
            return FAILED
    return SUCCESS
