"""Workers and triggerers call who shall hear of missed deadlines, and what that says is kept.

What is stored already is called by workers, which can do both kinds.
"""

import sqlalchemy as sa
from alembic import op

from tradewind.storage import migration_types as types

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_deadline_missed", "missed_at", "state = 'pending'"),
    ("ix_deadline_called", "claimed_until", "state IN ('queued', 'running')"),
)


def upgrade() -> None:
    op.add_column("deadline", sa.Column("is_async", sa.Boolean, nullable=True))
    op.add_column("deadline", sa.Column("output", types.long_text(), nullable=True))
    if op.get_bind().dialect.name != "mysql":
        for name, column, condition in _INDEXES:
            where = sa.text(condition)
            op.create_index(name, "deadline", [column], postgresql_where=where, sqlite_where=where)


def downgrade() -> None:
    if op.get_bind().dialect.name != "mysql":
        for name, _, _ in _INDEXES:
            op.drop_index(name, "deadline")
    # Who has one under way would be waited for in vain by what knows no such state.
    op.execute(
        "UPDATE deadline SET state = 'pending', claimed_by = NULL, claimed_until = NULL"
        " WHERE state IN ('queued', 'running')"
    )
    op.drop_column("deadline", "output")
    op.drop_column("deadline", "is_async")
