"""States and lengths gathered from a run's instances. `cells` are, by task number, its instances by map index."""

from collections.abc import Iterable, Mapping, Sequence

from tradewind.decide.cells import Cell
from tradewind.decide.mapping import resolve_length
from tradewind.decide.structure import NO_GROUP, Structure
from tradewind.model.ids import UNMAPPED
from tradewind.model.states import FAILED_STATES, TaskState

Cells = Sequence[Mapping[int, Cell]]


def of_tasks(cells: Cells, numbers: Iterable[int]) -> list[TaskState]:
    """The states of all instances of these tasks."""
    return [cell.state for number in numbers for cell in cells[number].values()]


def of_setups(structure: Structure, cells: Cells, cell: Cell) -> list[TaskState]:
    """The states of the setups whose scope the cell is in; inside a mapped group, of those with its own index."""
    group = structure.mapped_group[cell.number]
    states: list[TaskState] = []
    for setup in structure.setups_required[cell.number]:
        own = cells[setup].get(cell.map_index) if group != NO_GROUP and structure.mapped_group[setup] == group else None
        states.extend(of_tasks(cells, [setup]) if own is None else [own.state])
    return states


def of_source(structure: Structure, cells: Cells, source: int) -> list[TaskState]:
    """The states of what something is mapped over.

    Once a mapped source has instances, those that succeeded are mapped over, as in Airflow: that one of them failed
    is for the trigger rule to mind.
    """
    states = of_tasks(cells, [source])
    if structure.lengths[source] is None or UNMAPPED in cells[source]:
        return states
    return [TaskState.SUCCESS if state in FAILED_STATES else state for state in states]


def map_length(structure: Structure, cells: Cells, number: int) -> int | None:
    """How many instances a mapped task should have, as far as its sources tell."""
    length = structure.lengths[number]
    if length is None:
        return None
    known: dict[str, int] = {}
    for source in structure.map_sources[number]:
        produced = _output_length(structure, cells, source)
        if produced is not None:
            known[structure.tasks[source].task_id] = produced
    return resolve_length(length, known)


def _output_length(structure: Structure, cells: Cells, source: int) -> int | None:
    if structure.lengths[source] is None:
        cell = cells[source].get(UNMAPPED)
        return cell.map_length if cell is not None and cell.state is TaskState.SUCCESS else None
    return sum(cell.state is TaskState.SUCCESS for cell in cells[source].values())
