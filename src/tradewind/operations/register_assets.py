"""Which assets there are: those that DAGs declare, and those that tasks found through an alias."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

from tradewind.decide.assets import leaves
from tradewind.model.asset import AssetAliasRef, AssetKey, AssetRef
from tradewind.model.dag import Dag
from tradewind.operations.deliver_events import change_listeners
from tradewind.operations.listen_to_assets import listen_to_assets
from tradewind.operations.spread_news import add_assets, put_aliases
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import AssetRecord, AssetReference, NewAsset

SCHEDULE: Final = "schedule"
INLET: Final = "inlet"
OUTLET: Final = "outlet"

_Use = tuple[str, str, str, AssetRef | AssetAliasRef]
"""DAG, role, task, and what is named."""


def register_assets(tx: Transaction, dags: Sequence[Dag], now: datetime) -> None:
    """What locked DAGs declare from now on, in place of what they declared before.

    An asset is active while a DAG declares it. Where two have the same name or the same URI but differ in the other,
    the one that was active first stays so, and tasks that use the other one fail: one of the DAGs is mistaken.
    """
    uses = [use for dag in dags for use in asset_uses(dag)]
    declared = {
        (ref.name, ref.uri): NewAsset(name=ref.name, uri=ref.uri, group=ref.group, extra=ref.extra)
        for _, _, _, ref in uses
        if isinstance(ref, AssetRef) and ref.name is not None and ref.uri is not None
    }
    keys: dict[tuple[str, str], AssetKey] = {}
    if declared:
        add_assets(tx, declared.values(), now)
        named = tx.assets.named([name for name, _ in declared], ())
        keys = {(record.name, record.uri): record.key for record in named}
        stored = {(each.name, each.uri): (each.group, each.extra) for each in named}
        changed = [new for name, new in declared.items() if stored[name] != (new.group, new.extra)]
        tx.assets.describe(changed, now)
    put_aliases(tx, {ref.name: ref.group for _, _, _, ref in uses if isinstance(ref, AssetAliasRef)}, now)
    references = {
        AssetReference(dag_id, keys[ref.name, ref.uri], role, task_id)
        for dag_id, role, task_id, ref in uses
        if isinstance(ref, AssetRef) and ref.name is not None and ref.uri is not None
    }
    before = tx.assets.refer([dag.dag_id for dag in dags], references)
    settle_activity(tx, before | {reference.asset_key for reference in references})
    listen_to_assets(tx, dags, keys, now)


def forget_assets(tx: Transaction, dag_ids: Collection[str]) -> None:
    """These DAGs declare nothing any more."""
    if dag_ids:
        tx.watchers.forget(dag_ids)
        change_listeners(tx, dag_ids, ())
        settle_activity(tx, tx.assets.refer(dag_ids, ()))


def settle_activity(tx: Transaction, touched: Collection[AssetKey]) -> None:
    """Let those be active that are referred to, and that no other active one has the name or the URI of."""
    if not touched:
        return
    family = _relatives(tx, tx.assets.read(touched))
    keys = {record.key for record in family}
    strangers = [record for record in _relatives(tx, family) if record.key not in keys and record.is_active]
    names, uris = {record.name for record in strangers}, {record.uri for record in strangers}
    referred_to = tx.assets.referred_to(keys)
    changes: dict[AssetKey, bool] = {}
    for record in sorted(family, key=lambda each: (not each.is_active, each.key)):
        shall = record.key in referred_to and record.name not in names and record.uri not in uris
        if shall:
            names.add(record.name)
            uris.add(record.uri)
        if shall is not record.is_active:
            changes[record.key] = shall
    tx.assets.activate(changes)


def _relatives(tx: Transaction, records: Iterable[AssetRecord]) -> list[AssetRecord]:
    """All that have a name or a URI of these, themselves among them."""
    records = list(records)
    return tx.assets.named({record.name for record in records}, {record.uri for record in records})


def asset_uses(dag: Dag) -> Iterator[_Use]:
    """All that a DAG names, and where."""
    if dag.assets is not None:
        yield from ((dag.dag_id, SCHEDULE, "", ref) for ref in leaves(dag.assets))
    for task in dag.tasks:
        yield from ((dag.dag_id, INLET, task.task_id, ref) for ref in task.inlets)
        yield from ((dag.dag_id, OUTLET, task.task_id, ref) for ref in task.outlets)
