"""Until when runs have to be over."""

import sqlalchemy as sa

from tradewind.model.deadline import DeadlineState
from tradewind.storage.schema.conventions import NOT_PARTIAL, PARTIAL, STATE, add_index, metadata
from tradewind.storage.types import PATH_LENGTH, Instant, LongText, big_key, identifier

deadline = sa.Table(
    "deadline",
    metadata,
    sa.Column("deadline_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("run_key", big_key(), nullable=False),
    sa.Column("dag_id", identifier(), nullable=False),
    # Which of the deadlines of the DAG's version it is.
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("name", LongText, nullable=True),
    sa.Column("due_at", Instant, nullable=True),
    sa.Column("state", STATE, nullable=False),
    sa.Column("missed_at", Instant, nullable=True),
    # Where the author's code is that has to be called, or to say when it is due.
    sa.Column("bundle_name", identifier(), nullable=True),
    sa.Column("path", identifier(PATH_LENGTH), nullable=True),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("claimed_by", sa.BigInteger, nullable=True),
    sa.Column("claimed_until", Instant, nullable=True),
    sa.Column("message", LongText, nullable=True),
    # Who calls the author's function: a triggerer, or else (also where nobody said) a worker; and what that printed.
    sa.Column("is_async", sa.Boolean, nullable=True),
    sa.Column("output", LongText, nullable=True),
    sa.Column("created_at", Instant, nullable=False),
    sa.ForeignKeyConstraint(["run_key"], ["dag_run.run_key"], ondelete="CASCADE"),
    sqlite_autoincrement=True,
)
deadline_is_ahead = deadline.c.state == sa.literal_column(f"'{DeadlineState.AHEAD}'")
deadline_is_for_author = deadline.c.state.in_(
    [sa.literal_column(f"'{state}'") for state in (DeadlineState.ASKED, DeadlineState.PENDING)]
)
deadline_is_with_somebody = deadline.c.state.in_(
    [sa.literal_column(f"'{state}'") for state in (DeadlineState.QUEUED, DeadlineState.RUNNING)]
)
add_index("ix_deadline_due", deadline.c.due_at, where=deadline_is_ahead, only=PARTIAL)
add_index("ix_deadline_author", deadline.c.bundle_name, where=deadline_is_for_author, only=PARTIAL)
deadline_is_missed = deadline.c.state == sa.literal_column(f"'{DeadlineState.PENDING}'")
add_index("ix_deadline_missed", deadline.c.missed_at, where=deadline_is_missed, only=PARTIAL)
add_index("ix_deadline_called", deadline.c.claimed_until, where=deadline_is_with_somebody, only=PARTIAL)
add_index("ix_deadline_state", deadline.c.state, deadline.c.due_at, only=NOT_PARTIAL)
add_index("ix_deadline_run", deadline.c.run_key)
add_index("ix_deadline_dag", deadline.c.dag_id, deadline.c.deadline_key)
