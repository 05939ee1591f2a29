"""How an attempt ended, in the words of the engine."""

from datetime import datetime

import msgspec

from tradewind.model.attempt_end import Deferral, InputAwaited, OutletEvent


class Outcome(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The fields of the report of that `state`, and what the attempt left."""

    state: str
    at: datetime
    reason: str | None = None
    may_retry: bool = True
    retry_delay_s: float | None = None
    until: datetime | None = None
    map_length: int | None = None
    skips: tuple[str, ...] = ()
    outlet_events: tuple[OutletEvent, ...] = ()
    deferral: Deferral | None = None
    input_awaited: InputAwaited | None = None
