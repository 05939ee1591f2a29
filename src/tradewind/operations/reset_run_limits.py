"""Forget which DAGs have no place for a further run."""

from datetime import datetime

from tradewind.storage.interface import Transaction


def reset_run_limits(tx: Transaction, now: datetime) -> None:
    """The net below: whoever should have said that there is a place may have died. Times and updates of assets are
    looked at again, and what still has no place is noted anew."""
    tx.dags.reset_run_limits()
    tx.dag_changes.record(tx.deliveries.dags_with_pending(), now)
