"""What DAG files and the callbacks in them measured, in the words of telemetry."""

import msgspec

from tradewind.dag_processor.protocol import Outcome
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import user_measured
from tradewind.wire.metrics import Measured


class _Metrics(msgspec.Struct):
    """Of all that a child says in the end, only this."""

    metrics: list[Measured] = []


def tell_metrics(hub: Hub, outcome: Outcome) -> None:
    """Pass them on. What makes no sense is for those to tell who look at the rest."""
    if outcome.ended is None:
        return
    try:
        found = msgspec.msgpack.decode(outcome.ended, type=_Metrics)
    except msgspec.MsgspecError:
        return
    if found.metrics:
        hub.emit(user_measured(found.metrics))
