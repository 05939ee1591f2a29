"""What the code of authors measures, told by the process that runs it to the one that has somewhere to put it."""

from typing import Annotated, Final, Literal

import msgspec

LONGEST_METRIC_NAME: Final = 250
MOST_METRIC_TAGS: Final = 20


class Measured(msgspec.Struct, frozen=True, array_like=True):
    """A metric of an author's code: `telemetry.measurements.UserMetric`."""

    kind: Literal["c", "g", "d", "ms"]
    name: Annotated[str, msgspec.Meta(max_length=LONGEST_METRIC_NAME)]
    value: float
    tags: Annotated[dict[str, str], msgspec.Meta(max_length=MOST_METRIC_TAGS)]


decode_metrics: Final = msgspec.msgpack.Decoder(list[Measured]).decode
