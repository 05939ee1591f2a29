"""What becomes of a DAG that cannot be scheduled."""

from tradewind.errors import DagUnusable
from tradewind.storage.interface import Transaction
from tradewind.telemetry.events import DagFenced


def fence(tx: Transaction, error: DagUnusable) -> None:
    """Leave this DAG alone until it has a new version; all others go on (B10)."""
    tx.dags.set_error(error.dag_id, error.reason)
    tx.emit(DagFenced(error.dag_id, error.reason))
