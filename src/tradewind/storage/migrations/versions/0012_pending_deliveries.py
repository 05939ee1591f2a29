"""What waits for a DAG is found without a look at what it has consumed, also by SQLite.

Without statistics, SQLite takes the index of which more columns are given, and else the primary key.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _index_by(["dag_id", "run_key", "asset_key", "event_key", "created_at"])


def downgrade() -> None:
    _index_by(["dag_id", "asset_key", "event_key"])


def _index_by(columns: list[str]) -> None:
    if op.get_context().dialect.name == "mysql":
        return
    name, is_pending = "ix_asset_delivery_pending", sa.text("run_key IS NULL")
    op.drop_index(name, "asset_delivery")
    op.create_index(name, "asset_delivery", columns, postgresql_where=is_pending, sqlite_where=is_pending)
