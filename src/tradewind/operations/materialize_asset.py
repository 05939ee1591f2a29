"""Ask for a run of the DAG that an asset comes from."""

from tradewind.errors import Conflict, NotFound
from tradewind.model.asset import AssetKey
from tradewind.operations.register_assets import OUTLET
from tradewind.storage.interface import Transaction


def producer_of(tx: Transaction, asset_id: int) -> str:
    """The one DAG with a task that has the asset as an outlet.

    Raises:
        NotFound: there is none, or no such asset.
        Conflict: there are several, and nothing says which one is meant.
    """
    dag_ids = tx.assets.dags_with(AssetKey(asset_id), OUTLET)
    if not dag_ids:
        raise NotFound(f"no DAG has a task that updates an asset with the id {asset_id}")
    if len(dag_ids) > 1:
        raise Conflict(f"several DAGs update the asset with the id {asset_id}: {', '.join(dag_ids)}")
    return dag_ids[0]
