"""Partitions of assets, as plain data: which keys of one asset make which runs of a DAG.

A mapper turns the partition key of an asset event into the keys of the runs that it counts for. A roll-up waits for
many keys, by its window and wait policy, before it makes one run; a fan-out makes many runs of one key. What mappers
over time do to a key is in `partition_time`.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from tradewind.model.json_value import JsonValue

TIME_KEY_FORMAT = "%Y-%m-%dT%H:%M:%S"


class Period(StrEnum):
    """A span of the calendar; each begins with its own smallest unit."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    """From Monday, as ISO counts."""
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


class Direction(StrEnum):
    """On which side of its anchor a window lies."""

    FORWARD = "forward"
    """The period that begins there."""
    BACKWARD = "backward"
    """As many steps, of which the anchor is the last."""


@dataclass(frozen=True, slots=True)
class PeriodWindow:
    """The parts of a period: minutes of an hour, hours of a day, days of a week or month, months of longer ones."""

    kind: ClassVar[str] = "period"
    period: Period
    direction: Direction = Direction.FORWARD


@dataclass(frozen=True, slots=True)
class SegmentWindow:
    """A fixed set of keys."""

    kind: ClassVar[str] = "segments"
    segments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CustomWindow:
    """A window that the author wrote: where its class is, and what that class needs to build it again."""

    kind: ClassVar[str] = "custom"
    path: str
    data: JsonValue = None


Window = PeriodWindow | SegmentWindow | CustomWindow


@dataclass(frozen=True, slots=True)
class WaitForAll:
    """Every key of the window has to be there."""

    kind: ClassVar[str] = "all"


@dataclass(frozen=True, slots=True)
class WaitForCount:
    """`n` keys have to be there; a negative `n` lets that many be missing."""

    kind: ClassVar[str] = "count"
    n: int

    def __post_init__(self) -> None:
        if self.n == 0:
            raise ValueError("a roll-up cannot wait for 0 keys: it would always run")


WaitPolicy = WaitForAll | WaitForCount


@dataclass(frozen=True, slots=True)
class SameKey:
    """The key itself."""

    kind: ClassVar[str] = "same"
    max_downstream_keys: int | None = None


@dataclass(frozen=True, slots=True)
class AllowedKeys:
    """The key itself, if it is one of these."""

    kind: ClassVar[str] = "allowed"
    keys: tuple[str, ...]
    max_downstream_keys: int | None = None


@dataclass(frozen=True, slots=True)
class FixedKey:
    """One key for all."""

    kind: ClassVar[str] = "fixed"
    key: str
    max_downstream_keys: int | None = None


@dataclass(frozen=True, slots=True)
class StartOfPeriod:
    """The period that the time in the key belongs to."""

    kind: ClassVar[str] = "start_of_period"
    period: Period
    output_format: str
    timezone: str = "UTC"
    input_format: str = TIME_KEY_FORMAT
    max_downstream_keys: int | None = None


@dataclass(frozen=True, slots=True)
class MapperChain:
    """One mapper after the other."""

    kind: ClassVar[str] = "chain"
    mappers: tuple["Mapper", ...]
    max_downstream_keys: int | None = None


@dataclass(frozen=True, slots=True)
class MapperProduct:
    """A key of several parts, each with its own mapper."""

    kind: ClassVar[str] = "product"
    mappers: tuple["Mapper", ...]
    delimiter: str = "|"
    max_downstream_keys: int | None = None


@dataclass(frozen=True, slots=True)
class FanOut:
    """Each part of the window of the key that `upstream` makes, written by `downstream`."""

    kind: ClassVar[str] = "fan_out"
    upstream: "Mapper"
    window: Window
    downstream: "Mapper"
    max_downstream_keys: int | None = None


@dataclass(frozen=True, slots=True)
class RollUp:
    """The key that `upstream` makes, once enough keys of its window are there."""

    kind: ClassVar[str] = "roll_up"
    upstream: "Mapper"
    window: Window
    wait: WaitPolicy = WaitForAll()
    max_downstream_keys: int | None = None


@dataclass(frozen=True, slots=True)
class CustomMapper:
    """A mapper that the author wrote: where its class is, and what that class needs to build it again."""

    kind: ClassVar[str] = "custom"
    path: str
    data: JsonValue = None
    max_downstream_keys: int | None = None


Mapper = SameKey | AllowedKeys | FixedKey | StartOfPeriod | MapperChain | MapperProduct | FanOut | RollUp | CustomMapper

SAME_KEY = SameKey()
