"""What starts runs besides the clock: updates of assets on their way to DAGs, and ticks that wait for them."""

import sqlalchemy as sa

from tradewind.model.slot_policy import SlotState
from tradewind.storage.schema.conventions import NOT_PARTIAL, PARTIAL, STATE, add_index, metadata
from tradewind.storage.types import AssetText, Instant, LongText, big_key, identifier

# No foreign key from here to the DAG: who reports the end of a task would then wait, on MySQL, for whoever has locked
# the DAG to create a run of it. What is left of a DAG is deleted with it; see `Dags.delete`.

asset_listener = sa.Table(
    "asset_listener",
    metadata,
    sa.Column("dag_id", identifier(), primary_key=True),
    # What `value` is: the key of an asset, or a name, a URI or an alias.
    sa.Column("kind", sa.String(10), primary_key=True),
    sa.Column("value", AssetText(), primary_key=True),
    sqlite_with_rowid=False,
)
add_index("ix_asset_listener_value", asset_listener.c.value)

asset_delivery = sa.Table(
    "asset_delivery",
    metadata,
    sa.Column("dag_id", identifier(), primary_key=True),
    sa.Column("event_key", big_key(), primary_key=True, autoincrement=False),
    # The partition of the DAG that it counts for; empty where it was not asked yet, and for who knows no partitions. Of
    # what a backfill has let a run have again, that backfill.
    sa.Column("target_key", identifier(), primary_key=True, default=""),
    sa.Column("asset_key", big_key(), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("partition_key", identifier(), nullable=True),
    # Of a batch of updates, of which `event_key` is the first and `created_at` that of the last: its key, how many they
    # are, and when the first came.
    sa.Column("batch_key", big_key(), nullable=True),
    sa.Column("number", sa.Integer, nullable=False, server_default="1"),
    sa.Column("first_at", Instant, nullable=True),
    # Which run consumed it. Not a foreign key: what was consumed stays so when the run is deleted.
    sa.Column("run_key", big_key(), nullable=True),
    sa.ForeignKeyConstraint(["event_key"], ["asset_event.event_key"], ondelete="CASCADE"),
    sqlite_with_rowid=False,
)
delivery_is_pending = asset_delivery.c.run_key.is_(None)
_waiting = (asset_delivery.c.dag_id, asset_delivery.c.run_key, asset_delivery.c.asset_key, asset_delivery.c.event_key)
# The run, always empty there, and the instant are columns as well: SQLite would else read all that a DAG ever consumed,
# by the primary key.
add_index("ix_asset_delivery_pending", *_waiting, asset_delivery.c.created_at, where=delivery_is_pending, only=PARTIAL)
add_index("ix_asset_delivery_waiting", *_waiting, only=NOT_PARTIAL)
add_index("ix_asset_delivery_run", asset_delivery.c.run_key, where=asset_delivery.c.run_key.is_not(None))
add_index("ix_asset_delivery_event", asset_delivery.c.event_key)

dag_change = sa.Table(
    "dag_change",
    metadata,
    sa.Column("change_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("dag_id", identifier(), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
)
add_index("ix_dag_change_dag", dag_change.c.dag_id)

schedule_slot = sa.Table(
    "schedule_slot",
    metadata,
    sa.Column("slot_key", big_key(), primary_key=True, autoincrement=True),
    sa.Column("dag_id", identifier(), sa.ForeignKey("dag.dag_id", ondelete="CASCADE"), nullable=False),
    sa.Column("run_after", Instant, nullable=False),
    sa.Column("interval_start", Instant, nullable=True),
    sa.Column("interval_end", Instant, nullable=True),
    sa.Column("state", STATE, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    # When its deadline is still to be dealt with; empty afterwards, and for who has none.
    sa.Column("deadline_at", Instant, nullable=True),
    sa.Column("settled_at", Instant, nullable=True),
    sa.Column("run_key", big_key(), nullable=True),
    sa.Column("reason", LongText, nullable=True),
    sa.UniqueConstraint("dag_id", "run_after"),
    sqlite_autoincrement=True,
)
slot_is_waiting = schedule_slot.c.state == sa.literal_column(f"'{SlotState.WAITING}'")
slot_has_deadline = schedule_slot.c.deadline_at.is_not(None)
add_index("ix_schedule_slot_waiting", schedule_slot.c.dag_id, schedule_slot.c.state, schedule_slot.c.run_after)
add_index("ix_schedule_slot_deadline", schedule_slot.c.deadline_at, where=slot_has_deadline)
