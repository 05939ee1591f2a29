"""What the service, the warm process and its children say to each other.

Every message is a frame (`wire.frames`). Children have run user code, so nothing is ever unpickled: contents are
msgspec structures, checked when they are decoded.
"""

from datetime import datetime
from enum import IntEnum
from typing import Any, Final

import msgspec

VERSION_INFLATION: Final = "version_inflation"
"""The kind of notice that `dag_version_inflation_check_level` is about."""


class FrameKind(IntEnum):
    """What a frame holds."""

    REQUEST = 1
    """To the warm process: read a file. A `ParseRequest`."""
    BEGAN = 2
    """From a child, before any user code runs: a `Began`."""
    LOADED = 3
    """From a child to the warm process: a `Loaded`."""
    ENDED = 4
    """From a child, its last word: an `Ended`."""
    OUTCOME = 5
    """From the warm process: an `Outcome`."""
    QUESTION = 6
    """From a child, by way of the warm process: a `Question`."""
    ANSWER = 7
    """To a child, by way of the warm process: an `Answer`."""


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A run, as callbacks get to see it. The names are Airflow's."""

    dag_id: str
    run_id: str
    run_after: datetime
    run_type: str
    state: str
    logical_date: datetime | None = None
    data_interval_start: datetime | None = None
    data_interval_end: datetime | None = None
    start_date: datetime | None = None
    end_date: datetime | None = None
    clear_number: int = 0
    conf: dict[str, Any] = {}
    triggering_user_name: str | None = None
    note: str | None = None


class CallbackCall(msgspec.Struct, frozen=True, kw_only=True):
    """Call the callbacks of a DAG or of a task, in place of telling what the file says."""

    event: str
    run: RunFacts
    reason: str | None = None
    is_of_task: bool = False
    task_id: str | None = None
    map_index: int = -1
    try_number: int = 0


class ParseRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Read a file."""

    number: int
    bundle: str
    root: str
    """The bundle's folder."""
    path: str
    """Relative to it."""
    plugins: str = ""
    import_timeout_s: float = 30.0
    timeout_s: float = 50.0
    memory_limit_mb: int = 0
    traceback_depth: int = 2
    """How many of the last frames of a traceback are shown; 0: no traceback at all."""
    safe_mode: bool = True
    checks_inflation: bool = True
    measures: bool = False
    """Whether to measure how long each statement takes."""
    callback: CallbackCall | None = None


class Began(msgspec.Struct, frozen=True, kw_only=True):
    """What the child read before it ran anything."""

    content_hash: str
    source: str


class Problem(msgspec.Struct, frozen=True):
    """Why a file, or one DAG of it, cannot be used."""

    message: str
    dag_id: str | None = None


class Notice(msgspec.Struct, frozen=True):
    """Something that works but will hurt."""

    kind: str
    message: str
    line: int | None = None
    dag_id: str | None = None
    file: str | None = None
    """Where the line is, if in another file than the one that was read."""


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """What the child imported: modules that the warm process may import once for all, and local files."""

    modules: list[str] = []
    files: list[tuple[str, str]] = []
    """(path, content hash)"""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What the file says."""

    is_read: bool
    dags: list[str] = []
    """DAG JSON of each."""
    problems: list[Problem] = []
    notices: list[Notice] = []
    dependencies: list[tuple[str, str]] = []
    is_volatile: bool = False


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The file asks for a variable or a connection."""

    method: str
    arguments: dict[str, str | None]
    number: int = 0
    """Of the request; the warm process fills it in, for the child has run user code."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the file asked for, or why there is no answer."""

    number: int
    value: Any = None
    error: str | None = None


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a request. Without `ended`, the other fields say why."""

    number: int
    began: bytes | None = None
    """The content of the child's frame, unread: what is wrong in it must not hide whose it is."""
    ended: bytes | None = None
    exit_code: int = 0
    """Negative: the number of the signal that ended the child."""
    is_timed_out: bool = False
    is_too_large: bool = False
    is_lost: bool = False
    """The warm process itself died while it read this file and no other."""
    output: str = ""
    output_bytes: int = 0
    duration_ms: int = 0
