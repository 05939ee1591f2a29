"""Priority weights by the three rules."""

import pytest

from tradewind.decide.structure import Structure
from tradewind.model.dag import Dag, Task
from tradewind.model.states import WeightRule

W = WeightRule


def priorities(*tasks: Task) -> dict[str, int]:
    structure = Structure(Dag("dag", tasks=tasks))
    return {task.task_id: structure.priority[number] for number, task in enumerate(structure.tasks)}


def diamond(rule: WeightRule) -> list[Task]:
    return [
        Task("a", priority_weight=1, weight_rule=rule),
        Task("b", upstream=("a",), priority_weight=10, weight_rule=rule),
        Task("c", upstream=("a",), priority_weight=100, weight_rule=rule),
        Task("d", upstream=("b", "c"), priority_weight=1000, weight_rule=rule),
    ]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (W.DOWNSTREAM, {"a": 1111, "b": 1010, "c": 1100, "d": 1000}),
        (W.UPSTREAM, {"a": 1, "b": 11, "c": 101, "d": 1111}),
        (W.ABSOLUTE, {"a": 1, "b": 10, "c": 100, "d": 1000}),
    ],
)
def test_each_task_counts_once_however_many_ways_lead_to_it(rule: WeightRule, expected: dict[str, int]) -> None:
    assert priorities(*diamond(rule)) == expected


def test_the_rule_of_each_task_is_its_own() -> None:
    tasks = [
        Task("a", priority_weight=5, weight_rule=W.ABSOLUTE),
        Task("b", upstream=("a",), priority_weight=7, weight_rule=W.UPSTREAM),
        Task("c", upstream=("b",), priority_weight=9, weight_rule=W.DOWNSTREAM),
    ]

    assert priorities(*tasks) == {"a": 5, "b": 12, "c": 9}


@pytest.mark.parametrize(("weight", "expected"), [(2**31 - 1, 2**31 - 1), (-(2**31), -(2**31))])
def test_a_weight_stays_within_32_bits(weight: int, expected: int) -> None:
    tasks = [Task("a", priority_weight=weight), Task("b", upstream=("a",), priority_weight=weight)]

    assert priorities(*tasks) == {"a": expected, "b": expected}


def test_negative_weights_count_as_they_are() -> None:
    assert priorities(Task("a", priority_weight=-5), Task("b", upstream=("a",), priority_weight=3))["a"] == -2


def test_a_large_dag_is_weighed_in_a_moment() -> None:
    """Ten thousand tasks in a chain: walking from each of them would be fifty million steps."""
    count = 10_000
    tasks = [Task(f"t{n}", upstream=(f"t{n - 1}",) if n else ()) for n in range(count)]

    weights = priorities(*tasks)

    assert (weights["t0"], weights[f"t{count - 1}"]) == (count, 1)
