"""What installed packages offer to Tradewind, by their metadata."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import metadata

EntryPointAndDistribution = tuple[metadata.EntryPoint, metadata.Distribution]


def entry_points_with_dist(group: str) -> Iterator[EntryPointAndDistribution]:
    """The entry points of a group, each with the package that brings it."""
    return iter(_entry_points().get(group, ()))


@cache
def _entry_points() -> dict[str, list[EntryPointAndDistribution]]:
    by_group: dict[str, list[EntryPointAndDistribution]] = {}
    for distribution in metadata.distributions():
        for entry_point in distribution.entry_points:
            by_group.setdefault(entry_point.group, []).append((entry_point, distribution))
    return by_group
