"""When a roll-up has waited for enough of its window."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from tradewind.model import partition as model


@dataclass(frozen=True)
class PartitionSatisfaction:
    """Whether enough keys are there, and whether enough can ever be."""

    satisfied: bool
    unreachable: bool = False
    unreachable_reason: str | None = None

    def __post_init__(self) -> None:
        if self.unreachable != (self.unreachable_reason is not None):
            raise ValueError("what can never be reached needs a reason, and nothing else has one")


class WaitPolicy:
    """Asked with the keys that arrived and those that the window has. Policies of authors' own are not supported."""

    def is_satisfied(self, matched: int, expected: int) -> bool:
        """Whether that many of so many are enough."""
        raise NotImplementedError

    def is_unreachable(self, expected: int) -> bool:
        """Whether a window of that many keys can never be enough."""
        raise NotImplementedError

    def is_satisfied_by_keys(self, *, matched: Set[str], expected: Set[str]) -> PartitionSatisfaction:
        """Both answers at once. Keys that the window does not have do not count."""
        size = len(expected)
        reason = f"{self!r} can never be satisfied by a window of {size} keys" if self.is_unreachable(size) else None
        satisfied = self.is_satisfied(len(matched & expected), size)
        return PartitionSatisfaction(satisfied, reason is not None, reason)

    def to_model(self) -> model.WaitPolicy:
        """What is stored."""
        raise TypeError(f"the wait policy {type(self).__name__} is not supported; use WaitForAll or MinimumCount")

    def serialize(self) -> dict[str, Any]:
        """The arguments, as JSON."""
        return {}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "WaitPolicy":
        """The policy with those arguments."""
        return cls(**data)


@dataclass(frozen=True)
class WaitForAll(WaitPolicy):
    """Every key of the window has to be there."""

    def is_satisfied(self, matched: int, expected: int) -> bool:
        """Only if none is missing; of an empty window none is."""
        return matched == expected

    def is_unreachable(self, expected: int) -> bool:
        """Never."""
        return False

    def to_model(self) -> model.WaitForAll:
        """What is stored."""
        return model.WaitForAll()


@dataclass(frozen=True)
class MinimumCount(WaitPolicy):
    """`n` keys have to be there; a negative `n` lets that many be missing."""

    n: int

    def __post_init__(self) -> None:
        given: object = self.n
        if not isinstance(given, int) or isinstance(given, bool) or given == 0:
            raise ValueError(
                f"MinimumCount({given!r}) makes no sense: give how many keys are needed or, negative, how many may miss"
            )

    def is_satisfied(self, matched: int, expected: int) -> bool:
        """As `n` says."""
        return matched >= (self.n if self.n > 0 else max(0, expected + self.n))

    def is_unreachable(self, expected: int) -> bool:
        """If the window has fewer keys than are needed."""
        return self.n > expected

    def to_model(self) -> model.WaitForCount:
        """What is stored."""
        return model.WaitForCount(self.n)

    def serialize(self) -> dict[str, Any]:
        """The arguments, as JSON."""
        return {"n": self.n}
