"""What tasks ask people, as answers show it, and what people answer."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from tradewind.api.public.task_instance_schemas import TaskInstanceHistoryResponse, TaskInstanceResponse

Options = Annotated[list[str], Field(min_length=1)]


class HITLUser(BaseModel):
    """Somebody who answers, or may."""

    id: str
    name: str


class UpdateHITLDetailPayload(BaseModel):
    """An answer."""

    chosen_options: Options
    params_input: dict[str, Any] = Field(default_factory=dict)


class HITLDetailResponse(BaseModel):
    """An answer that was taken."""

    responded_by: HITLUser
    responded_at: datetime
    chosen_options: Options
    params_input: dict[str, Any] = Field(default_factory=dict)


class InquiryResponse(BaseModel):
    """What was asked, and what was answered."""

    options: Options
    subject: str
    body: str | None = None
    defaults: list[str] | None = None
    multiple: bool = False
    params: dict[str, Any] = Field(default_factory=dict)
    assigned_users: list[HITLUser] = Field(default_factory=list)
    created_at: datetime
    responded_by_user: HITLUser | None = None
    """Absent although there is an answer: nobody answered in time, and it is the default."""
    responded_at: datetime | None = None
    chosen_options: list[str] | None = None
    params_input: dict[str, Any] = Field(default_factory=dict)
    response_received: bool = False


class HITLDetail(InquiryResponse):
    """With the task instance that asks."""

    task_instance: TaskInstanceResponse


class HITLDetailHistory(InquiryResponse):
    """With the try that asked."""

    task_instance: TaskInstanceHistoryResponse


class HITLDetailCollection(BaseModel):
    """A page of them."""

    hitl_details: list[HITLDetail]
    total_entries: int
