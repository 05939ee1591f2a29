"""What the service, the warm process and its children say to each other.

Every message is a frame (`wire.frames`). Children have run user code, so nothing is ever unpickled: contents are
msgspec structures, checked when they are decoded.
"""

from datetime import datetime
from enum import IntEnum
from typing import Annotated, Any, Final

import msgspec

from tradewind.model.manual_interval import AskedRun
from tradewind.model.task_answers import DagRunResult
from tradewind.wire.metrics import Measured

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


class ListenedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What listeners get to know of a run besides."""

    queued_at: datetime | None = None
    bundle_version: str | None = None
    version_number: int | None = None
    """Of its DAG."""


class CallbackCall(msgspec.Struct, frozen=True, kw_only=True):
    """Call the callbacks of a DAG or of a task, in place of telling what the file says. Of a task, look up its links
    and tell listeners too."""

    event: str
    run: DagRunResult
    reason: str | None = None
    is_of_task: bool = False
    task_id: str | None = None
    map_index: int = -1
    try_number: int = 0
    listened: ListenedRun | None = None
    """Of a run: listeners of plugins want to hear of it."""


class ToldNews(msgspec.Struct, frozen=True, kw_only=True):
    """Tell listeners of plugins. See `model.listener_news`."""

    hook: str
    facts: dict[str, Any]


class DeadlineCall(msgspec.Struct, frozen=True, kw_only=True):
    """Say when a run has to be over, in place of telling what the file says."""

    run: DagRunResult
    number: int
    """Which of the deadlines of the DAG it is."""
    reference: datetime | None = None
    """From when it is counted, where that is known; then only the interval is asked for."""


class KnownRun(msgspec.Struct, frozen=True, kw_only=True):
    """The newest run that the timetable of a DAG made, for one whose author wrote the timetable."""

    dag_id: str
    run_after: datetime
    data_interval: tuple[datetime, datetime] | None = None
    partition_key: str | None = None
    partition_date: datetime | None = None


_Aware = Annotated[datetime, msgspec.Meta(tz=True)]


class ManualInterval(msgspec.Struct, frozen=True, kw_only=True):
    """What a timetable of the author's own says of a run by hand, or what went wrong."""

    dag_id: str
    about: AskedRun
    interval: tuple[_Aware, _Aware] | None = None
    partition_date: _Aware | None = None
    error: str = ""


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
    asks_plugins: bool = False
    """Read no file, but say of what listeners of plugins want to hear."""
    news: list[ToldNews] = []
    """Read no file, but tell them this."""
    callback: CallbackCall | None = None
    deadline: DeadlineCall | None = None
    last_runs: list[KnownRun] = []
    """Where timetables of the author's own go on."""
    questions: list[tuple[str, str, str]] = []
    """To mappers of the author's own: a DAG, a mapper and a key each. See `model.partition_answers`."""
    asked_runs: list[tuple[str, AskedRun]] = []
    """Of runs by hand: what those are about is asked of the timetable of the DAG, which is of the author's own."""


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
    plans: list[tuple[str, str]] = []
    """The coming runs of DAGs whose timetables their author wrote: see `model.planned_runs.encode_plan`."""
    answers: list[tuple[str, Any]] = []
    """What mappers said to the questions, by DAG: see `model.partition_answers.encode_answers`."""
    intervals: list[ManualInterval] = []
    """What the runs by hand are about."""
    due_at: datetime | None = None
    """The answer to a `DeadlineCall`."""
    links: list[tuple[str, Any]] = []
    """The answer to a `CallbackCall` of a task: the addresses of its operator's links, as XComs by their keys."""
    heard: list[str] = []
    """Where plugins were asked: the changes of runs (`CallbackEvent`) of which listeners want to hear."""
    hooks: list[str] = []
    """The same of everything else (`model.listener_news.Hook`)."""
    begun: int = 0
    """Where news were to be told: of how many that was begun. Said before each, and what was said last counts."""
    problems: list[Problem] = []
    notices: list[Notice] = []
    dependencies: list[tuple[str, str]] = []
    is_volatile: bool = False
    metrics: list[Measured] = []
    """What the file, or the callbacks in it, measured."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """The file asks for a variable or a connection, or what follows the end of a task for an XCom."""

    method: str
    arguments: dict[str, str | int | bool | None]
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
