"""Questions of tasks to people: the functions below the operators that ask them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict
from uuid import UUID

from tradewind.model.task_answers import HITLDetailRequest, HITLDetailResponse, HITLUserResult
from tradewind.sdk.exceptions import AirflowNotFoundException
from tradewind.sdk.runtime import current_runtime


class HITLUser(TypedDict):
    """A person who may answer."""

    id: str
    name: str


def upsert_hitl_detail(
    ti_id: UUID | str,
    options: Sequence[str],
    subject: str,
    body: str | None = None,
    defaults: Sequence[str] | None = None,
    multiple: bool = False,
    params: Mapping[str, Any] | None = None,
    assigned_users: Sequence[HITLUser] | None = None,
) -> None:
    """Ask a question for a task instance, or change one that was asked."""
    if not options:
        raise ValueError(f"the question {subject!r} needs at least one option")
    request = HITLDetailRequest(
        ti_id=str(ti_id),
        options=tuple(options),
        subject=subject,
        body=body,
        defaults=None if defaults is None else tuple(defaults),
        multiple=multiple,
        params=dict(params or {}),
        assigned_users=tuple(HITLUserResult(user["id"], user["name"]) for user in assigned_users or ()),
    )
    current_runtime().upsert_hitl_detail(request)


def update_hitl_detail_response(
    ti_id: UUID | str, chosen_options: Sequence[str], params_input: Mapping[str, Any]
) -> HITLDetailResponse:
    """Answer the question of a task instance."""
    return current_runtime().update_hitl_detail(
        str(ti_id), chosen_options=list(chosen_options), params_input=dict(params_input)
    )


def get_hitl_detail_content_detail(ti_id: UUID | str) -> HITLDetailResponse:
    """What was answered so far."""
    response = current_runtime().get_hitl_detail(str(ti_id))
    if response is None:
        raise AirflowNotFoundException(f"task instance {ti_id} asked nothing")
    return response
