"""Priority weights: how much waits behind (or before) each task."""

from collections.abc import Iterable, Sequence
from typing import assert_never

from tradewind.model.dag import Task
from tradewind.model.states import WeightRule

_MAX_WEIGHT = 2**31 - 1
_MIN_WEIGHT = -(2**31)


def total_weights(
    tasks: Sequence[Task],
    order: Sequence[int],
    upstream: Sequence[Sequence[int]],
    downstream: Sequence[Sequence[int]],
) -> list[int]:
    """The priority of each task by its weight rule, clamped to 32 bits as Airflow does.

    `order` is a topological order of the indexes. Sets of descendants are kept as the bits of integers: a DAG of
    ten thousand tasks takes milliseconds where walking it from each task would take a minute.
    """
    rules = {task.weight_rule for task in tasks}
    behind = _reach(reversed(order), downstream) if WeightRule.DOWNSTREAM in rules else {}
    before = _reach(order, upstream) if WeightRule.UPSTREAM in rules else {}
    bits_by_weight: dict[int, int] = {}
    for index, task in enumerate(tasks):
        bits_by_weight[task.priority_weight] = bits_by_weight.get(task.priority_weight, 0) | (1 << index)
    totals = []
    for index, task in enumerate(tasks):
        match task.weight_rule:
            case WeightRule.DOWNSTREAM:
                others = behind[index]
            case WeightRule.UPSTREAM:
                others = before[index]
            case WeightRule.ABSOLUTE:
                others = 0
            case _:
                assert_never(task.weight_rule)
        extra = sum(weight * (others & bits).bit_count() for weight, bits in bits_by_weight.items()) if others else 0
        totals.append(max(_MIN_WEIGHT, min(_MAX_WEIGHT, task.priority_weight + extra)))
    return totals


def _reach(order: Iterable[int], neighbours: Sequence[Sequence[int]]) -> dict[int, int]:
    reach: dict[int, int] = {}
    for index in order:
        bits = 0
        for other in neighbours[index]:
            bits |= reach[other] | (1 << other)
        reach[index] = bits
    return reach
