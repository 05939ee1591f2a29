"""Priority weight strategies (B5)."""

from types import SimpleNamespace
from typing import Any

import pytest

from tradewind.sdk.priority_strategy import PriorityWeightStrategy, validate_and_load_priority_weight_strategy


class Twice(PriorityWeightStrategy):
    def get_weight(self, ti: Any) -> int:
        return int(ti.task.priority_weight) * 2


def task_instance(*, in_dag: bool = True) -> Any:
    """The middle one of three tasks that weigh 1, 10 and 100."""
    weights = {"first": 1, "last": 100}
    tasks = {name: SimpleNamespace(priority_weight=weight) for name, weight in weights.items()}
    task = SimpleNamespace(
        priority_weight=10,
        get_dag=lambda: SimpleNamespace(get_task=tasks.__getitem__) if in_dag else None,
        get_flat_relative_ids=lambda *, upstream: {"first"} if upstream else {"last"},
    )
    return SimpleNamespace(task=task)


@pytest.mark.parametrize(
    ("strategy", "weight"),
    [
        (None, 10),
        ("absolute", 10),
        ("downstream", 110),
        ("upstream", 11),
        (Twice, 20),
        (Twice(), 20),
        (f"{__name__}.Twice", 20),
    ],
)
def test_a_strategy_is_a_rule_an_object_a_class_or_a_path(strategy: Any, weight: int) -> None:
    assert validate_and_load_priority_weight_strategy(strategy).get_weight(task_instance()) == weight


def test_a_task_without_a_dag_has_its_own_weight() -> None:
    alone = task_instance(in_dag=False)

    assert validate_and_load_priority_weight_strategy("downstream").get_weight(alone) == 10


@pytest.mark.parametrize("strategy", ["sideways", "acme.Nothing", 3, int, f"{__name__}.task_instance"])
def test_what_is_no_strategy_is_refused(strategy: Any) -> None:
    with pytest.raises(ValueError, match=r"strategy"):
        validate_and_load_priority_weight_strategy(strategy)


def test_strategies_are_equal_by_their_class() -> None:
    assert Twice() == Twice()
    assert Twice() != validate_and_load_priority_weight_strategy("absolute")
    assert len({Twice(), Twice()}) == 1
