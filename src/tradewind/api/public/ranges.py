"""From when to when, from how long to how long: what lists of runs and of task instances may both be asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from tradewind.api.moment import Moment
from tradewind.api.paging import within
from tradewind.model.listing import Condition

_RANGES: Final = ("run_after", "logical_date", "start_date", "end_date", "updated_at", "duration")
_BOUNDS: Final = ("gte", "gt", "lte", "lt")


@dataclass(kw_only=True)
class Ranges:
    """As parameters of a query."""

    run_after_gte: Moment | None = None
    run_after_gt: Moment | None = None
    run_after_lte: Moment | None = None
    run_after_lt: Moment | None = None
    logical_date_gte: Moment | None = None
    logical_date_gt: Moment | None = None
    logical_date_lte: Moment | None = None
    logical_date_lt: Moment | None = None
    start_date_gte: Moment | None = None
    start_date_gt: Moment | None = None
    start_date_lte: Moment | None = None
    start_date_lt: Moment | None = None
    end_date_gte: Moment | None = None
    end_date_gt: Moment | None = None
    end_date_lte: Moment | None = None
    end_date_lt: Moment | None = None
    updated_at_gte: Moment | None = None
    updated_at_gt: Moment | None = None
    updated_at_lte: Moment | None = None
    updated_at_lt: Moment | None = None
    duration_gte: float | None = None
    duration_gt: float | None = None
    duration_lte: float | None = None
    duration_lt: float | None = None

    def within_ranges(self) -> list[Condition]:
        """The bounds that are given."""
        return _within(vars(self))


class RangesBody(BaseModel):
    """As fields of a body, which has fewer."""

    run_after_gte: Moment | None = None
    run_after_gt: Moment | None = None
    run_after_lte: Moment | None = None
    run_after_lt: Moment | None = None
    logical_date_gte: Moment | None = None
    logical_date_gt: Moment | None = None
    logical_date_lte: Moment | None = None
    logical_date_lt: Moment | None = None
    start_date_gte: Moment | None = None
    start_date_gt: Moment | None = None
    start_date_lte: Moment | None = None
    start_date_lt: Moment | None = None
    end_date_gte: Moment | None = None
    end_date_gt: Moment | None = None
    end_date_lte: Moment | None = None
    end_date_lt: Moment | None = None
    duration_gte: float | None = None
    duration_gt: float | None = None
    duration_lte: float | None = None
    duration_lt: float | None = None

    def within_ranges(self) -> list[Condition]:
        """The bounds that are given."""
        return _within(vars(self))


def _within(given: Mapping[str, Any]) -> list[Condition]:
    return [
        condition
        for field in _RANGES
        for condition in within(field, **{bound: given.get(f"{field}_{bound}") for bound in _BOUNDS})
    ]
