"""Small functions over collections that provider packages import from `airflow.utils.helpers`."""

from collections.abc import Callable, Generator, Iterable, Mapping
from itertools import filterfalse, islice, tee
from typing import Any, Literal, TypeVar

from tradewind.sdk.notset import NOTSET

T = TypeVar("T")


def is_container(obj: Any) -> bool:
    """Whether it holds values: iterable, and not a text."""
    return hasattr(obj, "__iter__") and not isinstance(obj, str)


def as_flattened_list(iterable: Iterable[Any]) -> list[Any]:
    """All values of containers inside containers, in order."""
    return [value for part in iterable for value in (as_flattened_list(part) if is_container(part) else [part])]


def chunks(items: list[T], chunk_size: int) -> Generator[list[T], None, None]:
    """The list in parts of the given size; the last one may be shorter."""
    if chunk_size <= 0:
        raise ValueError("chunk_size must be a positive integer")
    for start in range(0, len(items), chunk_size):
        yield items[start : start + chunk_size]


def partition(pred: Callable[[T], bool], iterable: Iterable[T]) -> tuple[Iterable[T], Iterable[T]]:
    """Those for which the predicate is false, and those for which it is true."""
    first, second = tee(iterable)
    return filterfalse(pred, first), filter(pred, second)


def merge_dicts(dict1: Mapping[Any, Any], dict2: Mapping[Any, Any]) -> dict[Any, Any]:
    """A new mapping of both; where both have a mapping under one key, these are merged too. The second wins."""
    merged = dict(dict1)
    for key, value in dict2.items():
        before = merged.get(key)
        merged[key] = merge_dicts(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return merged


def prune_dict(val: Any, mode: Literal["strict", "truthy"] = "strict") -> Any:
    """Without what is None ("strict") or false ("truthy"), in mappings and lists inside mappings and lists too."""
    if mode not in {"strict", "truthy"}:
        raise ValueError(f"mode must be 'strict' or 'truthy', not {mode!r}")

    def stays(value: Any) -> bool:
        return value is not None if mode == "strict" else bool(value)

    def pruned(value: Any) -> Any:
        return prune_dict(value, mode) if isinstance(value, dict | list) else value

    if isinstance(val, dict):
        kept = {key: pruned(value) for key, value in val.items() if stays(value)}
        return {key: value for key, value in kept.items() if stays(value) and value != {}}
    if isinstance(val, list):
        return [value for value in (pruned(value) for value in val if stays(value)) if stays(value) and value != {}]
    return val


def exactly_one(*args: Any) -> bool:
    """Whether exactly one of the values counts as true."""
    if is_container(args[0]):
        raise ValueError("exactly_one takes the values one by one, not a container of them")
    return sum(map(bool, args)) == 1


def at_most_one(*args: Any) -> bool:
    """Whether at most one of the values was given and counts as true."""
    given = (bool(value) for value in args if value is not NOTSET)
    return len(list(islice(filter(None, given), 2))) < 2
