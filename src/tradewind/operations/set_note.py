"""A person's remark on a run."""

from tradewind.errors import UnknownRun
from tradewind.storage.interface import Transaction


def set_run_note(tx: Transaction, dag_id: str, run_id: str, note: str | None) -> None:
    """Replace the note; None takes it away. Raises `UnknownRun`."""
    run = tx.runs.find(dag_id, run_id)
    if run is None:
        raise UnknownRun(dag_id, run_id)
    tx.runs.set_note(run.key, note)
