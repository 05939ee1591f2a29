"""What triggers and watchers did to others: columns that the tables of both have."""

from collections.abc import Mapping
from typing import TypeVar

import sqlalchemy as sa

from tradewind.model.ids import JobKey
from tradewind.model.trouble import Trouble
from tradewind.storage.types import Instant

K = TypeVar("K", bound=int)


def note_trouble(table: sa.Table, key: sa.Column[int]) -> sa.Update:
    """The statement for `trouble_rows`. A moment and a stack that are not told stay as they are."""
    columns = table.c
    return (
        sa.update(table)
        .where(key == sa.bindparam("of"), columns.triggerer == sa.bindparam("job"))
        .values(
            blocks=sa.bindparam("times"),
            blocked_at=sa.func.coalesce(sa.bindparam("last", type_=Instant()), columns.blocked_at),
            blocked_stack=sa.func.coalesce(sa.bindparam("stack"), columns.blocked_stack),
            is_quarantined=sa.bindparam("apart"),
        )
    )


def trouble_rows(troubles: Mapping[K, Trouble], job: JobKey) -> list[dict[str, object]]:
    """What is known of those that belong to this triggerer."""
    return [
        {
            "of": key,
            "job": job,
            "times": troubles[key].blocks,
            "last": troubles[key].blocked_at,
            "stack": troubles[key].stack,
            "apart": troubles[key].is_quarantined,
        }
        for key in sorted(troubles)
    ]
