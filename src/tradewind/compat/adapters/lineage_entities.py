"""Things that tasks of Airflow 2 named as inlets and outlets before there were assets."""

from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from tradewind.sdk.notset import ArgNotSet

AUTO: Final = ArgNotSet()
"""As an inlet: what the tasks before it have as outlets. It names nothing here."""

T = TypeVar("T")


def apply_lineage(func: T) -> T:
    """Once sent inlets and outlets to a backend; assets are stored anyway, so it leaves the function as it is."""
    return func


def prepare_lineage(func: T) -> T:
    """Once resolved inlets and outlets; they are resolved anyway, so it leaves the function as it is."""
    return func


@dataclass
class File:
    """A file, by its address."""

    url: str
    type_hint: str | None = None


@dataclass
class User:
    """Somebody who owns something."""

    email: str
    first_name: str | None = None
    last_name: str | None = None


@dataclass
class Tag:
    """A word about a table."""

    tag_name: str


@dataclass
class Column:
    """A column of a table."""

    name: str
    description: str | None = None
    data_type: str | None = None
    tags: list[Tag] = field(default_factory=list)


@dataclass
class Table:
    """A table of a database."""

    database: str
    cluster: str
    name: str
    tags: list[Tag] = field(default_factory=list)
    description: str | None = None
    columns: list[Column] = field(default_factory=list)
    owners: list[User] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    type_hint: str | None = None
