"""What is read from a metadata database of Airflow: its rows, in our words. Nothing is ever written there."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.account import Profile
from tradewind.model.json_value import JsonValue
from tradewind.model.pool import Pool
from tradewind.storage.interface.shared_stores import ConnectionRecord, VariableRecord


class AirflowConnection(NamedTuple):
    """A connection as Airflow stores it, its secrets encrypted with Airflow's key."""

    record: ConnectionRecord
    team: str | None = None


class AirflowVariable(NamedTuple):
    """A variable as Airflow stores it."""

    record: VariableRecord
    team: str | None = None


class AirflowPool(NamedTuple):
    """A pool."""

    pool: Pool
    team: str | None = None


@dataclass(frozen=True, slots=True)
class AirflowUser:
    """A user of Airflow's FAB auth manager, or one that a configuration names."""

    profile: Profile
    password_hash: str | None = field(default=None, repr=False)


class AirflowDag(NamedTuple):
    """A DAG that Airflow knows."""

    dag_id: str
    is_paused: bool
    is_stale: bool
    """Whether no file of Airflow has it any more."""


@dataclass(frozen=True, slots=True)
class AirflowRun:
    """A run, in whatever state."""

    number: int
    """Airflow's own: rows of its tasks are asked for by it."""
    dag_id: str
    run_id: str
    run_type: str
    state: str | None
    run_after: datetime
    logical_date: datetime | None = None
    interval_start: datetime | None = None
    interval_end: datetime | None = None
    queued_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    clear_number: int = 0
    conf: JsonValue = None
    note: str | None = None
    triggered_by: str | None = None
    triggering_user_name: str | None = None


class AirflowTask(NamedTuple):
    """A task instance. Read by the million: a tuple."""

    run_number: int
    task_id: str
    map_index: int
    state: str | None
    try_number: int
    max_tries: int
    pool: str | None
    pool_slots: int | None
    priority_weight: int | None
    queue: str | None
    executor: str | None
    operator: str | None
    operator_name: str | None
    """What the author calls the operator, if not by its class."""
    display_name: str | None
    scheduled_at: datetime | None
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    hostname: str | None
    pid: int | None
    rendered_map_index: str | None
    note: str | None


class AirflowTry(NamedTuple):
    """An earlier try of a task instance."""

    run_number: int
    task_id: str
    map_index: int
    try_number: int
    state: str | None
    scheduled_at: datetime | None
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    hostname: str | None
    pid: int | None


class AirflowXCom(NamedTuple):
    """What a task instance left for others, as its backend serialized it."""

    run_number: int
    task_id: str
    map_index: int
    key: str
    value: JsonValue
    at: datetime
    is_dag_result: bool | None


class AirflowInquiry(NamedTuple):
    """What a try of a task instance asked people, and what they answered."""

    run_number: int
    task_id: str
    map_index: int
    try_number: int
    options: JsonValue
    subject: str
    body: str | None
    defaults: JsonValue
    is_multiple: bool | None
    params: JsonValue
    assignees: JsonValue
    created_at: datetime
    responded_at: datetime | None
    responded_by: JsonValue
    chosen_options: JsonValue
    params_input: JsonValue


class AirflowTaskName(NamedTuple):
    """A task that some run of a DAG has had."""

    task_id: str
    operator: str | None


class AirflowHistory(Protocol):
    """The runs, and what became of their tasks."""

    @property
    def has_conf(self) -> bool:
        """Whether the conf of runs can be read: Airflow 2 pickled it, and nothing is ever unpickled here."""

    @property
    def has_xcoms(self) -> bool:
        """Whether XComs can be read: older Airflows may have pickled them."""

    def task_names(self, dag_id: str) -> list[AirflowTaskName]:
        """The tasks that there are instances of, by id."""

    def structure(self, dag_id: str) -> JsonValue:
        """The DAG as Airflow wrote it down last, in its own format; None if it has not."""

    def count_runs(self, since: datetime | None) -> int:
        """How many `runs` yields in all."""

    def runs(self, since: datetime | None, size: int) -> Iterator[Sequence[AirflowRun]]:
        """All runs that were due since then, in the order in which they were made, so many at a time."""

    def count_tasks(self, run_numbers: Collection[int]) -> tuple[int, int, int]:
        """How many task instances these runs have, how many earlier tries, and how many XComs."""

    def tasks(self, run_numbers: Collection[int]) -> Iterator[Sequence[AirflowTask]]:
        """The task instances of these runs, some at a time."""

    def tries(self, run_numbers: Collection[int]) -> Iterator[Sequence[AirflowTry]]:
        """The earlier tries of their tasks, some at a time."""

    def inquiries(self, run_numbers: Collection[int]) -> Iterator[Sequence[AirflowInquiry]]:
        """What all their tries asked people, some at a time. Before Airflow 3.1 none did."""

    def xcoms(self, run_numbers: Collection[int]) -> Iterator[Sequence[AirflowXCom]]:
        """The XComs of their tasks, a few at a time: each may be large."""


class AirflowSource(Protocol):
    """One unchanging view of the database: whatever Airflow does meanwhile, all of it is from the same moment."""

    @property
    def version(self) -> str:
        """Which Airflow made it, for people."""

    @property
    def has_users(self) -> bool:
        """Whether its users are in the database at all: those of the FAB auth manager are."""

    @property
    def history(self) -> AirflowHistory:
        """Its runs."""

    def connections(self) -> list[AirflowConnection]:
        """All, by id."""

    def variables(self) -> list[AirflowVariable]:
        """All, by key."""

    def pools(self) -> list[AirflowPool]:
        """All, by name."""

    def users(self) -> list[AirflowUser]:
        """All, by name; none if they are not in the database."""

    def dags(self) -> list[AirflowDag]:
        """All, by id."""
