"""DAG files: what is known of one, and what reading it brought."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, NewType

from tradewind.model.dag_summary import DagSummary
from tradewind.model.ids import JobKey, VersionKey
from tradewind.model.manual_interval import IntervalAnswer

FileKey = NewType("FileKey", int)
"""The database's own number of a DAG file."""


class FileName(NamedTuple):
    """What people call a DAG file."""

    bundle: str
    path: str
    """Relative to the bundle, with slashes."""


class Dependency(NamedTuple):
    """Something that a DAG file read while it was parsed: another file, or the list of a folder's files."""

    path: str
    """Relative to the bundle; absolute for what is outside of it."""
    content_hash: str
    """Empty: it was looked for and not there."""


@dataclass(frozen=True, slots=True)
class DagFile:
    """A DAG file as stored."""

    key: FileKey
    name: FileName
    content_hash: str | None = None
    environment: str | None = None
    """Of which Python and packages what is stored was read by."""
    dependencies: tuple[Dependency, ...] = ()
    is_volatile: bool = False
    """Whether it depends on the world outside, so that it may say something else although no file changed."""
    parsed_at: datetime | None = None
    duration_ms: int | None = None
    has_error: bool = False
    claimed_by: JobKey | None = None
    claimed_until: datetime | None = None
    is_requested: bool = False
    """Whether somebody asked to parse it again, changed or not."""


@dataclass(frozen=True, slots=True)
class FileWarning:
    """Something that works but will hurt."""

    kind: str
    message: str
    line: int | None = None
    dag_id: str | None = None


@dataclass(frozen=True, slots=True)
class DagProblem:
    """Why a file, or one DAG of it, cannot be used."""

    message: str
    dag_id: str | None = None
    """None: nothing of the file could be read."""


@dataclass(frozen=True, slots=True)
class FileParse:
    """What parsing a file brought."""

    key: FileKey
    name: FileName
    content_hash: str
    source: str
    environment: str
    bundle_version: str | None = None
    is_read: bool = True
    """False: it could not be read, so nothing is known about its DAGs, and they stay as they are."""
    dags: tuple[str, ...] = ()
    """DAG JSON of each."""
    plans: tuple[tuple[str, str], ...] = ()
    """Coming runs, by DAG: see `model.planned_runs.encode_plan`."""
    answers: tuple[tuple[str, object], ...] = ()
    """What mappers of authors' own said, by DAG: see `model.partition_answers.encode_answers`."""
    intervals: tuple[IntervalAnswer, ...] = ()
    """What runs by hand are about, of which timetables of authors' own were asked."""
    problems: tuple[DagProblem, ...] = ()
    warnings: tuple[FileWarning, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    is_volatile: bool = False
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """The stored error of a file."""

    key: FileKey
    name: FileName
    message: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StoredWarning:
    """The stored warning about a file."""

    name: FileName
    warning: FileWarning
    at: datetime


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle as stored."""

    name: str
    is_active: bool
    version: str | None = None
    """What new runs of its DAGs are pinned to."""
    refreshed_at: datetime | None = None
    error: str | None = None
    """Why it could not be refreshed, if so."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version of a DAG to be stored."""

    dag_id: str
    structure_hash: str
    data: str
    name: FileName | None = None
    bundle_version: str | None = None
    source_hash: str | None = None
    summary: DagSummary | None = None
    """What lists show of it; without one, what they show of the DAG stays as it is."""


@dataclass(frozen=True, slots=True)
class VersionOrigin:
    """Where a version of a DAG came from."""

    version_key: VersionKey
    structure_hash: str
    name: FileName | None = None
    bundle_version: str | None = None
    source_hash: str | None = None
