"""What rows of triggers have in common, whether their tasks are still there or were deleted."""

from collections.abc import Sequence

import sqlalchemy as sa

from tradewind.model.ids import AttemptKey, RunKey, TriggerKey
from tradewind.model.trigger import ClaimedTrigger
from tradewind.storage.interface.trigger_store import SealedKwargs
from tradewind.storage.types import AnyRow


def to_claimed(row: AnyRow, *, is_called_off: bool) -> ClaimedTrigger:
    """A trigger that a triggerer is to run."""
    return ClaimedTrigger(
        key=TriggerKey(row.trigger_key),
        attempt=AttemptKey(RunKey(row.run_key), row.task_id, row.map_index, row.attempt),
        class_path=row.class_path,
        kwargs=row.kwargs,
        is_encrypted=row.is_encrypted,
        is_prepared=row.is_prepared,
        dag_id=row.dag_id,
        run_id=row.run_id,
        try_number=row.try_number,
        bundle_name=row.bundle_name,
        bundle_version=row.bundle_version,
        path=row.path,
        is_called_off=is_called_off,
    )


def sealed_in(connection: sa.Connection, table: sa.Table) -> list[SealedKwargs]:
    """The arguments of all triggers of a table, as they are stored."""
    found = connection.execute(sa.select(table.c.trigger_key, table.c.kwargs, table.c.is_encrypted))
    return [SealedKwargs(TriggerKey(row[0]), row[1], row[2]) for row in found]


def reseal_in(connection: sa.Connection, table: sa.Table, kwargs: Sequence[SealedKwargs]) -> None:
    """Store them anew."""
    statement = (
        sa.update(table)
        .where(table.c.trigger_key == sa.bindparam("of"))
        .values(kwargs=sa.bindparam("sealed"), is_encrypted=sa.bindparam("encrypted"))
    )
    rows = [{"of": each.key, "sealed": each.kwargs, "encrypted": each.is_encrypted} for each in kwargs]
    if rows:
        connection.execute(statement, rows)
