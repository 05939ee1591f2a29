"""Which events those are told of who watch, and how."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.live import MOST_NAMED, LiveEntry, LiveKind
from tradewind.telemetry.events import (
    DagDeleted,
    DagFenced,
    DagsAwaitAssets,
    DagsPaused,
    DagsPublished,
    Event,
    FileFailed,
    PoolChanged,
    RunDeleted,
    RunMoved,
    SlotOverdue,
    TasksDeleted,
    TasksMoved,
)
from tradewind.telemetry.measurements import AssetsUpdated

_DELETED: Final = "deleted"


def entries_of(event: Event) -> Iterable[LiveEntry]:
    """None for those that change nothing that people look at."""
    told = _TOLD.get(type(event))
    return () if told is None else told(event)


def _of_tasks(state: str, tasks: Iterable[TaskKey]) -> Iterator[LiveEntry]:
    by_run: dict[RunKey, list[tuple[str, int]]] = {}
    for run_key, task_id, map_index in tasks:
        by_run.setdefault(run_key, []).append((task_id, map_index))
    for run_key, named in by_run.items():
        told = () if len(named) > MOST_NAMED else tuple(named)
        yield LiveEntry(LiveKind.TASK_INSTANCE, state, run_key=run_key, tasks=told, number=len(named))


def _of_dags(state: str, dag_ids: tuple[str, ...]) -> list[LiveEntry]:
    if len(dag_ids) > MOST_NAMED:
        return [LiveEntry(LiveKind.DAG, state, number=len(dag_ids))]
    return [LiveEntry(LiveKind.DAG, state, dag_id) for dag_id in dag_ids]


def _of_run(state: str, event: RunMoved | RunDeleted) -> list[LiveEntry]:
    return [LiveEntry(LiveKind.DAG_RUN, state, event.dag_id, event.run_id)]


def _of_file(event: FileFailed) -> list[LiveEntry]:
    return [LiveEntry(LiveKind.IMPORT_ERROR, "error", f"{event.bundle}/{event.path}")]


def _of_pool(event: PoolChanged) -> list[LiveEntry]:
    return [LiveEntry(LiveKind.POOL, _DELETED if event.is_deleted else "changed", event.pool)]


_TOLD: Final[Mapping[type, Callable[[Any], Iterable[LiveEntry]]]] = {
    TasksMoved: lambda event: _of_tasks(event.state.value, event.tasks),
    TasksDeleted: lambda event: _of_tasks(_DELETED, event.tasks),
    RunMoved: lambda event: _of_run(event.state.value, event),
    RunDeleted: lambda event: _of_run(_DELETED, event),
    DagsPublished: lambda event: [*_of_dags("published", event.dag_ids), *_of_dags("stale", event.stale)],
    DagsAwaitAssets: lambda event: _of_dags("waiting", event.dag_ids),
    AssetsUpdated: lambda event: [LiveEntry(LiveKind.ASSET, "updated", number=event.count)],
    SlotOverdue: lambda event: _of_dags("overdue", (event.dag_id,)),
    DagsPaused: lambda event: _of_dags("paused" if event.is_paused else "unpaused", event.dag_ids),
    DagDeleted: lambda event: _of_dags(_DELETED, (event.dag_id,)),
    DagFenced: lambda event: _of_dags("error", (event.dag_id,)),
    FileFailed: _of_file,
    PoolChanged: _of_pool,
}
