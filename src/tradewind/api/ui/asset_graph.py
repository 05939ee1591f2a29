"""Assets and DAGs as one graph."""

from typing import Any, Final

from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource, dags_within_reach
from tradewind.api.encoded import encoded
from tradewind.api.operation import Caller, Operations
from tradewind.api.services import Given
from tradewind.operations.show_asset_graph import AssetGraph, show_asset_graph

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.ASSET, Action.READ)
_READ_DAG: Final = Need(Resource.DAG, Action.READ)


class GraphAssetResponse(BaseModel):
    """An asset."""

    id: int
    name: str


class AssetUseResponse(BaseModel):
    """That a DAG waits for an asset (`schedule`), or that its tasks read it (`inlet`) or update it (`outlet`)."""

    asset_id: int
    dag_id: str
    role: str


class AssetGraphResponse(BaseModel):
    """Assets, and who has to do with them."""

    assets: list[GraphAssetResponse]
    uses: list[AssetUseResponse]


@operations.add("GET", "/asset_graph", operation_id="get_asset_graph", need=_READ)
def get_asset_graph(services: Given, caller: Caller, asset_id: int | None = None) -> AssetGraphResponse:
    """What leads to an asset and what follows from it, or all there is; of DAGs, those that the caller may see."""
    reach = dags_within_reach(caller, _READ_DAG)
    graph = services.store.read(lambda tx: show_asset_graph(tx, asset_id, reach))
    return encoded(AssetGraphResponse, _values(graph))


def _values(graph: AssetGraph) -> dict[str, Any]:
    return {
        "assets": [{"id": key, "name": name} for key, name in sorted(graph.names.items())],
        "uses": [use._asdict() for use in graph.uses],
    }
