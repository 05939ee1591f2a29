"""Conditions over assets: whether they hold, what is missing, and which updates a run consumes. Pure.

A part of a condition names an asset, by name and URI or by one of them, or an alias, which stands for whatever assets
were attached to it. It holds where an update of one of its assets waits for the DAG.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from tradewind.model.asset import AllAssets, AnyAsset, AssetAliasRef, AssetExpression, AssetKey, AssetRef

Leaf = AssetRef | AssetAliasRef


class KnownAsset(NamedTuple):
    """An asset that a condition may mean."""

    key: AssetKey
    name: str
    uri: str
    is_active: bool


@dataclass(frozen=True, slots=True)
class Meaning:
    """What names and aliases stand for now."""

    assets: Sequence[KnownAsset] = ()
    aliases: Mapping[str, Collection[AssetKey]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Consumption:
    """The updates that the next run consumes."""

    event: int | None
    """One of them. `None`: all that wait."""


ALL_THAT_WAIT = Consumption(None)


def leaves(condition: AssetExpression) -> Iterator[Leaf]:
    """From left to right."""
    if isinstance(condition, AssetRef | AssetAliasRef):
        yield condition
    else:
        for part in condition.parts:
            yield from leaves(part)


def meant_by(leaf: Leaf, meaning: Meaning) -> frozenset[AssetKey]:
    """The assets that a leaf stands for. By a name or a URI alone only an active one is meant."""
    if isinstance(leaf, AssetAliasRef):
        return frozenset(meaning.aliases.get(leaf.name, ()))
    return frozenset(
        asset.key
        for asset in meaning.assets
        if leaf.name in (None, asset.name)
        and leaf.uri in (None, asset.uri)
        and (leaf.is_declaration or asset.is_active)
    )


def missing(condition: AssetExpression, updated: Collection[AssetKey], meaning: Meaning) -> AssetExpression | None:
    """What still has to be updated for the condition to hold. `None`: it holds."""
    match condition:
        case AssetRef() | AssetAliasRef():
            return None if any(key in updated for key in meant_by(condition, meaning)) else condition
        case AllAssets(parts):
            left = _missing_parts(parts, updated, meaning)
            return _joined(AllAssets, left) if left else None
        case AnyAsset(parts):
            left = _missing_parts(parts, updated, meaning)
            return _joined(AnyAsset, left) if len(left) == len(parts) else None
        case _:
            assert_never(condition)


def takes_all(condition: AssetExpression, *, batches: bool) -> bool:
    """Whether a run consumes all updates that wait, rather than one: where several are needed, or `batches`."""
    match condition:
        case AssetRef() | AssetAliasRef():
            return batches
        case AllAssets(parts):
            return batches or len(parts) > 1 or any(takes_all(part, batches=batches) for part in parts)
        case AnyAsset(parts):
            return batches or any(takes_all(part, batches=batches) for part in parts)
        case _:
            assert_never(condition)


def next_consumption(
    condition: AssetExpression, oldest: Mapping[AssetKey, int], meaning: Meaning, *, batches: bool
) -> Consumption | None:
    """What the next run consumes; `None`: there is none yet. `oldest`: of each asset with updates that wait,
    the first of them."""
    if not oldest or missing(condition, oldest.keys(), meaning) is not None:
        return None
    if takes_all(condition, batches=batches):
        return ALL_THAT_WAIT
    meant = {key for leaf in leaves(condition) for key in meant_by(leaf, meaning)}
    return Consumption(min(oldest[key] for key in meant & oldest.keys()))


def condition_words(condition: AssetExpression) -> str:
    """As an author would write it: `orders & (stock | prices)`."""
    match condition:
        case AssetRef(name, uri):
            return name if name is not None else uri or "?"
        case AssetAliasRef(name):
            return f"alias {name}"
        case AllAssets(parts) | AnyAsset(parts):
            sign = " & " if isinstance(condition, AllAssets) else " | "
            return sign.join(
                f"({condition_words(part)})" if isinstance(part, AllAssets | AnyAsset) else condition_words(part)
                for part in parts
            )
        case _:
            assert_never(condition)


def _missing_parts(
    parts: Sequence[AssetExpression], updated: Collection[AssetKey], meaning: Meaning
) -> list[AssetExpression]:
    found = (missing(part, updated, meaning) for part in parts)
    return [each for each in found if each is not None]


def _joined(kind: type[AllAssets | AnyAsset], parts: Sequence[AssetExpression]) -> AssetExpression:
    return parts[0] if len(parts) == 1 else kind(tuple(parts))
