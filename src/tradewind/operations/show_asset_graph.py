"""Which DAGs update which assets, and which wait for them or read them, across all DAGs."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tradewind.model.listing import Listed, Query
from tradewind.operations.register_assets import OUTLET
from tradewind.storage.interface import Transaction


class AssetUse(NamedTuple):
    """That a DAG has to do with an asset. `role`: as it is stored."""

    asset_id: int
    dag_id: str
    role: str


@dataclass(frozen=True, slots=True)
class AssetGraph:
    """Assets by id, and who has to do with them."""

    names: Mapping[int, str]
    uses: tuple[AssetUse, ...]


def show_asset_graph(tx: Transaction, asset_id: int | None, dag_ids: Collection[str] | None) -> AssetGraph:
    """Of everything that is connected with an asset, in either direction; None: of all. `dag_ids`: only these DAGs."""
    rows = tx.listings.page(Listed.ASSET_REFERENCES, Query((), is_counted=False)).rows
    uses = sorted({AssetUse(int(str(row["asset_id"])), str(row["dag_id"]), str(row["role"])) for row in rows})
    visible = [use for use in uses if dag_ids is None or use.dag_id in dag_ids]
    chosen = visible if asset_id is None else connected(visible, asset_id)
    wanted = {use.asset_id for use in chosen} | ({asset_id} if asset_id is not None else set())
    assets = tx.listings.page(Listed.ASSETS, Query((), is_counted=False)).rows
    names = {int(str(row["id"])): str(row["name"]) for row in assets if row["id"] in wanted}
    return AssetGraph(names, tuple(chosen))


def connected(uses: Iterable[AssetUse], asset_id: int) -> list[AssetUse]:
    """What leads to the asset and what follows from it. Not what is only beside it: who else reads the same source."""
    uses = list(uses)
    upstream = _reached(uses, asset_id, is_forward=False)
    downstream = _reached(uses, asset_id, is_forward=True)
    return [use for use in uses if use in upstream or use in downstream]


def _reached(uses: list[AssetUse], asset_id: int, *, is_forward: bool) -> set[AssetUse]:
    """An outlet leads from a DAG to an asset, everything else from an asset to a DAG."""
    of_asset: defaultdict[int, list[AssetUse]] = defaultdict(list)
    of_dag: defaultdict[str, list[AssetUse]] = defaultdict(list)
    for use in uses:
        if (use.role == OUTLET) is is_forward:
            of_dag[use.dag_id].append(use)
        else:
            of_asset[use.asset_id].append(use)
    found: set[AssetUse] = set()
    waiting = [asset_id]
    while waiting:
        for use in of_asset[waiting.pop()]:
            if use in found:
                continue
            found.add(use)
            further = [each for each in of_dag[use.dag_id] if each not in found]
            found.update(further)
            waiting += [each.asset_id for each in further]
    return found
