"""Which events those are told of who watch, and how."""

from collections.abc import Iterable, Iterator

from tradewind.model.ids import RunKey, TaskKey
from tradewind.model.live import MOST_NAMED, LiveEntry, LiveKind
from tradewind.telemetry.events import (
    DagDeleted,
    DagFenced,
    DagsPaused,
    DagsPublished,
    Event,
    FileFailed,
    PoolChanged,
    RunDeleted,
    RunMoved,
    TasksDeleted,
    TasksMoved,
)

_DELETED = "deleted"


def entries_of(event: Event) -> Iterable[LiveEntry]:
    """None for those that change nothing that people look at."""
    match event:
        case TasksMoved(state, tasks):
            return _of_tasks(state.value, tasks)
        case TasksDeleted(tasks):
            return _of_tasks(_DELETED, tasks)
        case RunMoved():
            return (LiveEntry(LiveKind.DAG_RUN, event.state.value, event.dag_id, event.run_id),)
        case RunDeleted(dag_id, run_id):
            return (LiveEntry(LiveKind.DAG_RUN, _DELETED, dag_id, run_id),)
        case DagsPublished(dag_ids, stale):
            return (*_of_dags("published", dag_ids), *_of_dags("stale", stale))
        case DagsPaused(dag_ids, is_paused):
            return _of_dags("paused" if is_paused else "unpaused", dag_ids)
        case DagDeleted(dag_id):
            return _of_dags(_DELETED, (dag_id,))
        case DagFenced(dag_id, _):
            return _of_dags("error", (dag_id,))
        case FileFailed(bundle, path, _):
            return (LiveEntry(LiveKind.IMPORT_ERROR, "error", f"{bundle}/{path}"),)
        case PoolChanged(pool, is_deleted):
            return (LiveEntry(LiveKind.POOL, _DELETED if is_deleted else "changed", pool),)
        case _:
            return ()


def _of_tasks(state: str, tasks: Iterable[TaskKey]) -> Iterator[LiveEntry]:
    by_run: dict[RunKey, list[tuple[str, int]]] = {}
    for run_key, task_id, map_index in tasks:
        by_run.setdefault(run_key, []).append((task_id, map_index))
    for run_key, named in by_run.items():
        told = () if len(named) > MOST_NAMED else tuple(named)
        yield LiveEntry(LiveKind.TASK_INSTANCE, state, run_key=run_key, tasks=told, count=len(named))


def _of_dags(state: str, dag_ids: tuple[str, ...]) -> list[LiveEntry]:
    if len(dag_ids) > MOST_NAMED:
        return [LiveEntry(LiveKind.DAG, state, count=len(dag_ids))]
    return [LiveEntry(LiveKind.DAG, state, dag_id) for dag_id in dag_ids]
