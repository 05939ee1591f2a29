"""Who asks, when, and in which transaction the answer is found."""

from datetime import datetime, timedelta
from typing import Final

from tradewind.errors import UnknownRun
from tradewind.model.assignment import Asker
from tradewind.model.ids import RunKey
from tradewind.model.run import Run
from tradewind.operations.cipher import Cipher
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

DEFAULT_RETENTION: Final = timedelta(days=30)
"""What `[state_store] default_retention_days` is where nobody says otherwise."""


class TaskRequest:
    """What all parts of an answer need."""

    def __init__(
        self,
        tx: Transaction,
        asker: Asker,
        *,
        now: datetime,
        structures: Structures,
        secrets: Cipher,
        default_retention: timedelta = DEFAULT_RETENTION,
        is_repeat: bool = False,
    ) -> None:
        """`is_repeat`: it was asked before, and may have been met already."""
        self.tx = tx
        self.asker = asker
        self.now = now
        self.structures = structures
        self.secrets = secrets
        self.default_retention = default_retention
        self.is_repeat = is_repeat

    def find_run(self, dag_id: str, run_id: str) -> Run | None:
        """The run of that id."""
        return self.tx.runs.find(dag_id, run_id)

    def find_run_key(self, dag_id: str, run_id: str) -> RunKey | None:
        """The key of a run. That of the asker's own is known: most questions are about it."""
        if (dag_id, run_id) == (self.asker.dag_id, self.asker.run_id):
            return self.asker.key.run_key
        run = self.find_run(dag_id, run_id)
        return None if run is None else run.key

    def need_run_key(self, dag_id: str, run_id: str) -> RunKey:
        """The key of a run.

        Raises:
            UnknownRun: there is none of that id.
        """
        run_key = self.find_run_key(dag_id, run_id)
        if run_key is None:
            raise UnknownRun(dag_id, run_id)
        return run_key
