"""Assets as clients see them."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, model_validator


class DagScheduleAssetReference(BaseModel):
    """A DAG that waits for an asset."""

    model_config = ConfigDict(extra="forbid")
    dag_id: str
    created_at: datetime
    updated_at: datetime


class TaskInletAssetReference(BaseModel):
    """A task that reads an asset."""

    model_config = ConfigDict(extra="forbid")
    dag_id: str
    task_id: str
    created_at: datetime
    updated_at: datetime


class TaskOutletAssetReference(BaseModel):
    """A task that updates an asset."""

    model_config = ConfigDict(extra="forbid")
    dag_id: str
    task_id: str
    created_at: datetime
    updated_at: datetime


class AssetAliasResponse(BaseModel):
    """A name that stands for assets."""

    id: int
    name: str
    group: str


class AssetAliasCollectionResponse(BaseModel):
    """A page of them."""

    asset_aliases: list[AssetAliasResponse]
    total_entries: int


class AssetWatcherResponse(BaseModel):
    """Who looks out for updates that happen elsewhere."""

    name: str
    trigger_id: int
    created_date: datetime


class LastAssetEventResponse(BaseModel):
    """The last update of an asset, if there was one."""

    id: Annotated[int, Field(ge=0)] | None = None
    timestamp: datetime | None = None


class AssetResponse(BaseModel):
    """An asset, and who names it."""

    id: int
    name: str
    uri: str
    group: str
    extra: dict[str, JsonValue] | None = None
    created_at: datetime
    updated_at: datetime
    scheduled_dags: list[DagScheduleAssetReference]
    producing_tasks: list[TaskOutletAssetReference]
    consuming_tasks: list[TaskInletAssetReference]
    aliases: list[AssetAliasResponse]
    watchers: list[AssetWatcherResponse]
    last_asset_event: LastAssetEventResponse | None = None


class AssetCollectionResponse(BaseModel):
    """A page of assets."""

    assets: list[AssetResponse]
    total_entries: int


class DagRunAssetReference(BaseModel):
    """A run that an update brought into being."""

    model_config = ConfigDict(extra="forbid")
    run_id: str
    dag_id: str
    logical_date: datetime | None
    start_date: datetime
    end_date: datetime | None
    state: str
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    partition_key: str | None
    triggering: bool


class AssetEventResponse(BaseModel):
    """An update of an asset, and who said so."""

    id: int
    asset_id: int
    uri: str | None = None
    name: str | None = None
    group: str | None = None
    extra: dict[str, JsonValue] | None = None
    source_task_id: str | None = None
    source_dag_id: str | None = None
    source_run_id: str | None = None
    source_map_index: int
    created_dagruns: list[DagRunAssetReference]
    timestamp: datetime
    partition_key: str | None = None


class AssetEventCollectionResponse(BaseModel):
    """A page of updates."""

    asset_events: list[AssetEventResponse]
    total_entries: int


class AssetEventAccessControl(BaseModel):
    """Which teams may hear of an update."""

    model_config = ConfigDict(extra="forbid")
    consumer_teams: list[str] | None = None
    allow_global: bool = True


class CreateAssetEventsBody(BaseModel):
    """An update that happened elsewhere."""

    model_config = ConfigDict(extra="forbid")
    asset_id: int
    partition_key: Annotated[str, Field(max_length=250, pattern=r"\S")] | None = None
    extra: dict[str, Any] = Field(default_factory=dict)
    access_control: AssetEventAccessControl | None = None


class MaterializeAssetBody(BaseModel):
    """A run to be, that updates an asset."""

    model_config = ConfigDict(extra="forbid")
    dag_run_id: str | None = None
    data_interval_start: AwareDatetime | None = None
    data_interval_end: AwareDatetime | None = None
    logical_date: AwareDatetime | None = None
    run_after: AwareDatetime | None = None
    conf: dict[str, Any] | None = None
    note: str | None = None
    partition_key: str | None = None

    @model_validator(mode="after")
    def _interval_has_two_ends(self) -> "MaterializeAssetBody":
        if (self.data_interval_start is None) is not (self.data_interval_end is None):
            raise ValueError("data_interval_start and data_interval_end belong together: give both or neither")
        if self.data_interval_start and self.data_interval_end and self.data_interval_start > self.data_interval_end:
            raise ValueError("data_interval_start must not be after data_interval_end")
        return self


class QueuedEventResponse(BaseModel):
    """An update that a DAG has not run for yet."""

    dag_id: str
    asset_id: int
    created_at: datetime
    dag_display_name: str


class QueuedEventCollectionResponse(BaseModel):
    """All of them."""

    queued_events: list[QueuedEventResponse]
    total_entries: int


class AssetStateStoreWriterKind(StrEnum):
    """What kind of thing wrote a value."""

    TASK = "task"
    WATCHER = "watcher"
    API = "api"


class AssetStateStoreLastUpdatedBy(BaseModel):
    """Who wrote a value last."""

    kind: AssetStateStoreWriterKind
    dag_id: str | None = None
    run_id: str | None = None
    task_id: str | None = None
    map_index: int | None = None


class AssetStateStoreResponse(BaseModel):
    """A value about an asset."""

    key: str
    value: JsonValue
    updated_at: datetime
    last_updated_by: AssetStateStoreLastUpdatedBy | None = None


class AssetStateStoreCollectionResponse(BaseModel):
    """A page of them."""

    asset_state_store: list[AssetStateStoreResponse]
    total_entries: int
