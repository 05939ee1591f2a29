"""What an executor says to the supervisor of its machine, and what it hears."""

from enum import IntEnum
from typing import Final

import msgspec

from tradewind.model.connection_test import ConnectionTestItem
from tradewind.model.deadline_callback import CallbackItem
from tradewind.model.ids import AttemptKey
from tradewind.model.task import WorkItem


class WorkKind(IntEnum):
    """What a frame holds."""

    SUBMIT = 1
    """From the executor: run these. A list of `WorkItem`."""
    REVOKE = 2
    """From the executor: do not begin these, stop them if they have. A list of `AttemptKey`."""
    ASK = 3
    """From the executor: which of these do you have? A list of `AttemptKey`; answered by one `HELD`."""
    HELD = 4
    """From the supervisor: I have these. A list of `AttemptKey`."""
    DONE = 5
    """From the supervisor: these are no longer with me, and what became of them is stored. A list of `AttemptKey`.
    Sent to whoever submitted or asked for them."""
    STOP = 6
    """From the executor: end. A `Stop`."""
    TEST = 7
    """From the executor: try these connections out. A list of `ConnectionTestItem`."""
    CALL_BACK = 9
    """From the executor: call who shall hear of these missed deadlines. A list of `CallbackItem`."""
    ENDING = 8
    """From the supervisor: I begin nothing more. An empty list."""


class Stop(msgspec.Struct, frozen=True):
    """How a supervisor shall end."""

    kills: bool
    """Whether running attempts are stopped (and so fail); else they are waited for."""


decode_items: Final = msgspec.msgpack.Decoder(list[WorkItem]).decode
decode_attempts: Final = msgspec.msgpack.Decoder(list[AttemptKey]).decode
decode_tests: Final = msgspec.msgpack.Decoder(list[ConnectionTestItem]).decode
decode_callbacks: Final = msgspec.msgpack.Decoder(list[CallbackItem]).decode
decode_stop: Final = msgspec.msgpack.Decoder(Stop).decode
