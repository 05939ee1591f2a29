"""What the supervisor of triggers and their runner say to each other: frames (`wire.frames`) of a `FrameKind`."""

from enum import IntEnum, StrEnum
from typing import Final

import msgspec

from tradewind.worker.protocol import Answer, Question


class FrameKind(IntEnum):
    """What a frame holds."""

    START = 1
    """To the runner: run these. A list of `Start`."""
    STOP = 2
    """To the runner: stop these. A list of `Stop`."""
    ANSWER = 3
    """To the runner: an `Answer`."""
    PING = 4
    """To the runner: are you there? Answered by one `PONG`, in its turn."""
    FIRED = 11
    """From the runner: an `Outcome`. The trigger is over."""
    STOPPED = 12
    """From the runner: a trigger that it was told to stop is over. Its number."""
    QUESTION = 13
    """From the runner: an `Asked`."""
    LOG = 14
    """From the runner: a `Logged`."""
    PONG = 15
    """From the runner: I am."""
    BLOCKED = 16
    """From the runner, at once after a `PING` that the event loop may be too busy to answer: a `Blocked`."""


class TaskName(msgspec.Struct, frozen=True, array_like=True):
    """The try that waits, as people call it."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    try_number: int


class Code(msgspec.Struct, frozen=True, array_like=True):
    """Where the code of its DAG lies."""

    bundle: str
    root: str
    """The folder of the bundle, at its version."""
    path: str
    """Of the DAG file, relative to it."""
    plugins: str


class Start(msgspec.Struct, frozen=True, array_like=True):
    """A trigger to run."""

    trigger: int
    class_path: str
    kwargs: str
    """JSON, serialized by the SDK."""
    task: TaskName
    code: Code | None


class Stop(msgspec.Struct, frozen=True, array_like=True):
    """A trigger to stop."""

    trigger: int
    kills: bool
    """Whether a person wants it: then what it waits for is to be ended as well."""


class Ending(StrEnum):
    """How a trigger may end by itself."""

    EVENT = "event"
    """The content is the payload, serialized."""
    ERROR = "error"
    """The content is the traceback, a list of texts."""
    SUCCESS = "success"
    """The task has ended so. The content is its XComs, by key."""
    FAILED = "failed"
    SKIPPED = "skipped"


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """How a trigger ended."""

    trigger: int
    ending: Ending
    content: str
    """JSON."""


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """A question of a trigger."""

    trigger: int
    question: Question


class Logged(msgspec.Struct, frozen=True, array_like=True):
    """What a trigger logs."""

    trigger: int
    records: list[dict[str, object]]


class Blocked(msgspec.Struct, frozen=True, array_like=True):
    """The trigger whose code the event loop is in."""

    trigger: int
    stack: list[str]


decode_starts: Final = msgspec.msgpack.Decoder(list[Start]).decode
decode_stops: Final = msgspec.msgpack.Decoder(list[Stop]).decode
decode_outcome: Final = msgspec.msgpack.Decoder(Outcome).decode
decode_number: Final = msgspec.msgpack.Decoder(int).decode
decode_asked: Final = msgspec.msgpack.Decoder(Asked).decode
decode_logged: Final = msgspec.msgpack.Decoder(Logged).decode
decode_blocked: Final = msgspec.msgpack.Decoder(Blocked).decode
decode_answer: Final = msgspec.msgpack.Decoder(Answer).decode
