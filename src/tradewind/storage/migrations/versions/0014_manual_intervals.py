"""Runs by hand that wait until the timetable of the DAG's author has said what they are about."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "interval_question",
        sa.Column("run_key", types.key(), nullable=False, autoincrement=False),
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("moment", types.instant(), nullable=False),
        sa.Column("asked_at", types.instant(), nullable=True),
        sa.PrimaryKeyConstraint("run_key", name="pk_interval_question"),
        sa.ForeignKeyConstraint(
            ["run_key"], ["dag_run.run_key"], name="fk_interval_question_run_key", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_interval_question_dag", "interval_question", ["dag_id"])


def downgrade() -> None:
    op.drop_table("interval_question")
