"""Priority weight strategies: how the priority of a task follows from its own weight and those around it."""

from abc import ABC, abstractmethod
from typing import Any, Final

from tradewind.sdk.module_loading import import_string
from tradewind.sdk.states import WeightRule


class PriorityWeightStrategy(ABC):
    """The base of strategies of authors' own. They have no arguments: only the class is stored."""

    @abstractmethod
    def get_weight(self, ti: Any) -> int:
        """The weight of a task instance."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class _AbsolutePriorityWeightStrategy(PriorityWeightStrategy):
    """The task's own weight."""

    def get_weight(self, ti: Any) -> int:
        return int(ti.task.priority_weight)


class _DownstreamPriorityWeightStrategy(PriorityWeightStrategy):
    """The task's own weight and those of everything that waits for it."""

    def get_weight(self, ti: Any) -> int:
        return _summed(ti.task, upstream=False)


class _UpstreamPriorityWeightStrategy(PriorityWeightStrategy):
    """The task's own weight and those of everything that it waits for."""

    def get_weight(self, ti: Any) -> int:
        return _summed(ti.task, upstream=True)


_BY_RULE: Final[dict[str, type[PriorityWeightStrategy]]] = {
    WeightRule.ABSOLUTE: _AbsolutePriorityWeightStrategy,
    WeightRule.DOWNSTREAM: _DownstreamPriorityWeightStrategy,
    WeightRule.UPSTREAM: _UpstreamPriorityWeightStrategy,
}


def validate_and_load_priority_weight_strategy(
    priority_weight_strategy: str | type[PriorityWeightStrategy] | PriorityWeightStrategy | None,
) -> PriorityWeightStrategy:
    """The strategy that an author means: a weight rule, a strategy, its class, or the path of its class."""
    strategy: Any = WeightRule.ABSOLUTE if priority_weight_strategy is None else priority_weight_strategy
    if isinstance(strategy, str):
        strategy = _BY_RULE.get(strategy) or _imported(strategy)
    if isinstance(strategy, type) and issubclass(strategy, PriorityWeightStrategy):
        strategy = strategy()
    if not isinstance(strategy, PriorityWeightStrategy):
        raise ValueError(f"{priority_weight_strategy!r} is no priority weight strategy")  # noqa: TRY004 - as in Airflow
    return strategy


def _imported(path: str) -> Any:
    try:
        return import_string(path)
    except ImportError as error:
        rules = ", ".join(_BY_RULE)
        raise ValueError(f"{path!r} is neither one of {rules} nor the path of a strategy: {error}") from None


def _summed(task: Any, *, upstream: bool) -> int:
    dag = task.get_dag()
    around = () if dag is None else task.get_flat_relative_ids(upstream=upstream)
    return int(task.priority_weight + sum(dag.get_task(task_id).priority_weight for task_id in around))
