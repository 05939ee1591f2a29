"""Store what DAGs let roles do, where those who ask who may do what can find it at once."""

from collections.abc import Iterable

from tradewind.model.account import DagGrants
from tradewind.model.dag import Dag
from tradewind.storage.interface import Transaction


def grant_access(tx: Transaction, dags: Iterable[Dag]) -> None:
    """What they grant now, and nothing else."""
    tx.grants.replace({dag.dag_id: _by_role(dag) for dag in dags})


def _by_role(dag: Dag) -> DagGrants:
    return {grant.role: frozenset(grant.rights) for grant in dag.access}
