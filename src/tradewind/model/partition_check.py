"""Whether a mapper can be used at all: what authors are told when their DAG is read, not when updates come."""

from typing import Final

from tradewind.model.invalid_schedule import UnusableMapper
from tradewind.model.local_time import time_zone
from tradewind.model.partition import (
    CustomWindow,
    FanOut,
    Mapper,
    MapperChain,
    MapperProduct,
    Period,
    PeriodWindow,
    RollUp,
    SegmentWindow,
    StartOfPeriod,
    WaitForCount,
    Window,
)

_MOST_PARTS: Final = {
    Period.HOUR: 60,
    Period.DAY: 24,
    Period.WEEK: 7,
    Period.MONTH: 31,
    Period.QUARTER: 3,
    Period.YEAR: 12,
}


def require_usable_mapper(mapper: Mapper) -> None:
    """Raise an `InvalidSchedule` that says what is wrong, if anything is."""
    match mapper:
        case StartOfPeriod(timezone=timezone):
            time_zone(timezone)
        case MapperChain(mappers) | MapperProduct(mappers):
            for each in mappers:
                require_usable_mapper(each)
        case FanOut(upstream, _, downstream):
            require_usable_mapper(upstream)
            require_usable_mapper(downstream)
        case RollUp(upstream):
            require_usable_mapper(upstream)
            _require_reachable(mapper)
        case _:
            pass


def _require_reachable(roll_up: RollUp) -> None:
    """Of a window that has not enough keys, `explain` tells where that depends on the month."""
    most = _most_keys(roll_up.window)
    if isinstance(roll_up.wait, WaitForCount) and most is not None and roll_up.wait.n > most:
        raise UnusableMapper(
            f"MinimumCount({roll_up.wait.n}) waits for more keys than its window ever has, which is {most}:"
            " no partition would have a run"
        )


def _most_keys(window: Window) -> int | None:
    match window:
        case PeriodWindow(period):
            return _MOST_PARTS[period]
        case SegmentWindow(segments):
            return len(segments)
        case CustomWindow():
            return None
