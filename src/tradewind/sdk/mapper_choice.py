"""Which mapper stands for the partitions of which asset, as the author says it."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from tradewind.sdk.assets import Asset, AssetAlias, AssetRef, BaseAsset
from tradewind.sdk.partition_mappers import PartitionMapper, require_mapper

_Leaf = Asset | AssetAlias | AssetRef


def require_mappers(config: Mapping[Any, Any], default: object) -> None:
    """Raise a `TypeError` that says what is no asset, or no mapper."""
    require_mapper(default, "default_partition_mapper")
    for asset, mapper in config.items():
        if not isinstance(asset, BaseAsset):
            raise TypeError(f"the keys of partition_mapper_config are assets, such as Asset('a'), not {asset!r}")
        require_mapper(mapper, f"the mapper of {' and '.join(map(_name, asset.iter_leaves()))}")


def warn_of_idle(condition: BaseAsset, config: Mapping[BaseAsset, PartitionMapper]) -> None:
    """Mostly a name that was misspelled. No error, since it is none in Airflow, and does no harm by itself."""
    for leaf in _idle(condition, config):
        warnings.warn(
            f"partition_mapper_config has a mapper for {_name(leaf)}, which the schedule does not wait for",
            UserWarning,
            stacklevel=3,
        )


def mapper_for(config: Mapping[BaseAsset, PartitionMapper], name: str, uri: str) -> PartitionMapper | None:
    """The mapper of an asset, by its name or its URI, if it has one of its own."""
    wanted = {("name", name)} if name else {("uri", uri)}
    for asset, mapper in config.items():
        for leaf in asset.iter_leaves():
            if wanted & {(what, getattr(leaf, what, None)) for what in ("name", "uri")}:
                return mapper
    return None


def _idle(condition: BaseAsset, config: Mapping[BaseAsset, PartitionMapper]) -> Iterator[_Leaf]:
    awaited = list(condition.iter_leaves())
    for asset in config:
        for leaf in asset.iter_leaves():
            if not any(_may_be(each, leaf) for each in awaited):
                yield leaf


def _may_be(awaited: _Leaf, mapped: _Leaf) -> bool:
    """Whether both may turn out to be the same asset. What is in an alias is known only when a task has run."""
    if isinstance(awaited, AssetAlias):
        return not isinstance(mapped, AssetAlias) or awaited.name == mapped.name
    if isinstance(mapped, AssetAlias):
        return False
    known = [
        getattr(awaited, what) == getattr(mapped, what)
        for what in ("name", "uri")
        if hasattr(awaited, what) and hasattr(mapped, what)
    ]
    return any(known) or not known


def _name(leaf: _Leaf) -> str:
    name = getattr(leaf, "name", None) or getattr(leaf, "uri", "")
    return f"alias {name}" if isinstance(leaf, AssetAlias) else str(name)
