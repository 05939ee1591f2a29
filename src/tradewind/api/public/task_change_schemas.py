"""What clients want changed about task instances."""

from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tradewind.api.moment import Moment
from tradewind.api.public.task_instance_schemas import TaskInstanceState

Note = Annotated[str, Field(max_length=1000)]

_GIVEN_BY_PEOPLE: Final = ("success", "failed", "skipped")


def _state_that_can_be_given(state: object) -> object:
    if state not in _GIVEN_BY_PEOPLE:
        raise ValueError(f"{state!r} is none of {', '.join(_GIVEN_BY_PEOPLE)}")
    return state


GivenState = Annotated[TaskInstanceState | None, BeforeValidator(_state_that_can_be_given)]


class PatchTaskInstanceBody(BaseModel):
    """What is to change about task instances."""

    model_config = ConfigDict(extra="forbid")
    new_state: GivenState = None
    note: Note | None = None
    include_upstream: bool = False
    include_downstream: bool = False
    include_future: bool = False
    include_past: bool = False


class BulkTaskInstanceBody(PatchTaskInstanceBody):
    """What is to change about one of many."""

    task_id: str
    map_index: int | None = None
    dag_id: str | None = None
    dag_run_id: str | None = None


class ClearTaskInstancesBody(BaseModel):
    """What is to be cleared."""

    model_config = ConfigDict(extra="forbid")
    dry_run: bool = True
    start_date: Moment | None = None
    end_date: Moment | None = None
    only_failed: bool = True
    only_running: bool = False
    reset_dag_runs: bool = True
    task_ids: list[str | tuple[str, int]] | None = None
    dag_run_id: str | None = None
    include_upstream: bool = False
    include_downstream: bool = False
    include_future: bool = False
    include_past: bool = False
    run_on_latest_version: bool | None = None
    prevent_running_task: bool = False
    note: Note | None = None

    @model_validator(mode="before")
    @classmethod
    def _refuse_both(cls, data: Any) -> Any:
        """Before the defaults are there: `only_running` alone is enough to be asked for."""
        if isinstance(data, dict) and data.get("only_running"):
            if data.get("only_failed"):
                raise ValueError("only_failed and only_running both are set to True")
            return {**data, "only_failed": False}
        return data

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> "ClearTaskInstancesBody":
        if self.start_date and self.end_date and self.start_date > self.end_date:
            raise ValueError("end_date is sooner than start_date")
        if self.dag_run_id is not None and (self.start_date or self.end_date):
            raise ValueError("Exactly one of dag_run_id or (start_date and end_date) must be provided")
        if self.dag_run_id is None and (self.include_past or self.include_future):
            raise ValueError("include_past and include_future need a dag_run_id")
        if self.task_ids is not None and not self.task_ids:
            raise ValueError("task_ids should have at least 1 element")
        return self
