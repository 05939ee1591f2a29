"""What the partitions of a DAG still wait for; from what decides about it."""

from collections.abc import Sequence
from typing import Final

from tradewind.decide.assets import KnownAsset, leaves, meant_by, missing
from tradewind.decide.explain import DagFacts, Reason, explain_partition, explain_updates
from tradewind.decide.partitions import (
    Answered,
    CannotMap,
    MissingKeys,
    There,
    assets_there,
    mapper_of,
    missing_keys,
    needs_author,
)
from tradewind.model.dag import Dag
from tradewind.model.partition import Mapper
from tradewind.model.partition_answers import NOTHING_SAID
from tradewind.model.timetable import PartitionedAssets
from tradewind.operations.ask_mappers import answers_of
from tradewind.operations.deliver_events import on_their_way
from tradewind.operations.listen_to_assets import meaning_of
from tradewind.operations.run_for_partitions import arrivals_of
from tradewind.storage.interface import Transaction

_MOST_TOLD: Final = 20


def why_partitions_wait(tx: Transaction, facts: DagFacts, dag: Dag, timetable: PartitionedAssets) -> list[Reason]:
    """Why partitions of assets have brought no run into being: one reason for each of those that wait longest."""
    condition = dag.assets
    assert condition is not None
    meaning = meaning_of(tx, [condition])
    author = needs_author(timetable)
    said = NOTHING_SAID if author is None else answers_of(tx, dag.dag_id)
    mapper_for = mapper_of(timetable, meaning, said)
    waiting = arrivals_of(tx, dag.dag_id)
    reasons = [] if author is None or not said.questions else [_unasked(author, len(said.questions))]
    meant = {key for leaf in leaves(condition) for key in meant_by(leaf, meaning)}
    names = {asset.key: asset for asset in meaning.assets if asset.key in meant}
    coming = on_their_way(tx, dag.dag_id, meant)
    if coming:
        reasons.append(_not_handed_out([asset.name for key, asset in sorted(names.items()) if key in coming]))
    if not waiting:
        return reasons or explain_updates(facts, condition)
    for target, there in list(waiting.items())[:_MOST_TOLD]:
        left = missing(condition, assets_there(there, target, mapper_for), meaning)
        lacking = {
            asset.name: keys
            for key, asset in sorted(names.items())
            if (keys := _lacking(there, target, asset, mapper_for(key))) is not None
        }
        reasons.append(explain_partition(facts, target, left, lacking))
    return reasons


def _unasked(path: str, keys: int) -> Reason:
    words = "1 partition key waits" if keys == 1 else f"{keys} partition keys wait"
    text = f"{words} for what {path}, the author's own, says of it when the file of the DAG is read"
    return Reason("partition_mapper", text, {"path": path, "keys": keys})


def _not_handed_out(names: list[str]) -> Reason:
    """Which partitions they count for, a scheduler finds out when it hands them out."""
    text = f"updates of {', '.join(names)} wait for a scheduler to hand them out"
    return Reason("updates_not_handed_out", text, {"assets": list(names)})


def _lacking(there: Sequence[There], target: str, asset: KnownAsset, mapper: Mapper | Answered) -> MissingKeys | None:
    try:
        return missing_keys(there, target, asset.key, mapper)
    except CannotMap:
        return None
