"""How many copies a mapped task gets, from the lengths that are known so far."""

from collections.abc import Mapping

from tradewind.model.mapping import Concat, FixedLength, MapLength, OutputLength, Product, Zip


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
