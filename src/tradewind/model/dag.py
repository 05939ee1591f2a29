"""What an author wrote, as plain data: a DAG, its tasks and its groups.

Durations are seconds, instants aware UTC datetimes. User code is present only as references (`CallbackRef`):
neither scheduler nor API ever imports it. What no decision depends on, but people and workers want to know, is in
`details`: template fields, documentation, executor configuration and the like.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from tradewind.model.account import DagRight
from tradewind.model.asset import AssetAliasRef, AssetExpression, AssetRef
from tradewind.model.json_value import JsonValue
from tradewind.model.mapping import MapLength
from tradewind.model.pool import DEFAULT_POOL
from tradewind.model.states import RunType, TaskRole, TriggerRule, WeightRule
from tradewind.model.timetable import Never, Timetable


class CallbackEvent(StrEnum):
    """When a callback is due."""

    EXECUTE = "execute"
    FAILURE = "failure"
    RETRY = "retry"
    SKIPPED = "skipped"
    SUCCESS = "success"


@dataclass(frozen=True, slots=True)
class CallbackRef:
    """A callback that exists in the author's file: what it is called, not the thing itself."""

    event: CallbackEvent
    name: str


@dataclass(frozen=True, slots=True)
class Retry:
    """How often and how soon a failed task starts again."""

    retries: int = 0
    delay_s: float = 300.0
    multiplier: float = 0.0
    """0 keeps the delay fixed; otherwise each further try waits this many times longer."""
    max_delay_s: float | None = None


@dataclass(frozen=True, slots=True)
class StartTrigger:
    """The trigger that a task begins with, before it had a worker. Arguments are serialized by the SDK."""

    class_path: str
    next_method: str
    kwargs: JsonValue = None
    next_kwargs: JsonValue = None
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One node of the DAG."""

    task_id: str
    operator: str = "BaseOperator"
    upstream: tuple[str, ...] = ()
    group_id: str | None = None
    trigger_rule: TriggerRule = TriggerRule.ALL_SUCCESS
    role: TaskRole = TaskRole.WORK
    fails_run: bool = False
    """Only for a teardown: whether its failure counts for the run."""
    is_empty: bool = False
    """Nothing to execute and nobody to call: the scheduler itself ends it."""
    starts_from_trigger: bool = False
    """It waits before it has a worker."""
    start_trigger: StartTrigger | None = None
    """What it waits for then. `None`: only its author's code can tell, in the process that runs triggers."""
    mapping: MapLength | None = None
    retry: Retry = Retry()
    depends_on_past: bool = False
    ignore_first_depends_on_past: bool = True
    wait_for_past_depends_before_skipping: bool = False
    wait_for_downstream: bool = False
    start_at: datetime | None = None
    end_at: datetime | None = None
    pool: str = DEFAULT_POOL
    pool_slots: int = 1
    priority_weight: int = 1
    weight_rule: WeightRule = WeightRule.DOWNSTREAM
    queue: str = "default"
    executor: str | None = None
    max_active_per_dag: int | None = None
    max_active_per_run: int | None = None
    execution_timeout_s: float | None = None
    callbacks: tuple[CallbackRef, ...] = ()
    inlets: tuple[AssetRef | AssetAliasRef, ...] = ()
    outlets: tuple[AssetRef | AssetAliasRef, ...] = ()
    owner: str = "airflow"
    display_name: str | None = None
    doc: str | None = None
    details: JsonValue = None


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """A named set of tasks; mapped as a whole when it has a `mapping`."""

    group_id: str
    parent_id: str | None = None
    mapping: MapLength | None = None
    tooltip: str = ""
    display_name: str | None = None
    details: JsonValue = None


@dataclass(frozen=True, slots=True)
class EdgeLabel:
    """A word that the author put on an edge."""

    upstream: str
    downstream: str
    label: str


@dataclass(frozen=True, slots=True)
class RoleGrant:
    """What a role may do with the DAG, whatever else it may."""

    role: str
    rights: tuple[DagRight, ...]


@dataclass(frozen=True, slots=True)
class Dag:
    """One version of one DAG."""

    dag_id: str
    tasks: tuple[Task, ...] = ()
    groups: tuple[TaskGroup, ...] = ()
    edge_labels: tuple[EdgeLabel, ...] = ()
    timetable: Timetable = Never()
    assets: AssetExpression | None = None
    timezone: str = "UTC"
    start_at: datetime | None = None
    end_at: datetime | None = None
    catchup: bool = False
    max_active_tasks: int = 16
    max_active_runs: int = 16
    max_consecutive_failed_runs: int = 0
    run_timeout_s: float | None = None
    fail_fast: bool = False
    allowed_run_types: tuple[RunType, ...] | None = None
    callbacks: tuple[CallbackRef, ...] = ()
    is_paused_upon_creation: bool | None = None
    pins_bundle_version: bool = True
    """Whether a run stays with the version of the bundle that it was created with."""
    description: str | None = None
    display_name: str | None = None
    doc: str | None = None
    owner_links: tuple[tuple[str, str], ...] = ()
    tags: tuple[str, ...] = ()
    access: tuple[RoleGrant, ...] = ()
    params: JsonValue = None
    details: JsonValue = None
