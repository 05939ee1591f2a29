"""Tasks and groups of all DAGs by their names."""

import heapq
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

import msgspec

from tradewind.model.ids import VersionKey
from tradewind.storage.interface import Transaction

_READ_AT_ONCE: Final = 500
"""Versions: what is read of them at a time stays within a few megabytes."""


@dataclass(frozen=True, slots=True)
class FoundTask:
    """A task, or a group of tasks, of the current version of a DAG."""

    dag_id: str
    node_id: str
    label: str
    is_group: bool


class _Task(msgspec.Struct):
    task_id: str
    display_name: str | None = None


class _Group(msgspec.Struct):
    group_id: str
    display_name: str | None = None


class _Dag(msgspec.Struct):
    tasks: list[_Task] = []
    groups: list[_Group] = []


class _Document(msgspec.Struct):
    """Of a stored DAG, the names alone: the rest is passed over, which takes a fraction of the time."""

    dag: _Dag


class _Node(NamedTuple):
    node_id: str
    label: str
    is_group: bool
    small_id: str
    small_name: str
    """Id and label. In small letters, as what is looked for."""


class _Names(NamedTuple):
    """Of one version."""

    all: str
    """To tell at once whether a word is in any of them."""
    nodes: tuple[_Node, ...]


class _Candidate(NamedTuple):
    """Those that sort first are meant most."""

    rank: int
    length: int
    dag_id: str
    node: _Node


_decode: Final = msgspec.json.Decoder(_Document).decode


class TaskNames:
    """The names in the current versions of DAGs. A version never changes, so each is read once."""

    def __init__(self) -> None:
        self._known: dict[VersionKey, _Names] = {}
        self._lock = Lock()  # The web server asks from many threads.

    def search(self, tx: Transaction, text: str, reach: Collection[str] | None, most: int) -> list[FoundTask]:
        """Those with all words of a text in their name or that of their DAG, one at least in their own; best first.

        `reach`: the DAGs that may be named; None: all.
        """
        words = text.lower().split()
        if not words:
            return []
        current = {
            record.dag_id: record.version_key
            for record in tx.dags.all()
            if record.version_key is not None and not record.is_stale
        }
        self._keep_only(tx, set(current.values()))
        within = current if reach is None else {dag_id: key for dag_id, key in current.items() if dag_id in reach}
        best = heapq.nsmallest(most, self._fitting(within, words))
        return [FoundTask(dag_id, node.node_id, node.label, node.is_group) for _, _, dag_id, node in best]

    def _keep_only(self, tx: Transaction, wanted: set[VersionKey]) -> None:
        """Forget the versions that are no longer current, and read those that are not known yet."""
        with self._lock:
            self._known = {key: names for key, names in self._known.items() if key in wanted}
            unknown = iter(sorted(wanted - self._known.keys()))
        while part := list(islice(unknown, _READ_AT_ONCE)):
            read = {key: _names(data) for key, (_, data) in tx.dags.version_data(part).items()}
            with self._lock:
                self._known.update(read)

    def _fitting(self, current: dict[str, VersionKey], words: list[str]) -> Iterator[_Candidate]:
        for dag_id, version_key in current.items():
            names = self._known.get(version_key)
            dag_name = dag_id.lower()
            if names is None or not all(word in names.all or word in dag_name for word in words):
                continue
            for node in names.nodes:
                rank = _rank(node, dag_name, words)
                if rank is not None:
                    yield _Candidate(rank, len(node.node_id), dag_id, node)


def _rank(node: _Node, dag_name: str, words: list[str]) -> int | None:
    """0: called so; 1: begins so; 2: a part of its name begins so; 3: has it; None: is not meant."""
    name = node.small_name
    own = [word for word in words if word in name]
    if not own or (len(own) < len(words) and any(word not in own and word not in dag_name for word in words)):
        return None
    first = own[0]
    at = name.find(first)
    if at == 0:
        return 0 if node.small_id == first else 1
    if node.small_id.endswith(f".{first}"):
        return 0
    return 3 if name[at - 1].isalnum() else 2


def _names(data: str) -> _Names:
    try:
        dag = _decode(data).dag
    except msgspec.DecodeError:
        # A damaged or newer document hides its own tasks, and nobody else's.
        return _Names("", ())
    nodes = (
        *(_node(task.task_id, task.display_name, is_group=False) for task in dag.tasks),
        *(_node(group.group_id, group.display_name, is_group=True) for group in dag.groups),
    )
    return _Names("\n".join(node.small_name for node in nodes), nodes)


def _node(node_id: str, display_name: str | None, *, is_group: bool) -> _Node:
    label = display_name or node_id
    name = node_id if label == node_id else f"{node_id} {label}"
    return _Node(node_id, label, is_group, node_id.lower(), name.lower())
