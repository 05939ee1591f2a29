"""The grid of a DAG: its tasks and groups downwards, its runs across."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tradewind.decide.structure import Structure
from tradewind.errors import UnknownDag
from tradewind.model.ids import RunKey
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.overview_store import ANY_RUN, Place, RunAtAGlance, RunFilter, TaskStates


@dataclass(frozen=True, slots=True)
class GridRow:
    """A task or a group of tasks. Members follow their group."""

    node_id: str
    label: str
    parent_id: str | None
    is_group: bool
    is_mapped: bool
    operator: str | None


@dataclass(frozen=True, slots=True)
class Grid:
    """All that it shows."""

    layout: int | None
    """The same for as long as the tasks and groups of the DAG are."""
    is_whole: bool
    """Else without what the asker has: rows, and runs that did not change."""
    rows: list[GridRow]
    run_ids: list[str]
    """Of all runs, the newest last."""
    runs: list[RunAtAGlance]
    """In the same order."""
    states: Mapping[RunKey, TaskStates]
    """By run, of those that have tasks."""
    version_numbers: Mapping[int, int]
    """How people call the versions of the runs."""
    pages: "Pages"


@dataclass(frozen=True, slots=True)
class Pages:
    """Where the grid goes on."""

    older: Place | None
    """The runs before it are the next page. None: there are no older ones."""
    has_newer: bool
    newer: Place | None
    """Likewise. None: the newest page."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs a grid shows."""

    most: int
    before: Place | None = None
    only: RunFilter = ANY_RUN


@dataclass(frozen=True, slots=True)
class Kept:
    """What somebody has of a grid who asks for the rest."""

    layout: int
    changed: Collection[str]
    """The runs that are to be told again."""


def show_grid(
    tx: Transaction,
    dag_id: str,
    structures: Structures,
    wanted: Wanted,
    kept: Kept | None = None,
) -> Grid:
    """Of the newest runs, or of those before a place in their order. Raises `UnknownDag`, `DagUnusable`.

    The rows are those of the current version, then tasks that only the shown runs have. Who has the rows already,
    and all runs but some, is told the states of those alone.
    """
    record = tx.dags.find(dag_id)
    if record is None:
        raise UnknownDag(dag_id)
    runs, pages = _page(tx, dag_id, wanted)
    asked = runs if kept is None else [run for run in runs if run.run_id in kept.changed]
    states, numbers = _within(tx, asked)
    rows = [] if record.version_key is None else list(grid_rows(structures.get(tx, record.version_key)))
    known = {row.node_id for row in rows if not row.is_group}
    former = sorted(set[str]().union(*(each.task_ids for each in states.values())) - known)
    if kept is not None and (former or kept.layout != record.version_key):
        # The numbers of rows are not those that the asker knows.
        return show_grid(tx, dag_id, structures, wanted)
    rows += [GridRow(task_id, task_id, None, is_group=False, is_mapped=False, operator=None) for task_id in former]
    run_ids = [run.run_id for run in runs]
    return Grid(record.version_key, kept is None, rows, run_ids, asked, states, numbers, pages)


def _page(tx: Transaction, dag_id: str, wanted: Wanted) -> tuple[list[RunAtAGlance], Pages]:
    most, before, only = wanted.most, wanted.before, wanted.only
    found = tx.overview.runs_until(dag_id, most + 1, before, only)
    runs = found[-most:]
    older = place_of(runs[0]) if len(found) > most else None
    # One more than a page: that which follows is where the newer page ends.
    newer = [] if before is None else tx.overview.runs_from(dag_id, most + 1, before, only)
    return runs, Pages(older, bool(newer), place_of(newer[most]) if len(newer) > most else None)


def place_of(run: RunAtAGlance) -> Place:
    """In the order of the runs of its DAG."""
    return Place(run.ordering_at, run.run_key)


def _within(tx: Transaction, runs: list[RunAtAGlance]) -> tuple[Mapping[RunKey, TaskStates], Mapping[int, int]]:
    """The states of their tasks, and how people call their versions."""
    if not runs:
        return {}, {}
    numbers = tx.run_views.version_numbers({run.version_key for run in runs})
    return tx.overview.task_states([run.run_key for run in runs]), numbers


def grid_rows(structure: Structure) -> Iterator[GridRow]:
    """In the order in which tasks run, as far as groups stay together: each begins where its first task is."""
    dag = structure.dag
    groups = {group.group_id: group for group in dag.groups}
    members: dict[str | None, list[str | int]] = {}
    placed: set[str] = set()
    for number in structure.order:
        inner: str | int = number
        group_id = structure.tasks[number].group_id
        while group_id is not None and group_id not in placed:
            members.setdefault(group_id, []).append(inner)
            placed.add(group_id)
            inner, group_id = group_id, groups[group_id].parent_id
        members.setdefault(group_id, []).append(inner)

    def rows_within(parent_id: str | None) -> Iterator[GridRow]:
        for member in members.get(parent_id, ()):
            if isinstance(member, int):
                task = structure.tasks[member]
                label = task.display_name or _short(task.task_id, parent_id)
                is_mapped = task.mapping is not None
                yield GridRow(task.task_id, label, parent_id, False, is_mapped, task.operator)
            else:
                group = groups[member]
                label = group.display_name or _short(member, parent_id)
                yield GridRow(member, label, parent_id, True, group.mapping is not None, None)
                yield from rows_within(member)

    yield from rows_within(None)


def _short(name: str, group_id: str | None) -> str:
    """Within a group, its name need not be read again."""
    return name if group_id is None else name.removeprefix(f"{group_id}.")
