"""Reads task instances of a DAG in the order of their runs, on SQLite: a page of them without a look at all."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        op.create_index("ix_dag_run_dag", "dag_run", ["dag_id"])


def downgrade() -> None:
    if op.get_context().dialect.name == "sqlite":
        op.drop_index("ix_dag_run_dag", "dag_run")
