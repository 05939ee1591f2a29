"""What a benchmark yields: one figure per case and database, with every repetition kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median
from typing import TypedDict


class Verdict(StrEnum):
    """How a figure compares with its target."""

    PASS = "pass"
    SHORT = "SHORT"
    NO_TARGET = "-"


@dataclass(frozen=True, slots=True)
class Target:
    """A bound that the median shall keep."""

    bound: float
    is_least: bool
    """Whether the bound is the smallest good value, rather than the largest."""

    def met_by(self, value: float) -> bool:
        """Whether the value keeps the bound."""
        return value >= self.bound if self.is_least else value <= self.bound

    def __str__(self) -> str:
        return f"{'≥' if self.is_least else '≤'} {self.bound:,g}"


def at_least(bound: float) -> Target:
    """More is better."""
    return Target(bound, is_least=True)


def at_most(bound: float) -> Target:
    """Less is better."""
    return Target(bound, is_least=False)


class FigureRecord(TypedDict):
    """A figure as it stands in the JSON file."""

    benchmark: str
    case: str
    database: str
    unit: str
    median: float
    target: str | None
    verdict: str
    cold: float | None
    repetitions: list[float]
    details: dict[str, float]


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured quantity."""

    benchmark: str
    case: str
    database: str
    unit: str
    repetitions: Sequence[float]
    target: Target | None = None
    cold: float | None = None
    """The first repetition of its process, which fills the caches of statements and is not among the others."""
    details: dict[str, float] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """Of the repetitions."""
        return median(self.repetitions)

    @property
    def verdict(self) -> Verdict:
        """Of the median against the target."""
        if self.target is None:
            return Verdict.NO_TARGET
        return Verdict.PASS if self.target.met_by(self.median) else Verdict.SHORT

    def record(self) -> FigureRecord:
        """As it goes into the JSON file."""
        return FigureRecord(
            benchmark=self.benchmark,
            case=self.case,
            database=self.database,
            unit=self.unit,
            median=rounded(self.median),
            target=None if self.target is None else str(self.target),
            verdict=self.verdict.value,
            cold=None if self.cold is None else rounded(self.cold),
            repetitions=[rounded(value) for value in self.repetitions],
            details={name: rounded(value) for name, value in self.details.items()},
        )


def rounded(value: float) -> float:
    """Four significant digits: more would be noise."""
    return float(f"{value:.4g}")
