"""From what the warm process says about a file to what is stored of it."""

import signal
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec

from tradewind.dag_processor.protocol import (
    VERSION_INFLATION,
    Began,
    Ended,
    ManualInterval,
    Notice,
    Outcome,
    ParseRequest,
    Problem,
)
from tradewind.model.dag_file import DagProblem, Dependency, FileKey, FileName, FileParse, FileWarning
from tradewind.model.manual_interval import IntervalAnswer
from tradewind.model.timetable import DataInterval

MOST_OUTPUT: Final = 1024 * 1024
"""A file that prints more while it is read is told so."""
SLOW_MS: Final = 5_000
_SHOWN_OUTPUT: Final = 2_000

T = TypeVar("T", bound=msgspec.Struct)


def to_parse(
    outcome: Outcome,
    request: ParseRequest,
    *,
    key: FileKey,
    environment: str,
    bundle_version: str | None,
    known_hash: str,
    forbids_inflation: bool = False,
) -> FileParse:
    """What to store. `known_hash` is what the service last knew the content to be, for a file that was never opened."""
    began = _decode(outcome.began, Began) or Began(content_hash=known_hash, source="")
    ended = _decode(outcome.ended, Ended) or Ended(is_read=False, problems=[Problem(_what_happened(outcome, request))])
    problems = [DagProblem(problem.message, problem.dag_id) for problem in ended.problems]
    if outcome.output_bytes > MOST_OUTPUT:
        problems.append(DagProblem(_printed_too_much(outcome.output_bytes)))
    inflation = [notice for notice in ended.notices if forbids_inflation and notice.kind == VERSION_INFLATION]
    problems += [DagProblem(f"line {notice.line}: {notice.message}") for notice in inflation]
    return FileParse(
        key,
        FileName(request.bundle, request.path),
        content_hash=began.content_hash,
        source=began.source,
        environment=environment,
        bundle_version=bundle_version,
        is_read=ended.is_read and not inflation,
        dags=() if inflation else tuple(ended.dags),
        plans=() if inflation else tuple(ended.plans),
        answers=() if inflation else tuple(ended.answers),
        intervals=() if inflation else tuple(_interval(said) for said in ended.intervals),
        problems=tuple(problems),
        warnings=(*(_warning(notice, request) for notice in ended.notices), *_slowness(outcome)),
        dependencies=tuple(Dependency(*each) for each in ended.dependencies),
        is_volatile=ended.is_volatile,
        duration_ms=outcome.duration_ms,
    )


def _interval(said: ManualInterval) -> IntervalAnswer:
    interval = None if said.interval is None else DataInterval(*(each.astimezone(UTC) for each in said.interval))
    date = None if said.partition_date is None else said.partition_date.astimezone(UTC)
    about = said.about._replace(moment=said.about.moment.astimezone(UTC))
    return IntervalAnswer(said.dag_id, about, interval, date, said.error)


def due_at_of(outcome: Outcome) -> datetime | None:
    """The answer to the question when a deadline is."""
    ended = _decode(outcome.ended, Ended)
    return None if ended is None else ended.due_at


def _decode(content: bytes | None, kind: type[T]) -> T | None:
    try:
        return None if content is None else msgspec.msgpack.decode(content, type=kind)
    except msgspec.MsgspecError:
        return None  # only a file that forges messages comes here


def _what_happened(outcome: Outcome, request: ParseRequest) -> str:
    if outcome.is_timed_out:
        text = (
            f"The file was not read within {request.timeout_s:g} s, so its process was ended.\n"
            "What to do: move slow work from the top level of the file into tasks;"
            " or raise [dag_processor] dag_file_processor_timeout"
        )
    elif outcome.is_too_large:
        text = (
            f"Reading the file took more than {request.memory_limit_mb} MB of memory, so its process was ended.\n"
            "What to do: do not load data at the top level of the file, do it in a task;"
            " or raise [dag_processor] parsing_memory_limit_mb"
        )
    elif outcome.is_lost:
        text = (
            "The process that starts the readers of DAG files died while this file, and no other, was read.\n"
            "What to do: make sure that the file neither ends other processes nor uses up all memory"
        )
    elif outcome.exit_code < 0:
        text = (
            f"The process that read the file was ended by {_signal_name(-outcome.exit_code)}.\n"
            "What to do: import the file with python to see which library crashes, and make sure that there is memory"
        )
    else:
        text = (
            f"The file ended the process that read it, with exit code {outcome.exit_code}.\n"
            "What to do: remove the call of os._exit, or of what calls it"
        )
    said = outcome.output[-_SHOWN_OUTPUT:].strip()
    return f"{text}\nWhat it printed:\n{said}" if said else text


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _printed_too_much(count: int) -> str:
    return (
        f"The file printed {count / 1024 / 1024:.1f} MB while it was read; its DAGs were read all the same.\n"
        "What to do: print and log inside tasks, not at the top level of the file"
    )


def _warning(notice: Notice, request: ParseRequest) -> FileWarning:
    if notice.file is None:
        return FileWarning(notice.kind, notice.message, notice.line, notice.dag_id)
    where = notice.file.removeprefix(f"{request.root}/")
    return FileWarning(notice.kind, f"{where}, line {notice.line}: {notice.message}", None, notice.dag_id)


def _slowness(outcome: Outcome) -> list[FileWarning]:
    if outcome.duration_ms < SLOW_MS:
        return []
    message = f"reading the file takes {outcome.duration_ms / 1000:.1f} s: run `tradewind dags lint` to see which lines"
    return [FileWarning("slow_file", message)]
