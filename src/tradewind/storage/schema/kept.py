"""What tasks leave behind: XComs, rendered fields, what they remember, and what they wait for."""

from typing import Any

import sqlalchemy as sa

from tradewind.storage.schema.conventions import metadata
from tradewind.storage.types import KEY_LENGTH, Instant, LongText, big_key, identifier

# All refer to the task instance rather than to the run: who adds a row would else wait, on MySQL, for the scheduler
# that has locked the run to decide about it.


def _of_task() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("run_key", big_key(), primary_key=True, autoincrement=False),
        sa.Column("task_id", identifier(), primary_key=True),
        sa.Column("map_index", sa.Integer, primary_key=True, autoincrement=False),
    )


def _ends_with_task() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["run_key", "task_id", "map_index"],
        ["task_instance.run_key", "task_instance.task_id", "task_instance.map_index"],
        ondelete="CASCADE",
    )


xcom = sa.Table(
    "xcom",
    metadata,
    *_of_task(),
    sa.Column("key", identifier(KEY_LENGTH), primary_key=True),
    sa.Column("value", LongText, nullable=False),
    sa.Column("mapped_length", sa.Integer, nullable=True),
    sa.Column("is_dag_result", sa.Boolean, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    _ends_with_task(),
    sqlite_with_rowid=False,
)

rendered_fields = sa.Table(
    "rendered_fields",
    metadata,
    *_of_task(),
    sa.Column("fields", LongText, nullable=False),
    _ends_with_task(),
    sqlite_with_rowid=False,
)

task_state = sa.Table(
    "task_state",
    metadata,
    *_of_task(),
    sa.Column("key", identifier(KEY_LENGTH), primary_key=True),
    sa.Column("value", LongText, nullable=False),
    sa.Column("expires_at", Instant, nullable=True),
    sa.Column("updated_at", Instant, nullable=False),
    _ends_with_task(),
    sqlite_with_rowid=False,
)

deferral = sa.Table(
    "deferral",
    metadata,
    *_of_task(),
    sa.Column("attempt", sa.Integer, nullable=False),
    # None while it waits for a person rather than for a trigger.
    sa.Column("trigger_path", LongText, nullable=True),
    sa.Column("trigger_kwargs", LongText, nullable=True),
    sa.Column("next_method", identifier(), nullable=False),
    sa.Column("next_kwargs", LongText, nullable=True),
    sa.Column("queue", identifier(), nullable=True),
    sa.Column("times_out_at", Instant, nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    _ends_with_task(),
    sqlite_with_rowid=False,
)
