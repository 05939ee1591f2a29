"""Which triggers look out for updates of assets: those that DAGs declare."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from tradewind.model.asset import AllAssets, AnyAsset, AssetAliasRef, AssetExpression, AssetRef, WatcherRef
from tradewind.model.dag import Dag
from tradewind.model.dag_file import FileName
from tradewind.model.watcher import NewWatcher, WatcherUse, watcher_identity
from tradewind.operations.cipher import Cipher
from tradewind.operations.register_assets import asset_uses
from tradewind.storage.interface import Transaction


def declare_watchers(
    tx: Transaction, dags: Sequence[tuple[Dag, FileName | None]], cipher: Cipher, now: datetime
) -> None:
    """What DAGs, whose assets are registered, say of watchers from now on, in place of what they said before.

    Equal triggers of one bundle are one watcher, whichever DAG or asset has them.
    """
    declared = [
        (dag.dag_id, ref, watcher, file) for dag, file in dags for ref in _declarations(dag) for watcher in ref.watchers
    ]
    names = {ref.name for _, ref, _, _ in declared if ref.name is not None}
    keys = {(record.name, record.uri): record.key for record in tx.assets.named(names, ())} if names else {}
    new: dict[str, NewWatcher] = {}
    uses: set[WatcherUse] = set()
    for dag_id, ref, watcher, file in declared:
        identity = watcher_identity(watcher.trigger, watcher.arguments, None if file is None else file.bundle)
        if identity not in new:
            new[identity] = _new(identity, watcher, file, cipher)
        assert ref.name is not None
        assert ref.uri is not None
        uses.add(WatcherUse(dag_id, keys[ref.name, ref.uri], identity, watcher.name))
    tx.watchers.declare([dag.dag_id for dag, _ in dags], list(new.values()), uses, now)


def without_watcher_arguments(dag: Dag) -> Dag:
    """The DAG as it may be stored in plain text; the same one if nothing is to be hidden."""
    if not any(ref.watchers for ref in _declarations(dag)):
        return dag
    tasks = tuple(
        replace(task, inlets=tuple(map(_hidden, task.inlets)), outlets=tuple(map(_hidden, task.outlets)))
        for task in dag.tasks
    )
    return replace(dag, assets=None if dag.assets is None else _hidden_in(dag.assets), tasks=tasks)


def _declarations(dag: Dag) -> Iterator[AssetRef]:
    return (ref for _, _, _, ref in asset_uses(dag) if isinstance(ref, AssetRef) and ref.is_declaration)


def _new(identity: str, watcher: WatcherRef, file: FileName | None, cipher: Cipher) -> NewWatcher:
    kwargs, is_encrypted = cipher.encrypt(json.dumps(watcher.arguments))
    return NewWatcher(
        identity=identity,
        class_path=watcher.trigger,
        kwargs=kwargs,
        is_encrypted=is_encrypted,
        bundle_name=None if file is None else file.bundle,
        path=None if file is None else file.path,
    )


def _hidden(ref: AssetRef | AssetAliasRef) -> AssetRef | AssetAliasRef:
    if isinstance(ref, AssetRef) and ref.watchers:
        return replace(ref, watchers=tuple(replace(watcher, arguments=None) for watcher in ref.watchers))
    return ref


def _hidden_in(expression: AssetExpression) -> AssetExpression:
    match expression:
        case AllAssets(parts):
            return AllAssets(tuple(map(_hidden_in, parts)))
        case AnyAsset(parts):
            return AnyAsset(tuple(map(_hidden_in, parts)))
        case _:
            return _hidden(expression)
