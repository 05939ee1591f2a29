"""Which tests go together to one worker, and which of them begin first.

A file goes to one worker as a whole, because its tests share what they start. Some files share a deployment even with
each other: those go together, one kind of database after the other, so that it is started once for each kind.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

import pytest
from xdist.remote import Producer  # type: ignore[import-untyped]
from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

WAITING: Final = frozenset({"acceptance", "browser", "compat", "faults", "simulation"})
"""Folders whose files take long; most start processes and wait for them."""
LAST_START: Final = 0.7
"""The part of the other tests after which none of those begins any more: at the end, all workers have work."""

_SHARING: Final = {
    f"tests/acceptance/{name}.py": "tests/acceptance"
    for name in ("test_as_airflow", "test_failures", "test_limits", "test_values")
}


def scope_of(node_id: str) -> str:
    """What goes to one worker together."""
    file = node_id.split("::", 1)[0]
    return _SHARING.get(file, file)


def ordered(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Those that wait spread among those that keep a core busy; of these, files of many tests first."""
    scopes: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        scopes[scope_of(item.nodeid)].append(item)
    for scope in set(_SHARING.values()) & scopes.keys():
        scopes[scope].sort(key=_kind_of_database)

    waiting = [scope for scope in scopes if _is_waiting(scope)]
    busy = [scope for scope in scopes if not _is_waiting(scope)]
    busy.sort(key=lambda scope: -len(scopes[scope]))
    places = {scope: LAST_START * number / len(waiting) for number, scope in enumerate(waiting)}
    total, before = sum(len(scopes[scope]) for scope in busy), 0
    for scope in busy:
        places[scope] = before / total
        before += len(scopes[scope])
    return [item for scope in sorted(places, key=lambda scope: places[scope]) for item in scopes[scope]]


def _is_waiting(scope: str) -> bool:
    return not WAITING.isdisjoint(scope.split("/"))


def _kind_of_database(item: pytest.Item) -> str:
    parameters = getattr(item, "callspec", None)
    return "" if parameters is None else str(parameters.params.get("database_kind", ""))


class Scheduling(LoadFileScheduling):  # type: ignore[misc]
    """Hands out what goes together, in the order of `ordered`."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)
