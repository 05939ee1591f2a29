"""What the supervisor, the nursery, the zygotes and the children say to one another.

A child has a stream to its supervisor, with frames (`wire.frames`) of a `FrameKind`. Nursery and zygotes are told what
to do by `Command`s and answer with `Notice`s, one in each packet of a packet socket, together with open descriptors.
"""

from enum import IntEnum
from typing import Final

import msgspec

from tradewind.model.deadline_callback import CallbackOrder
from tradewind.wire.outcome import Outcome

LARGEST_TEXT: Final = 60_000
"""A packet must fit into the buffer of a socket."""


class FrameKind(IntEnum):
    """What a frame between a child and its supervisor holds."""

    ORDER = 1
    """To the child: its `model.assignment.Assignment`."""
    ANSWER = 2
    """To the child: an `Answer`."""
    QUESTION = 3
    """From the child: a `Question`; it waits for the answer."""
    TELL = 4
    """From the child: a `Question` to which it needs no answer."""
    ENDED = 5
    """From the child: an `Ended`."""
    TIME_LIMIT = 6
    """From the child: it will end itself after so many seconds. A number; 0 takes the limit off."""
    HIDE = 7
    """From the child: texts that must not be seen in what it prints. A list of them."""
    METRICS = 8
    """From the child: what its code has measured. A list of `Measured`."""
    LOG = 10
    """From the child: log lines. A list of objects."""


class Question(msgspec.Struct, frozen=True, array_like=True):
    """A call of a method of `sdk.runtime.Runtime`."""

    number: int
    method: str
    arguments: bytes


class Answer(msgspec.Struct, frozen=True, array_like=True):
    """What it returns; or the kind and message of the error that it raises."""

    number: int
    value: bytes = b"null"
    error_kind: str | None = None
    error: str = ""


class Ended(Outcome, kw_only=True, omit_defaults=True):
    """How an attempt ended, and what its process took."""

    cpu_s: float = 0.0
    peak_memory_bytes: int = 0


class DagFile(msgspec.Struct, frozen=True, array_like=True):
    """A file that a zygote imports."""

    bundle: str
    root: str
    """The folder of the bundle, at its version."""
    path: str
    """Relative to it."""
    plugins: str = ""
    keeps_metrics: bool = False
    """Whether anybody wants the metrics of its tasks."""


class CallbackCall(msgspec.Struct, frozen=True):
    """To a child, as its order: call who shall hear that a deadline was missed. It ends with an error, or with none."""

    order: CallbackOrder
    file: DagFile


class StartZygote(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """To the nursery, with one descriptor: fork a zygote that takes its commands there."""

    number: int
    file: DagFile


class StartAlone(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """To the nursery, with a child's three descriptors: fork a child that imports the file by itself."""

    number: int
    file: DagFile


class Fork(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """To a zygote, with a child's three descriptors: its stream, its standard output and its standard error."""

    number: int


class Signal(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """To whoever forked it: send a signal to the process group of that number."""

    number: int
    signal: int


class Renew(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """To the nursery: the engine knows of us. Without another word, all attempts must be over by then."""

    until: float
    """By the clock that never goes back, which all processes of a machine share."""


Command = StartZygote | StartAlone | Fork | Signal | Renew


class Forked(msgspec.Struct, frozen=True, array_like=True, tag=11):
    """The process of that number exists."""

    number: int
    pid: int


class NotForked(msgspec.Struct, frozen=True, array_like=True, tag=12):
    """The system does not let us fork."""

    number: int
    error: str


class Stale(msgspec.Struct, frozen=True, array_like=True, tag=13):
    """From a zygote: what it has imported has changed since, so it has not forked."""

    number: int


class Loaded(msgspec.Struct, frozen=True, array_like=True, tag=14):
    """From a zygote: it has imported the file, or knows why not."""

    error: str = ""
    """Why the file cannot be imported."""
    why_alone: str = ""
    """Why what it has imported must not be shared by forking."""


class Gone(msgspec.Struct, frozen=True, array_like=True, tag=15):
    """The process of that number has ended, and whatever it left running."""

    number: int
    exit_code: int
    """Negative: the number of the signal that ended it."""
    cpu_s: float
    peak_memory_bytes: int


Notice = Forked | NotForked | Stale | Loaded | Gone

decode_command: Final = msgspec.msgpack.Decoder(Command).decode
decode_notice: Final = msgspec.msgpack.Decoder(Notice).decode
decode_question: Final = msgspec.msgpack.Decoder(Question).decode
decode_answer: Final = msgspec.msgpack.Decoder(Answer).decode
decode_ended: Final = msgspec.msgpack.Decoder(Ended).decode
decode_error: Final = msgspec.msgpack.Decoder(str | None).decode
decode_texts: Final = msgspec.msgpack.Decoder(list[str]).decode
decode_records: Final = msgspec.msgpack.Decoder(list[dict[str, object]]).decode
encode: Final = msgspec.msgpack.Encoder().encode
