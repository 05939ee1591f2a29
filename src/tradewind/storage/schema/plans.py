"""What timetables of authors' own have named, and what they are still to be asked."""

import sqlalchemy as sa

from tradewind.storage.schema.conventions import add_index, metadata
from tradewind.storage.types import Instant, LongText, big_key, identifier

dag_plan = sa.Table(
    "dag_plan",
    metadata,
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), primary_key=True),
    sa.Column("made_at", Instant, nullable=False),
    # See `model.planned_runs.encode_plan`.
    sa.Column("runs", LongText, nullable=False),
)

interval_question = sa.Table(
    "interval_question",
    metadata,
    sa.Column("run_key", big_key(), primary_key=True, autoincrement=False),
    sa.Column("dag_id", identifier(), nullable=False),
    sa.Column("moment", Instant, nullable=False),
    # When a process that reads the file was last given the question. Who says nothing for long is asked again.
    sa.Column("asked_at", Instant, nullable=True),
    sa.ForeignKeyConstraint(["run_key"], ["dag_run.run_key"], ondelete="CASCADE"),
)
add_index("ix_interval_question_dag", interval_question.c.dag_id)
