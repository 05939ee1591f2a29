"""How many copies a mapped task gets, from the lengths that are known so far."""

from collections.abc import Mapping
from typing import Final

from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip

MOST_MAPPED: Final = 1024
"""The usual `[core] max_map_length`."""


def resolve_length(length: MapLength, known: Mapping[str, int]) -> int | None:
    """The number of copies, or None while a length that it needs is not in `known`."""
    match length:
        case FixedLength(length=number):
            return number
        case OutputLength(task_id=task_id):
            return known.get(task_id)
        case Product(parts=parts) | Zip(parts=parts) | Concat(parts=parts):
            numbers = [resolve_length(part, known) for part in parts]
            if None in numbers:
                return None
            return _combine(length, [number for number in numbers if number is not None])


def why_unmappable(length: int | None, longest: int) -> str | None:
    """Why no task can be mapped over what a task returned; None: one can. Without a length it is no list or dict."""
    if length is None:
        return "tasks are mapped over what this one returns, but it returned nothing that has elements"
    if length > longest:
        return (
            f"tasks are mapped over what this one returned, but {length} elements are more than the"
            f" {longest} of [core] max_map_length"
        )
    return None


def _combine(length: Product | Zip | Concat, numbers: list[int]) -> int:
    match length:
        case Product():
            product = 1
            for number in numbers:
                product *= number
            return product
        case Zip(longest=longest):
            return (max if longest else min)(numbers, default=0)
        case Concat():
            return sum(numbers)
