"""Words on arrows, and shorthands for many arrows at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tradewind.sdk.node import DependencyMixin, as_sequence

if TYPE_CHECKING:
    from tradewind.sdk.dags import DAG


class EdgeModifier(DependencyMixin):
    """Stands between two ends of an arrow and says something about it: `a >> Label("ok") >> b`.

    The ends may come in any order (`Label("x") << b`), so what was seen on either side is kept and every newcomer is
    connected with all of the other side.
    """

    def __init__(self, label: str | None = None) -> None:
        self.label = label
        self._upstream: list[DependencyMixin] = []
        self._downstream: list[DependencyMixin] = []

    @property
    def roots(self) -> list[DependencyMixin]:
        """What comes after the label: an arrow to the label leads there."""
        return self._downstream

    @property
    def leaves(self) -> list[DependencyMixin]:
        """What comes before the label."""
        return self._upstream

    def set_upstream(
        self, other: DependencyMixin | Sequence[DependencyMixin], edge_modifier: EdgeModifier | None = None
    ) -> None:
        """`other >> label`."""
        for node in as_sequence(other):
            self._upstream.append(node)
            for after in self._downstream:
                node.set_downstream(after, edge_modifier=self)

    def set_downstream(
        self, other: DependencyMixin | Sequence[DependencyMixin], edge_modifier: EdgeModifier | None = None
    ) -> None:
        """`label >> other`."""
        for node in as_sequence(other):
            self._downstream.append(node)
            for before in self._upstream:
                before.set_downstream(node, edge_modifier=self)

    def update_relative(
        self, other: DependencyMixin, upstream: bool = True, edge_modifier: EdgeModifier | None = None
    ) -> None:
        """`other` was connected with the label by its own arrow."""
        if upstream:
            self.set_upstream(other)
        else:
            self.set_downstream(other)

    def add_edge_info(self, dag: DAG, upstream_id: str, downstream_id: str) -> None:
        """Write the label on one line of the graph."""
        dag.set_edge_info(upstream_id, downstream_id, {"label": self.label})


def Label(label: str) -> EdgeModifier:  # noqa: N802 - reads as a value in DAG files, and is called so in Airflow
    """A word on an arrow."""
    return EdgeModifier(label=label)


Element = DependencyMixin | Sequence[DependencyMixin]


def chain(*tasks: Element) -> None:
    """One after another. Two lists beside each other must be equally long and are connected pair by pair."""
    for before, after in pairwise(tasks):
        if isinstance(before, DependencyMixin):
            before.set_downstream(after)
        elif isinstance(after, DependencyMixin):
            after.set_upstream(before)
        else:
            _connect_pairs(_checked(before), _checked(after))


def _connect_pairs(before: Sequence[DependencyMixin], after: Sequence[DependencyMixin]) -> None:
    if len(before) != len(after):
        raise ValueError(
            f"chain() connects two lists beside each other pair by pair, so they must be equally long;"
            f" these have {len(before)} and {len(after)} elements"
        )
    for one, other in zip(before, after, strict=True):
        one.set_downstream(other)


def _checked(element: Any) -> Sequence[DependencyMixin]:
    if isinstance(element, str | bytes) or not isinstance(element, Iterable):
        raise TypeError(f"chain() takes tasks, groups and lists of them, not {element!r}")
    return list(element)


def chain_linear(*elements: Element) -> None:
    """One after another. Of two lists beside each other, everything in the first comes before all of the second."""
    if not elements:
        raise ValueError("chain_linear() has nothing to connect")
    before: Sequence[DependencyMixin] | None = None
    is_connected = False
    for element in elements:
        after = as_sequence(element)
        if any(isinstance(node, EdgeModifier) for node in after):
            raise ValueError("chain_linear() takes no labels; write the arrows that have labels with >>")
        if before is not None:
            for node in after:
                node.set_upstream(before)
                is_connected = True
        before = after or before
    if not is_connected:
        raise ValueError("chain_linear() connected nothing: give it at least two elements")


def cross_downstream(
    from_tasks: Sequence[DependencyMixin], to_tasks: DependencyMixin | Sequence[DependencyMixin]
) -> None:
    """Everything in the first list comes before everything in the second."""
    for task in from_tasks:
        task.set_downstream(to_tasks)


__all__ = ["EdgeModifier", "Label", "chain", "chain_linear", "cross_downstream"]
