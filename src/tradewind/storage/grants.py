"""What DAGs let roles do."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

import sqlalchemy as sa

from tradewind.model.account import DagGrants, DagRight
from tradewind.storage.one_of import one_of
from tradewind.storage.schema import dag_grant

_SEPARATOR = ","
_OF_DAGS = sa.delete(dag_grant).where(one_of(dag_grant.c.dag_id, "dag_ids"))


class Grants:
    """Implements `interface.GrantStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def replace(self, grants: Mapping[str, DagGrants]) -> None:
        self._connection.execute(_OF_DAGS, {"dag_ids": sorted(grants)})
        rows = [
            {"role": role, "dag_id": dag_id, "rights": text_of(rights)}
            for dag_id, by_role in sorted(grants.items())
            for role, rights in sorted(by_role.items())
        ]
        if rows:
            self._connection.execute(sa.insert(dag_grant), rows)

    def by_role(self) -> dict[str, dict[str, frozenset[DagRight]]]:
        found: dict[str, dict[str, frozenset[DagRight]]] = {}
        for row in self._connection.execute(sa.select(dag_grant).order_by(dag_grant.c.role, dag_grant.c.dag_id)):
            found.setdefault(row.role, {})[row.dag_id] = rights_of(row.rights)
        return found


def text_of(rights: Iterable[DagRight]) -> str:
    """As they are stored."""
    return _SEPARATOR.join(sorted(rights))


@lru_cache
def rights_of(text: str) -> frozenset[DagRight]:
    """As they were stored."""
    return frozenset(DagRight(word) for word in text.split(_SEPARATOR) if word)
