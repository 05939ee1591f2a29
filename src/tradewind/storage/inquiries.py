"""What tasks ask people, and what they answered."""

from collections.abc import Collection
from functools import cache

import sqlalchemy as sa

from tradewind.model.ids import AttemptKey, RunKey, TaskKey
from tradewind.model.inquiry import HumanAnswer, Inquiry
from tradewind.model.task_answers import HITLUserResult
from tradewind.storage.batch import batch_parameters, batch_table
from tradewind.storage.guarded import ATTEMPT_COLUMNS
from tradewind.storage.json_text import from_optional_text, from_text, to_optional_text, to_text
from tradewind.storage.schema import inquiry as inquiry_table
from tradewind.storage.types import AnyRow, AnySelect
from tradewind.storage.upsert import upsert

_COLUMNS = inquiry_table.c
_OF_TRY = sa.and_(
    *(_COLUMNS[name] == sa.bindparam(f"of_{name}") for name in ("run_key", "task_id", "map_index", "try_number"))
)
_FIND = sa.select(inquiry_table).where(_OF_TRY)
# Another attempt of the same try may have asked something else since it was read.
_ANSWER = sa.update(inquiry_table).where(
    _OF_TRY, _COLUMNS.attempt == sa.bindparam("of_attempt"), _COLUMNS.responded_at.is_(None)
)


@cache
def _of_attempts(dialect_name: str) -> AnySelect:
    batch = batch_table(dialect_name, ATTEMPT_COLUMNS)
    return sa.select(inquiry_table).join(
        batch, sa.and_(*(_COLUMNS[name] == batch.c[name] for name, _ in ATTEMPT_COLUMNS))
    )


class Inquiries:
    """Implements `interface.InquiryStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._dialect = connection.dialect.name

    def put(self, inquiry: Inquiry) -> None:
        row = {
            **inquiry.attempt._asdict(),
            "try_number": inquiry.try_number,
            "options": to_text(inquiry.options),
            "subject": inquiry.subject,
            "body": inquiry.body,
            "defaults": to_optional_text(inquiry.defaults),
            "multiple": inquiry.multiple,
            "params": to_text(dict(inquiry.params)),
            "assigned_users": to_text([(user.id, user.name) for user in inquiry.assigned_users]),
            "created_at": inquiry.created_at,
            **_answer_values(inquiry.answer),
        }
        upsert(self._connection, inquiry_table, [row])

    def find(self, task: TaskKey, try_number: int) -> Inquiry | None:
        row = self._connection.execute(_FIND, _key(task, try_number)).one_or_none()
        return None if row is None else _to_inquiry(row)

    def of_attempts(self, attempts: Collection[AttemptKey]) -> dict[AttemptKey, Inquiry]:
        if not attempts:
            return {}
        parameters = batch_parameters(self._dialect, ATTEMPT_COLUMNS, sorted(attempts))
        found = map(_to_inquiry, self._connection.execute(_of_attempts(self._dialect), parameters))
        return {each.attempt: each for each in found}

    def answer(self, inquiry: Inquiry, answer: HumanAnswer) -> bool:
        attempt = inquiry.attempt
        of_it = {**_key(attempt.task, inquiry.try_number), "of_attempt": attempt.attempt}
        return self._connection.execute(_ANSWER.values(**_answer_values(answer)), of_it).rowcount > 0


def _key(task: TaskKey, try_number: int) -> dict[str, object]:
    return {**{f"of_{name}": value for name, value in task._asdict().items()}, "of_try_number": try_number}


def _answer_values(answer: HumanAnswer | None) -> dict[str, object]:
    by = None if answer is None else answer.by
    return {
        "responded_at": None if answer is None else answer.at,
        "responded_by_id": None if by is None else by.id,
        "responded_by_name": None if by is None else by.name,
        "chosen_options": None if answer is None else to_text(answer.chosen_options),
        "params_input": None if answer is None else to_text(dict(answer.params_input)),
    }


def _to_inquiry(row: AnyRow) -> Inquiry:
    defaults = from_optional_text(row.defaults)
    return Inquiry(
        attempt=AttemptKey(RunKey(row.run_key), row.task_id, row.map_index, row.attempt),
        try_number=row.try_number,
        options=tuple(from_text(row.options)),
        subject=row.subject,
        body=row.body,
        defaults=None if defaults is None else tuple(defaults),
        multiple=row.multiple,
        params=from_text(row.params),
        assigned_users=tuple(HITLUserResult(*each) for each in from_text(row.assigned_users)),
        created_at=row.created_at,
        answer=_to_answer(row),
    )


def _to_answer(row: AnyRow) -> HumanAnswer | None:
    if row.responded_at is None:
        return None
    by = None if row.responded_by_id is None else HITLUserResult(row.responded_by_id, row.responded_by_name)
    return HumanAnswer(
        chosen_options=tuple(from_text(row.chosen_options)),
        params_input=from_text(row.params_input),
        at=row.responded_at,
        by=by,
    )
