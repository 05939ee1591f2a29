"""What people see of DAGs besides the DAGs themselves: favorites, numbers of runs."""

from collections.abc import Collection

import sqlalchemy as sa

from tradewind.model.states import RunState
from tradewind.storage.insert_new import insert_new
from tradewind.storage.interface.catalog_store import DagChoices, RunCounts
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag, dag_favorite, dag_run

_IS_MARK = sa.and_(dag_favorite.c.user_name == sa.bindparam("of_user"), dag_favorite.c.dag_id == sa.bindparam("of_dag"))
_FAVORITES = (
    sa.select(dag_favorite.c.dag_id)
    .where(dag_favorite.c.user_name == sa.bindparam("of_user"))
    .order_by(dag_favorite.c.dag_id)
)
_FAVORITE = sa.select(dag_favorite.c.dag_id).where(_IS_MARK)
_UNMARK = sa.delete(dag_favorite).where(_IS_MARK)

_CHOICES = sa.select(dag.c.owners, dag.c.bundle_name).where(dag.c.is_stale.is_(False)).distinct()
_OWNERS_APART = ", "


class Catalog:
    """Implements `interface.CatalogStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def run_counts(self, dag_ids: Collection[str] | None = None) -> list[RunCounts]:
        # Counted first, joined then: the names of DAGs are not carried through the grouping of all runs.
        grouped = sa.select(dag_run.c.dag_id, dag_run.c.state, sa.func.count().label("number"))
        if dag_ids is not None:
            grouped = grouped.where(one_of(dag_run.c.dag_id, "dag_ids"))
        counted = grouped.group_by(dag_run.c.dag_id, dag_run.c.state).subquery("counted")
        statement = (
            sa.select(dag.c.dag_id, dag.c.display_name, counted.c.state, counted.c.number)
            .join(counted, counted.c.dag_id == dag.c.dag_id)
            .order_by(dag.c.dag_id)
        )
        found: dict[str, tuple[str, dict[RunState, int]]] = {}
        for dag_id, name, state, number in self._connection.execute(statement, {"dag_ids": list(dag_ids or ())}):
            found.setdefault(dag_id, (name, {}))[1][RunState(state)] = number
        return [RunCounts(dag_id, name, by_state) for dag_id, (name, by_state) in found.items()]

    def choices(self, dag_ids: Collection[str] | None = None) -> DagChoices:
        statement = _CHOICES if dag_ids is None else _CHOICES.where(one_of(dag.c.dag_id, "dag_ids"))
        rows = self._connection.execute(statement, {"dag_ids": list(dag_ids or ())}).all()
        owners = {owner for each, _ in rows for owner in each.split(_OWNERS_APART) if owner}
        return DagChoices(sorted(owners), sorted({bundle for _, bundle in rows if bundle is not None}))

    def favorites(self, user_name: str) -> list[str]:
        return list(self._connection.scalars(_FAVORITES, {"of_user": user_name}))

    def is_favorite(self, user_name: str, dag_id: str) -> bool:
        mark = {"of_user": user_name, "of_dag": dag_id}
        return self._connection.execute(_FAVORITE, mark).first() is not None

    def add_favorite(self, user_name: str, dag_id: str) -> None:
        insert_new(self._connection, dag_favorite, [{"user_name": user_name, "dag_id": dag_id}])

    def remove_favorite(self, user_name: str, dag_id: str) -> bool:
        return self._connection.execute(_UNMARK, {"of_user": user_name, "of_dag": dag_id}).rowcount > 0
