"""What the supervisor of triggers and their runner say to each other: frames (`wire.frames`) of a `FrameKind`."""

from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Final

import msgspec

from tradewind.worker.protocol import Answer, Question

NOBODY: Final = 0
"""Who asks in a thread of which it is not known whose it is. No trigger and no watcher has this number."""


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
    READY = 17
    """From the runner: what a task that began with a trigger waits for. A `Ready`. It begins when that is stored, and
    the runner was told so: by a `START` without an order."""
    BLOCKED = 16
    """From the runner: somebody's code holds up all others, or has done so. A `Blocked`."""

    METRICS = 18
    """From the runner: what code of triggers or watchers measured. A list of `wire.metrics.Measured`."""

    WATCH = 21
    """To the runner of watchers: a `Watch` to run."""
    KEPT = 22
    """To the runner of watchers: what was seen is stored. A list of `Kept`."""
    SEEN = 31
    """From the runner of watchers: a `Seen`."""


class TaskName(msgspec.Struct, frozen=True, array_like=True):
    """The try that waits, as people call it."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    try_number: int
    queue: str | None = None
    started_at: datetime | None = None
    hostname: str | None = None


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
    is_called_off: bool = False
    """Whether it is made only to end what it waits for: a person called it off while nobody ran it."""
    order: bytes = b""
    """Its task began with it, and code has to say which class it is: the `model.assignment.Assignment`, as MessagePack.
    Empty: that is known."""


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
    WORKER = "worker"
    """The task turned out not to begin with a trigger. No content."""


class Ready(msgspec.Struct, frozen=True, array_like=True):
    """What a task that began with a trigger waits for. Arguments are JSON, serialized by the SDK."""

    trigger: int
    class_path: str
    kwargs: str
    next_method: str
    next_kwargs: str
    timeout_s: float | None
    rendered_fields: str | None
    """JSON."""
    rendered_map_index: str | None


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """How a trigger ended."""

    trigger: int
    ending: Ending
    content: str
    """JSON."""
    map_length: int | None = None
    """Of what the task returned, if that can be mapped over."""
    is_listened: bool = False
    """Whether plugins have listeners, which want to hear how the task ended."""


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """A question of a trigger."""

    trigger: int
    question: Question


class Logged(msgspec.Struct, frozen=True, array_like=True):
    """What a trigger logs."""

    trigger: int
    records: list[dict[str, object]]


class Blocked(msgspec.Struct, frozen=True, array_like=True):
    """A step of a trigger that takes too long, or took too long."""

    trigger: int
    seconds: float
    stack: list[str]
    """Where it was when somebody looked, the innermost call last. Empty: nobody could."""
    is_over: bool
    step: int
    """Which one of the process: two threads tell of it, and that it goes on may be heard after its end."""


class Watch(msgspec.Struct, frozen=True, array_like=True):
    """A watcher to run."""

    watcher: int
    class_path: str
    kwargs: str
    """JSON, serialized by the SDK."""
    code: Code | None
    assets: list[str]
    """The names of the assets that it speaks of."""
    stored: int
    """How many of its events are stored."""


class Seen(msgspec.Struct, frozen=True, array_like=True):
    """An event of a watcher."""

    watcher: int
    number: int
    payload: str
    """JSON, serialized by the SDK."""
    message_id: str | None = None
    """How its source names what it was made of."""


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """The events of a watcher are stored up to this one."""

    watcher: int
    number: int


decode_starts: Final = msgspec.msgpack.Decoder(list[Start]).decode
decode_stops: Final = msgspec.msgpack.Decoder(list[Stop]).decode
decode_ready: Final = msgspec.msgpack.Decoder(Ready).decode
decode_outcome: Final = msgspec.msgpack.Decoder(Outcome).decode
decode_number: Final = msgspec.msgpack.Decoder(int).decode
decode_asked: Final = msgspec.msgpack.Decoder(Asked).decode
decode_logged: Final = msgspec.msgpack.Decoder(Logged).decode
decode_blocked: Final = msgspec.msgpack.Decoder(Blocked).decode
decode_answer: Final = msgspec.msgpack.Decoder(Answer).decode
decode_watch: Final = msgspec.msgpack.Decoder(Watch).decode
decode_seen: Final = msgspec.msgpack.Decoder(Seen).decode
decode_kept: Final = msgspec.msgpack.Decoder(list[Kept]).decode
