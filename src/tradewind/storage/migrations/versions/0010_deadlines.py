"""Until when runs have to be over."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "deadline",
        sa.Column("deadline_key", types.key(), autoincrement=True, nullable=False),
        sa.Column("run_key", types.key(), nullable=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", types.long_text(), nullable=True),
        sa.Column("due_at", types.instant(), nullable=True),
        sa.Column("state", types.STATE, nullable=False),
        sa.Column("missed_at", types.instant(), nullable=True),
        sa.Column("bundle_name", types.id_text(), nullable=True),
        sa.Column("path", types.id_text(500), nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("claimed_by", sa.BigInteger, nullable=True),
        sa.Column("claimed_until", types.instant(), nullable=True),
        sa.Column("message", types.long_text(), nullable=True),
        sa.Column("created_at", types.instant(), nullable=False),
        sa.PrimaryKeyConstraint("deadline_key", name="pk_deadline"),
        sa.ForeignKeyConstraint(["run_key"], ["dag_run.run_key"], name="fk_deadline_run_key", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deadline_run", "deadline", ["run_key"])
    op.create_index("ix_deadline_dag", "deadline", ["dag_id", "deadline_key"])
    if op.get_bind().dialect.name == "mysql":
        op.create_index("ix_deadline_state", "deadline", ["state", "due_at"])
        return
    for name, column, condition in (
        ("ix_deadline_due", "due_at", "state = 'ahead'"),
        ("ix_deadline_author", "bundle_name", "state IN ('asked', 'pending')"),
    ):
        where = sa.text(condition)
        op.create_index(name, "deadline", [column], postgresql_where=where, sqlite_where=where)


def downgrade() -> None:
    op.drop_table("deadline")
