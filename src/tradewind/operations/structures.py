"""Compiled DAG versions, remembered. A version never changes, so neither does what is remembered of it."""

from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from threading import Lock

from tradewind.decide.structure import Structure
from tradewind.errors import DagUnusable
from tradewind.model.dag_json import decode_dag
from tradewind.model.ids import VersionKey
from tradewind.storage.interface import Transaction
from tradewind.telemetry.measurements import StructuresMeasured


class Structures:
    """The most recently used versions, as many as fit into `most_tasks` tasks together."""

    def __init__(self, most_tasks: int = 100_000) -> None:
        self._most_tasks = most_tasks
        self._known: OrderedDict[VersionKey, Structure] = OrderedDict()
        self._current: dict[str, VersionKey] = {}
        self._tasks = 0
        self._hits = 0
        self._misses = 0
        # The web server asks from many threads.
        self._lock = Lock()

    def get(self, tx: Transaction, version_key: VersionKey) -> Structure:
        """The version's structure.

        Raises:
            DagUnusable: its stored form is missing, damaged, or of a newer format. Only this DAG is affected.
        """
        with self._lock:
            known = self._known.get(version_key)
            if known is not None:
                self._known.move_to_end(version_key)
                self._hits += 1
                return known
        stored = tx.dags.version_data([version_key]).get(version_key)
        if stored is None:
            raise DagUnusable(f"version {version_key}", "this version is not stored (any more)")
        return self._remember(version_key, *stored)

    def current(self, dag_id: str) -> tuple[VersionKey, Structure] | None:
        """The version that the DAG had when it was last looked at. Whoever uses it must make sure that it still has."""
        with self._lock:
            version_key = self._current.get(dag_id)
            known = None if version_key is None else self._known.get(version_key)
            if version_key is None or known is None:
                return None
            self._known.move_to_end(version_key)
            self._hits += 1
            return version_key, known

    def get_current(self, tx: Transaction, dag_id: str, version_key: VersionKey) -> Structure:
        """As `get`, of the version that the DAG has now."""
        structure = self.get(tx, version_key)
        self._current[dag_id] = version_key
        return structure

    def measured(self, kind: str) -> StructuresMeasured:
        """How well it serves a service of this kind."""
        return StructuresMeasured(kind, self._hits, self._misses, len(self._known))

    def prepare(self, tx: Transaction, version_keys: Iterable[VersionKey]) -> None:
        """Read those of many versions that are not known yet, at once. One that cannot be read is left to `get`."""
        unknown = set(version_keys) - self._known.keys()
        if len(unknown) < 2:
            return
        for version_key, stored in sorted(tx.dags.version_data(unknown).items()):
            with suppress(DagUnusable):
                self._remember(version_key, *stored)

    def _remember(self, version_key: VersionKey, dag_id: str, data: str) -> Structure:
        try:
            structure = Structure(decode_dag(data))
        except (ValueError, KeyError) as error:
            raise DagUnusable(dag_id, str(error)) from error
        with self._lock:
            self._misses += 1
            if version_key not in self._known:
                self._known[version_key] = structure
                self._tasks += len(structure.tasks)
            while self._tasks > self._most_tasks and len(self._known) > 1:
                _, oldest = self._known.popitem(last=False)
                self._tasks -= len(oldest.tasks)
        return structure
