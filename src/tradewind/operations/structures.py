"""Compiled DAG versions, remembered. A version never changes, so neither does what is remembered of it."""

from collections import OrderedDict

from tradewind.decide.structure import Structure
from tradewind.errors import DagUnusable
from tradewind.model.dag_json import decode_dag
from tradewind.model.ids import VersionKey
from tradewind.storage.interface import Transaction


class Structures:
    """The most recently used versions, as many as fit into `most_tasks` tasks together."""

    def __init__(self, most_tasks: int = 100_000) -> None:
        self._most_tasks = most_tasks
        self._known: OrderedDict[VersionKey, Structure] = OrderedDict()
        self._tasks = 0

    def get(self, tx: Transaction, version_key: VersionKey) -> Structure:
        """The version's structure.

        Raises:
            DagUnusable: its stored form is missing, damaged, or of a newer format. Only this DAG is affected.
        """
        known = self._known.get(version_key)
        if known is not None:
            self._known.move_to_end(version_key)
            return known
        structure = _load(tx, version_key)
        self._known[version_key] = structure
        self._tasks += len(structure.tasks)
        while self._tasks > self._most_tasks and len(self._known) > 1:
            _, oldest = self._known.popitem(last=False)
            self._tasks -= len(oldest.tasks)
        return structure


def _load(tx: Transaction, version_key: VersionKey) -> Structure:
    stored = tx.dags.version_data(version_key)
    if stored is None:
        raise DagUnusable(f"version {version_key}", "this version is not stored (any more)")
    dag_id, data = stored
    try:
        return Structure(decode_dag(data))
    except (ValueError, KeyError) as error:
        raise DagUnusable(dag_id, str(error)) from error
