"""Windows: which keys make up one partition, such as the 24 hours of a day.

A window works on what its mapper reads out of a key: times for the periods of the calendar, texts for segments. A
window of the author's own subclasses `Window`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from tradewind.model import partition as model
from tradewind.model.partition_time import window_members
from tradewind.sdk.json_values import as_json


class Window(ABC):
    """The base of all windows."""

    class Direction(StrEnum):
        """On which side of its anchor a window lies."""

        BACKWARD = "backward"
        """As many steps as forward, of which the anchor is the last."""
        FORWARD = "forward"
        """The period that begins with the anchor."""

    expected_decoded_type: ClassVar[type] = str
    """What a mapper has to read out of keys for this window."""

    def __init__(self, *, direction: "Window.Direction" = Direction.FORWARD) -> None:
        self.direction = self.Direction(direction)

    @abstractmethod
    def to_upstream(self, decoded_downstream: Any) -> Iterable[Any]:
        """Every part of the partition that the anchor stands for."""

    def to_model(self) -> model.Window:
        """What is stored. A subclass is the author's: what it does is known only to its own code."""
        cls = type(self)
        if cls.__module__ == __name__:
            return self._model()
        data = as_json(self.serialize(), f"what {cls.__name__}.serialize() returns")
        return model.CustomWindow(f"{cls.__module__}.{cls.__qualname__}", data or None)

    def _model(self) -> model.Window:
        raise NotImplementedError

    def serialize(self) -> dict[str, Any]:
        """The arguments, as JSON."""
        return {"direction": self.direction.value}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "Window":
        """The window with those arguments."""
        return cls(direction=cls.Direction(data["direction"]))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(direction={self.direction.value!r})"


class _PeriodWindow(Window):
    """The steps of one period of the calendar, counted on the wall clock: a day always has 24 hours."""

    expected_decoded_type: ClassVar[type] = datetime
    period: ClassVar[model.Period]

    def to_upstream(self, decoded_downstream: datetime) -> Iterable[datetime]:
        """When each step begins, earliest first."""
        return window_members(self._model(), decoded_downstream)

    def _model(self) -> model.PeriodWindow:
        return model.PeriodWindow(self.period, model.Direction(self.direction.value))


class HourWindow(_PeriodWindow):
    """The 60 minutes of an hour."""

    period = model.Period.HOUR


class DayWindow(_PeriodWindow):
    """The 24 hours of a day."""

    period = model.Period.DAY


class WeekWindow(_PeriodWindow):
    """The 7 days of a week."""

    period = model.Period.WEEK


class MonthWindow(_PeriodWindow):
    """The days of a month."""

    period = model.Period.MONTH


class QuarterWindow(_PeriodWindow):
    """The 3 months of a quarter."""

    period = model.Period.QUARTER


class YearWindow(_PeriodWindow):
    """The 12 months of a year."""

    period = model.Period.YEAR


class SegmentWindow(Window):
    """A fixed set of keys, whatever the partition."""

    def __init__(self, segments: Iterable[str]) -> None:
        super().__init__()
        found: list[Any] = [segments] if isinstance(segments, str) else list(segments)
        for segment in found:
            if not isinstance(segment, str) or not segment:
                raise ValueError(f"the segments of a SegmentWindow must be texts that are not empty, not {segment!r}")
        if not found:
            raise ValueError("a SegmentWindow needs at least one segment")
        self.segments = frozenset(found)

    def to_upstream(self, decoded_downstream: Any) -> frozenset[str]:
        """All segments."""
        return self.segments

    def _model(self) -> model.SegmentWindow:
        return model.SegmentWindow(tuple(sorted(self.segments)))

    def serialize(self) -> dict[str, Any]:
        """The arguments, as JSON."""
        return {"segments": sorted(self.segments)}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "SegmentWindow":
        """The window with those arguments."""
        return cls(data["segments"])

    def __repr__(self) -> str:
        return f"SegmentWindow({sorted(self.segments)!r})"
