"""The store of runs that are about to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from tradewind.model.ids import RunKey
    from tradewind.model.listing import Row
    from tradewind.model.run import NewRun
    from tradewind.model.task import NewTask
    from tradewind.storage.interface import DagRecord


class NewRunStore(Protocol):
    """Makes runs, in as few ways to the database as it can."""

    def lock_dag(self, dag_id: str, *, with_others: bool = False) -> tuple[DagRecord, bool] | None:
        """Lock the DAG that a run is asked of, and whether its file cannot be imported as it is now.

        Nobody changes the DAG until the transaction ends. `with_others`: others may ask it for runs meanwhile, which
        is right only for a run that cannot exist yet."""

    def create(self, new: NewRun, tasks: Sequence[NewTask], now: datetime) -> RunKey:
        """A queued run with these task instances, and that it shall be looked at. The DAG must be locked, and the run
        not be taken. Of which run the tasks say that they are does not count: it has no key yet."""

    def create_many(self, made: Sequence[tuple[NewRun, Sequence[NewTask]]], now: datetime) -> list[RunKey]:
        """As `create`, each of another DAG, in as few statements as for one."""

    def create_untaken(self, made: Sequence[tuple[NewRun, Sequence[NewTask]]], now: datetime) -> list[RunKey | None]:
        """As `create_many`, but for DAGs that have a run of this id or logical date: these get none."""

    def create_shown(self, new: NewRun, tasks: Sequence[NewTask], now: datetime) -> tuple[RunKey, Row]:
        """The same, and how the run looks in a list of runs."""

    def create_shown_of(self, new: NewRun, tasks: Sequence[NewTask], now: datetime) -> tuple[RunKey, Row] | None:
        """As `create_shown`, of a DAG that nobody has locked yet; for a run that cannot exist yet. None: there is no
        such DAG, its version is another one by now, it is stale, or its file cannot be imported as it is now."""
