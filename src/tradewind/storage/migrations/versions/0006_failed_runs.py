"""Finds runs that failed lately without a look at all others. MySQL has no partial indexes: there the state leads."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_context().dialect.name == "mysql":
        return
    has_failed = sa.text("state = 'failed'")
    op.create_index(
        "ix_dag_run_failed", "dag_run", ["finished_at"], postgresql_where=has_failed, sqlite_where=has_failed
    )


def downgrade() -> None:
    if op.get_context().dialect.name != "mysql":
        op.drop_index("ix_dag_run_failed", "dag_run")
