"""The values with which a runtime answers user code: plain, frozen, and easy to write as JSON.

What is called an object here is whatever JSON can say. The field names are those that DAG files and provider packages
read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionResult:
    """The fields of a connection. What may be secret is left out of its representation."""

    conn_id: str
    conn_type: str | None = None
    description: str | None = None
    host: str | None = None
    schema: str | None = None
    login: str | None = None
    password: str | None = field(default=None, repr=False)
    port: int | None = None
    extra: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class XComResult:
    """One stored XCom. Its value is what a backend serialized; a missing XCom is `None` instead of this."""

    key: str
    value: object


@dataclass(frozen=True, slots=True)
class XComElement:
    """One element of a stored list, as a backend serialized it, and how many elements the list has."""

    value: object
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetResult:
    """An asset that is known to the database."""

    name: str
    uri: str
    group: str = "asset"
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookMessage:
    """What was posted to a webhook."""

    number: int
    body: str
    """JSON."""


@dataclass(frozen=True, slots=True)
class AssetAliasResult:
    """The alias through which an asset event came."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DagRunReference:
    """A run that an asset event brought into being."""

    dag_id: str
    run_id: str
    state: str
    logical_date: datetime | None = None
    start_date: datetime | None = None
    end_date: datetime | None = None
    data_interval_start: datetime | None = None
    data_interval_end: datetime | None = None
    partition_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetEventResult:
    """An update of an asset, and who said so."""

    asset: AssetResult
    timestamp: datetime
    id: int | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
    source_dag_id: str | None = None
    source_task_id: str | None = None
    source_run_id: str | None = None
    source_map_index: int | None = None
    source_aliases: tuple[AssetAliasResult, ...] = ()
    created_dagruns: tuple[DagRunReference, ...] = ()
    partition_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DagRunResult:
    """A run of a DAG, as a task of it or of another DAG may see it."""

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
    conf: Mapping[str, object] = field(default_factory=dict)
    triggering_user_name: str | None = None
    consumed_asset_events: Sequence[AssetEventResult] = ()
    has_too_many_asset_events: bool = False
    """To be told with the run: `consumed_asset_events` has none of them then, and a runtime is asked for them."""
    partition_key: str | None = None
    partition_date: datetime | None = None
    note: str | None = None
    team_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DagResult:
    """What is stored about a DAG, without its tasks."""

    dag_id: str
    is_paused: bool
    bundle_name: str | None = None
    bundle_version: str | None = None
    relative_fileloc: str | None = None
    owners: str | None = None
    tags: tuple[str, ...] = ()
    next_dagrun: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PrevSuccessfulDagRunResult:
    """When the last successful run before this one worked; all empty if there was none."""

    data_interval_start: datetime | None = None
    data_interval_end: datetime | None = None
    start_date: datetime | None = None
    end_date: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousTIResult:
    """The instance of a task in an earlier run."""

    task_id: str
    dag_id: str
    run_id: str
    try_number: int
    logical_date: datetime | None = None
    start_date: datetime | None = None
    end_date: datetime | None = None
    state: str | None = None
    map_index: int = -1
    duration: float | None = None


@dataclass(frozen=True, slots=True)
class HITLUserResult:
    """A person who answers, or may answer, a question of a task."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HITLDetailRequest:
    """A question of a task to people."""

    ti_id: str
    options: tuple[str, ...]
    subject: str
    body: str | None = None
    defaults: tuple[str, ...] | None = None
    multiple: bool = False
    params: Mapping[str, object] = field(default_factory=dict)
    assigned_users: tuple[HITLUserResult, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HITLDetailResponse:
    """What people answered so far."""

    response_received: bool
    responded_by_user: HITLUserResult | None = None
    responded_at: datetime | None = None
    chosen_options: tuple[str, ...] | None = None
    params_input: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class InactiveAssetResult:
    """An inlet or outlet of the running task whose asset is no longer active."""

    name: str | None = None
    uri: str | None = None
    type: str = "Asset"
