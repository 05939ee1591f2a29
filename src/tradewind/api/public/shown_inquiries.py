"""From rows of the list of questions, and from questions themselves, to what answers show of them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tradewind.api.public.hitl_schemas import HITLDetail
from tradewind.api.public.shown_task_instances import instances_shown
from tradewind.model.inquiry import Inquiry
from tradewind.model.listing import Row
from tradewind.model.task_answers import HITLUserResult
from tradewind.storage.interface import Transaction

_FIELDS: Final = ("options", "defaults", "params", "chosen_options", "params_input")


def details_shown(tx: Transaction, rows: Sequence[Row]) -> list[HITLDetail]:
    """Rows of the list of questions, which are rows of task instances as well."""
    instances = instances_shown(tx, rows)
    return [
        HITLDetail.model_validate({**_read(row), "task_instance": instance})
        for row, instance in zip(rows, instances, strict=True)
    ]


def _read(row: Row) -> dict[str, Any]:
    values: Mapping[str, Any] = row
    texts = {name: values[name] and json.loads(values[name]) for name in _FIELDS}
    by = values["responded_by_user_id"]
    return {
        **values,
        **texts,
        "params_input": texts["params_input"] or {},
        "assigned_users": [{"id": each[0], "name": each[1]} for each in json.loads(values["assigned_users"])],
        "responded_by_user": None if by is None else {"id": by, "name": values["responded_by_user_name"]},
        "response_received": values["responded_at"] is not None,
    }


def inquiry_shown(inquiry: Inquiry) -> dict[str, Any]:
    """The same fields of a question that is in no list: that of an earlier try."""
    answer = inquiry.answer
    shown: dict[str, Any] = {
        "options": list(inquiry.options),
        "subject": inquiry.subject,
        "body": inquiry.body,
        "defaults": None if inquiry.defaults is None else list(inquiry.defaults),
        "multiple": inquiry.multiple,
        "params": inquiry.params,
        "assigned_users": [_person(user) for user in inquiry.assigned_users],
        "created_at": inquiry.created_at,
        "response_received": answer is not None,
    }
    if answer is not None:
        shown["responded_by_user"] = None if answer.by is None else _person(answer.by)
        shown["responded_at"] = answer.at
        shown["chosen_options"] = list(answer.chosen_options)
        shown["params_input"] = answer.params_input
    return shown


def _person(user: HITLUserResult) -> dict[str, str]:
    return {"id": user.id, "name": user.name}
