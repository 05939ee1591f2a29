"""Changes as a browser is told of them: events of a stream, made once for all who watch."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from tradewind.api.auth.access import Action, Need, Principal, Resource, dags_within_reach, may
from tradewind.model.ids import RunKey
from tradewind.model.live import LiveEntry, LiveKind, LiveRow
from tradewind.model.states import TaskState

READ: Final = Need(Resource.DAG, Action.READ)
OF_DAGS: Final = frozenset({LiveKind.DAG, LiveKind.DAG_RUN, LiveKind.TASK_INSTANCE})
_OTHERS: Final = {LiveKind.ASSET: Resource.ASSET, LiveKind.JOB: Resource.JOB, LiveKind.POOL: Resource.POOL}
RESYNC: Final = b"event: resync\ndata: {}\n\n"
"""Changes may have been missed: load anew whatever is shown."""

RunNames = Mapping[RunKey, tuple[str, str]]
"""Ids of the DAG and of the run."""


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One event, and who it is for."""

    kind: LiveKind | None
    """None: that changes may have been missed, which everybody must know."""
    text: bytes
    dag_id: str | None = None
    run_id: str | None = None


MISSED: Final = LiveEvent(None, RESYNC)


def events_of(rows: Iterable[LiveRow], names: RunNames) -> list[LiveEvent]:
    """Of a run that is gone there is nothing more to tell than that."""
    return [event for row in rows for entry in row.entries for event in _of_entry(entry, row.at, names)]


def job_event(service: str, health: str, at: datetime) -> LiveEvent:
    """A service is well, or no longer."""
    return _event(LiveKind.JOB, at, health, name=service)


def _of_entry(entry: LiveEntry, at: datetime, names: RunNames) -> Iterator[LiveEvent]:
    match entry.kind:
        case LiveKind.TASK_INSTANCE:
            yield from _of_tasks(entry, at, names)
        case LiveKind.DAG_RUN:
            yield _event(entry.kind, at, entry.state, dag_id=entry.name, run_id=entry.run_id)
        case LiveKind.ASSET:
            yield _event(entry.kind, at, entry.state, count=entry.number)
        case LiveKind.DAG if entry.name is None:
            yield _event(entry.kind, at, entry.state, count=entry.number)
        case LiveKind.DAG:
            yield _event(entry.kind, at, entry.state, dag_id=entry.name)
        case _:
            yield _event(entry.kind, at, entry.state, name=entry.name)


def _of_tasks(entry: LiveEntry, at: datetime, names: RunNames) -> Iterator[LiveEvent]:
    found = None if entry.run_key is None else names.get(RunKey(entry.run_key))
    if found is None:
        return
    dag_id, run_id = found
    state = None if entry.state == TaskState.NONE else entry.state
    if not entry.tasks:
        yield _event(entry.kind, at, state, dag_id=dag_id, run_id=run_id, count=entry.number)
    for task_id, map_index in entry.tasks:
        ids = {"task_id": task_id, "map_index": map_index}
        yield _event(entry.kind, at, state, dag_id=dag_id, run_id=run_id, **ids)


def _event(kind: LiveKind, at: datetime, state: str | None, **ids: Any) -> LiveEvent:
    data = msgspec.json.encode({"kind": kind, **ids, "state": state, "at": at})
    return LiveEvent(kind, b"event: %b\ndata: %b\n\n" % (kind.encode(), data), ids.get("dag_id"), ids.get("run_id"))


@dataclass(frozen=True, slots=True)
class Wish:
    """What a client wants to be told of. Nothing said: everything."""

    kinds: frozenset[LiveKind] = frozenset()
    dag_ids: frozenset[str] = frozenset()
    run_ids: frozenset[str] = frozenset()

    def has(self, event: LiveEvent) -> bool:
        """Whether the event is one of those. Ids concern only what belongs to a DAG; runs, what belongs to one."""
        if event.kind is None:
            return True
        if self.kinds and event.kind not in self.kinds:
            return False
        if self.dag_ids and event.dag_id is not None and event.dag_id not in self.dag_ids:
            return False
        return not self.run_ids or event.run_id is None or event.run_id in self.run_ids


def seen_by(principal: Principal) -> Callable[[LiveEvent], bool]:
    """Whether they may know of an event: by the rule that lists go by."""
    reach = dags_within_reach(principal, READ)
    kinds = {kind for kind, resource in _OTHERS.items() if may(principal, Need(resource, Action.READ))}
    if reach is None:
        # A file may have any DAG: only who may see all of them is told of files.
        kinds |= {*OF_DAGS, LiveKind.IMPORT_ERROR}
        return lambda event: event.kind is None or event.kind in kinds
    return lambda event: (
        event.kind is None
        or event.kind in kinds
        # What names no DAG says only that there are more changes than can be named.
        or (event.kind in OF_DAGS and (event.dag_id is None or event.dag_id in reach))
    )
