"""What tasks leave behind: XComs, rendered fields, what they remember, what they wait for, and who waits for them."""

from typing import Any

import sqlalchemy as sa

from tradewind.storage.schema.conventions import add_index, metadata
from tradewind.storage.types import KEY_LENGTH, PATH_LENGTH, Instant, LongText, big_key, identifier

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
    sa.Column("next_method", identifier(), nullable=False),
    sa.Column("next_kwargs", LongText, nullable=True),
    # The attempt that went on with it. Absent: none yet.
    sa.Column("resumed_by", sa.Integer, nullable=True),
    sa.Column("times_out_at", Instant, nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    _ends_with_task(),
    sqlite_with_rowid=False,
)

# What tasks ask people, and the answers: one for each try, so that what became of earlier ones can be told.
inquiry = sa.Table(
    "inquiry",
    metadata,
    *_of_task(),
    sa.Column("try_number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("options", LongText, nullable=False),
    sa.Column("subject", LongText, nullable=False),
    sa.Column("body", LongText, nullable=True),
    sa.Column("defaults", LongText, nullable=True),
    sa.Column("multiple", sa.Boolean, nullable=False),
    sa.Column("params", LongText, nullable=False),
    # Pairs of id and name.
    sa.Column("assigned_users", LongText, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("responded_at", Instant, nullable=True),
    # Absent although there is an answer: it was the one for nobody answering in time.
    sa.Column("responded_by_id", identifier(), nullable=True),
    sa.Column("responded_by_name", identifier(), nullable=True),
    sa.Column("chosen_options", LongText, nullable=True),
    sa.Column("params_input", LongText, nullable=True),
    _ends_with_task(),
    sqlite_with_rowid=False,
)

# A task may have several for a moment: one that was called off, and that of its next attempt.
task_trigger = sa.Table(
    "task_trigger",
    metadata,
    sa.Column("trigger_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("run_key", big_key(), nullable=False),
    sa.Column("task_id", identifier(), nullable=False),
    sa.Column("map_index", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("class_path", LongText, nullable=False),
    sa.Column("kwargs", LongText, nullable=False),
    sa.Column("is_encrypted", sa.Boolean, nullable=False),
    # Whether class and arguments are known. Else the task began with it, and its DAG says what it is.
    sa.Column("is_prepared", sa.Boolean, nullable=False),
    sa.Column("queue", identifier(), nullable=True),
    # The job of the triggerer that runs it. Absent: it is free.
    sa.Column("triggerer", sa.BigInteger, nullable=True),
    # Whether its triggerer is to stop it: its task waits no longer.
    sa.Column("is_called_off", sa.Boolean, nullable=False),
    # Whether a person stopped the task: what the trigger waits for is to be ended.
    sa.Column("is_killed", sa.Boolean, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    # Since when that triggerer has it.
    sa.Column("claimed_at", Instant, nullable=True),
    # How often it held up others, when it did so last and where it was then, and whether it is kept apart from them.
    sa.Column("blocks", sa.Integer, nullable=False),
    sa.Column("blocked_at", Instant, nullable=True),
    sa.Column("blocked_stack", LongText, nullable=True),
    sa.Column("is_quarantined", sa.Boolean, nullable=False),
    _ends_with_task(),
    sqlite_autoincrement=True,
)
add_index("ix_task_trigger_task", task_trigger.c.run_key, task_trigger.c.task_id, task_trigger.c.map_index)
add_index("ix_task_trigger_triggerer", task_trigger.c.triggerer, task_trigger.c.is_called_off)

# Of tasks that were deleted, until a triggerer has ended what they wait for. All that it takes to make one is here.
orphan_trigger = sa.Table(
    "orphan_trigger",
    metadata,
    sa.Column("trigger_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("run_key", big_key(), nullable=False),
    sa.Column("task_id", identifier(), nullable=False),
    sa.Column("map_index", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("class_path", LongText, nullable=False),
    sa.Column("kwargs", LongText, nullable=False),
    sa.Column("is_encrypted", sa.Boolean, nullable=False),
    sa.Column("is_prepared", sa.Boolean, nullable=False),
    sa.Column("queue", identifier(), nullable=True),
    sa.Column("triggerer", sa.BigInteger, nullable=True),
    sa.Column("dag_id", identifier(), nullable=False),
    sa.Column("run_id", identifier(), nullable=False),
    sa.Column("try_number", sa.Integer, nullable=False),
    sa.Column("bundle_name", identifier(), nullable=True),
    sa.Column("bundle_version", identifier(), nullable=True),
    sa.Column("path", identifier(PATH_LENGTH), nullable=True),
)
