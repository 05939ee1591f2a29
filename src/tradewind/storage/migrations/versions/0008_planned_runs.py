"""Coming runs of timetables that authors wrote."""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "dag_plan",
        sa.Column("dag_id", types.id_text(), nullable=False),
        sa.Column("made_at", types.instant(), nullable=False),
        sa.Column("runs", types.long_text(), nullable=False),
        sa.PrimaryKeyConstraint("dag_id", name="pk_dag_plan"),
        sa.ForeignKeyConstraint(["dag_id"], ["dag.dag_id"], name="fk_dag_plan_dag_id", ondelete="CASCADE"),
    )


def downgrade() -> None:
    op.drop_table("dag_plan")
