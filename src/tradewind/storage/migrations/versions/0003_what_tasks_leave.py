"""What tasks leave behind: XComs, rendered fields, what they remember, what they wait for and who waits for them."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types
from tradewind.storage.migration_indexes import create_index

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_values()
    _create_deferrals()
    _create_inquiries()
    _create_triggers()
    _create_orphan_triggers()


def downgrade() -> None:
    for table in (
        "orphan_trigger",
        "task_trigger",
        "inquiry",
        "deferral",
        "task_state",
        "rendered_fields",
        "xcom",
    ):
        op.drop_table(table)


def _of_task() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("run_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.Column("map_index", sa.Integer, autoincrement=False, nullable=False),
    )


def _ends_with_task(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["run_key", "task_id", "map_index"],
        ["task_instance.run_key", "task_instance.task_id", "task_instance.map_index"],
        name=f"fk_{table}_run_key",
        ondelete="CASCADE",
    )


def _create_values() -> None:
    op.create_table(
        "xcom",
        *_of_task(),
        sa.Column("key", types.id_text(512), nullable=False),
        sa.Column("value", types.long_text(), nullable=False),
        sa.Column("mapped_length", sa.Integer, nullable=True),
        sa.Column("is_dag_result", sa.Boolean, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", "key", name="pk_xcom"),
        _ends_with_task("xcom"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rendered_fields",
        *_of_task(),
        sa.Column("fields", types.long_text(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", name="pk_rendered_fields"),
        _ends_with_task("rendered_fields"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "task_state",
        *_of_task(),
        sa.Column("key", types.id_text(512), nullable=False),
        sa.Column("value", types.long_text(), nullable=False),
        sa.Column("expires_at", types.instant(), nullable=True),
        sa.Column("updated_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", "key", name="pk_task_state"),
        _ends_with_task("task_state"),
        sqlite_with_rowid=False,
    )


def _create_deferrals() -> None:
    op.create_table(
        "deferral",
        *_of_task(),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("next_method", types.id_text(), nullable=False),
        sa.Column("next_kwargs", types.long_text(), nullable=True),
        sa.Column("resumed_by", sa.Integer, nullable=True),
        sa.Column("times_out_at", types.instant(), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", name="pk_deferral"),
        _ends_with_task("deferral"),
        sqlite_with_rowid=False,
    )


def _create_inquiries() -> None:
    op.create_table(
        "inquiry",
        *_of_task(),
        sa.Column("try_number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("options", types.long_text(), nullable=False),
        sa.Column("subject", types.long_text(), nullable=False),
        sa.Column("body", types.long_text(), nullable=True),
        sa.Column("defaults", types.long_text(), nullable=True),
        sa.Column("multiple", sa.Boolean, nullable=False),
        sa.Column("params", types.long_text(), nullable=False),
        sa.Column("assigned_users", types.long_text(), nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("responded_at", types.instant(), nullable=True),
        sa.Column("responded_by_id", types.id_text(), nullable=True),
        sa.Column("responded_by_name", types.id_text(), nullable=True),
        sa.Column("chosen_options", types.long_text(), nullable=True),
        sa.Column("params_input", types.long_text(), nullable=True),
        sa.PrimaryKeyConstraint("run_key", "task_id", "map_index", "try_number", name="pk_inquiry"),
        _ends_with_task("inquiry"),
        sqlite_with_rowid=False,
    )


def _create_triggers() -> None:
    op.create_table(
        "task_trigger",
        sa.Column("trigger_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("run_key", types.key(), nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.Column("map_index", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("class_path", types.long_text(), nullable=False),
        sa.Column("kwargs", types.long_text(), nullable=False),
        sa.Column("is_encrypted", sa.Boolean, nullable=False),
        sa.Column("is_prepared", sa.Boolean, nullable=False),
        sa.Column("queue", types.id_text(), nullable=True),
        sa.Column("triggerer", sa.BigInteger, nullable=True),
        sa.Column("is_called_off", sa.Boolean, nullable=False),
        sa.Column("is_killed", sa.Boolean, nullable=False),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.Column("claimed_at", types.instant(), nullable=True),
        sa.Column("blocks", sa.Integer, nullable=False),
        sa.Column("blocked_at", types.instant(), nullable=True),
        sa.Column("blocked_stack", types.long_text(), nullable=True),
        sa.Column("is_quarantined", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("trigger_key", name="pk_task_trigger"),
        _ends_with_task("task_trigger"),
        sqlite_autoincrement=True,
    )
    create_index("ix_task_trigger_task", "task_trigger", ["run_key", "task_id", "map_index"])
    create_index("ix_task_trigger_triggerer", "task_trigger", ["triggerer", "is_called_off"])


def _create_orphan_triggers() -> None:
    op.create_table(
        "orphan_trigger",
        sa.Column("trigger_key", types.key(), autoincrement=False, nullable=False),
        sa.Column("run_key", types.key(), nullable=False),
        sa.Column("task_id", types.id_text(), nullable=False),
        sa.Column("map_index", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("class_path", types.long_text(), nullable=False),
        sa.Column("kwargs", types.long_text(), nullable=False),
        sa.Column("is_encrypted", sa.Boolean, nullable=False),
        sa.Column("is_prepared", sa.Boolean, nullable=False),
        sa.Column("queue", types.id_text(), nullable=True),
        sa.Column("triggerer", sa.BigInteger, nullable=True),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("run_id", types.id_text(), nullable=False),
        sa.Column("try_number", sa.Integer, nullable=False),
        sa.Column("bundle_name", types.id_text(), nullable=True),
        sa.Column("bundle_version", types.id_text(), nullable=True),
        sa.Column("path", types.id_text(500), nullable=True),
        sa.PrimaryKeyConstraint("trigger_key", name="pk_orphan_trigger"),
    )
