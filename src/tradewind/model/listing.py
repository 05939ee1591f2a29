"""Lists as clients ask for them: which rows, in what order, how many.

Fields have the names that clients use (`dag_run_id`, `start_date`): a list is made for them, and what they may ask for
and what they are shown has the same words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

Row = Mapping[str, object]


class Listed(StrEnum):
    """What can be listed. Each has a definition in `storage/listings`."""

    ALIASES_OF_ASSETS = "aliases_of_assets"
    ASSETS = "assets"
    ASSET_ALIASES = "asset_aliases"
    ASSET_EVENTS = "asset_events"
    ASSET_REFERENCES = "asset_references"
    ASSET_STATES = "asset_states"
    BACKFILLS = "backfills"
    CONNECTIONS = "connections"
    """As `ASSET_EVENTS`, once for each run that was made for one."""
    DAGS = "dags"
    DAG_RUNS = "dag_runs"
    DAG_TAGS = "dag_tags"
    DAG_VERSIONS = "dag_versions"
    DAG_WARNINGS = "dag_warnings"
    DEADLINES = "deadlines"
    EVENT_LOGS = "event_logs"
    IMPORT_ERRORS = "import_errors"
    INQUIRIES = "inquiries"
    JOBS = "jobs"
    POOLS = "pools"
    QUEUED_EVENTS = "queued_events"
    RUNS_OF_EVENTS = "runs_of_events"
    """Runs, once for each update of an asset that they were made for."""
    SLOTS = "slots"
    TASK_INSTANCES = "task_instances"
    TASK_STATES = "task_states"
    TASK_TRIES = "task_tries"
    TRIGGERS = "triggers"
    VARIABLES = "variables"
    WATCHERS = "watchers"
    XCOMS = "xcoms"


class Test(StrEnum):
    """What a field is asked for."""

    IS = "is"
    """Equal; with the value None, absent."""
    IS_NOT = "is_not"
    ONE_OF = "one_of"
    """Equal to one of the values."""
    MATCHES = "matches"
    """Contains the text, whatever its case. `%` and `_` stand for any text and any character, `|` for "or"."""
    STARTS_WITH = "starts_with"
    """Begins with the text, in the same case. `|` stands for "or"."""
    AT_LEAST = "gte"
    ABOVE = "gt"
    AT_MOST = "lte"
    BELOW = "lt"


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row has to be like."""

    field: str
    test: Test
    value: object


@dataclass(frozen=True, slots=True)
class Order:
    """By which field rows are sorted. Those without a value come last, in whichever direction."""

    field: str
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked of a list."""

    conditions: tuple[Condition, ...] = ()
    order: tuple[Order, ...] = ()
    """Rows that are equal in all of it are sorted by the key of the list: pages neither overlap nor leave gaps."""
    limit: int | None = None
    offset: int = 0
    after: tuple[object, ...] | None = None
    """Only what comes after the row that has these values in the fields of the order and of the key (`Page.last`)."""
    before: tuple[object, ...] | None = None
    """Only what comes before that row (`Page.first`); of that, the last rows."""
    is_counted: bool = True
    """Whether to count all rows, also those on other pages."""
    most_counted: int | None = None
    """Where to stop counting."""


@dataclass(frozen=True, slots=True)
class Page:
    """What was found."""

    rows: Sequence[Row]
    total: int
    """Of all pages; that of this one if they were not counted."""
    last: tuple[object, ...] | None = None
    """Where the next page begins, if there is one."""
    first: tuple[object, ...] | None = None
    """Where the page before ends, if there is one."""
