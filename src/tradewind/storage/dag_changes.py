"""DAGs that a scheduler shall look at, because something that they wait for has come."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from functools import cache

import sqlalchemy as sa

from tradewind.storage.batch import Columns, Kind, batch_parameters, batch_table
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_change
from tradewind.storage.types import Instant

_NEW: Columns = (("dag_id", Kind.TEXT),)
LOOK_AHEAD = 2_000
"""How many rows are looked at to find DAGs. Bounds the cost of one look, not what gets done: whoever looks at a DAG
takes all of its rows, and those behind them come to the front."""
_FIRST = (
    sa.select(dag_change.c.dag_id, dag_change.c.change_key)
    .order_by(dag_change.c.change_key)
    .limit(LOOK_AHEAD)
    .subquery("first")
)
_OLDEST = (
    sa.select(_FIRST.c.dag_id)
    .group_by(_FIRST.c.dag_id)
    .order_by(sa.func.min(_FIRST.c.change_key))
    .limit(sa.bindparam("limit"))
)
_OF_DAGS = sa.select(dag_change.c.change_key).where(one_of(dag_change.c.dag_id, "dag_ids"))
_TAKE = sa.delete(dag_change).where(one_of(dag_change.c.change_key, "change_keys"))


@cache
def _insert(dialect_name: str) -> sa.Insert:
    batch = batch_table(dialect_name, _NEW)
    # In the order of their ids, so that those of one transaction have their turn in that order everywhere.
    rows = sa.select(batch.c.dag_id, sa.bindparam("now", type_=Instant())).order_by(batch.c.dag_id)
    return sa.insert(dag_change).from_select(["dag_id", "created_at"], rows)


class DagChanges:
    """Implements `interface.schedule_stores.DagChangeStore`."""

    def __init__(self, connection: sa.Connection, tell: Callable[[], None]) -> None:
        """`tell` has the commit wake the schedulers."""
        self._connection = connection
        self._tell = tell

    def record(self, dag_ids: Iterable[str], now: datetime) -> None:
        rows = [(dag_id,) for dag_id in sorted(set(dag_ids))]
        if rows:
            dialect = self._connection.dialect.name
            self._connection.execute(_insert(dialect), {**batch_parameters(dialect, _NEW, rows), "now": now})
            self._tell()

    def tell(self) -> None:
        self._tell()

    def pending(self, limit: int) -> list[str]:
        return list(self._connection.execute(_OLDEST, {"limit": limit}).scalars())

    def take(self, dag_ids: Collection[str]) -> None:
        # By key, in two steps: MySQL would wait for those who have just added one and have not committed.
        keys = list(self._connection.execute(_OF_DAGS, {"dag_ids": list(dag_ids)}).scalars())
        if keys:
            self._connection.execute(_TAKE, {"change_keys": keys})
